#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tests/soak/soak_run.h"

namespace memswell::tests {
namespace {

using nlohmann::json;

constexpr const char* kSites[TRUTH_KINDS] = {"malloc_site", "calloc_site", "realloc_site", "aligned_site"};

struct Image {
  truth_kind kind[TRUTH_KINDS] = {};
};

void add(truth_count& to, const truth_count& count) {
  to.calls += count.calls;
  to.bytes += count.bytes;
}

// By pid, then in the order of their execs.
std::map<std::pair<int, unsigned>, Image> images_of(const truth_file& truth) {
  std::map<std::pair<int, unsigned>, Image> all;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(truth.used, TRUTH_SLOTS); ++i) {
    const truth_slot& slot = truth.slot[i];
    if (slot.pid == 0) continue;
    Image& image = all[{slot.pid, slot.image}];
    for (int k = 0; k < TRUTH_KINDS; ++k) {
      add(image.kind[k].made_begun, slot.kind[k].made_begun);
      add(image.kind[k].made_done, slot.kind[k].made_done);
      add(image.kind[k].freed_begun, slot.kind[k].freed_begun);
      add(image.kind[k].freed_done, slot.kind[k].freed_done);
    }
  }
  return all;
}

const json* process_of(const json& report, int pid, unsigned image) {
  for (const json& process : report.at("processes")) {
    if (process.value("pid", 0) != pid) continue;
    if (image-- == 0) return &process;
  }
  return nullptr;
}

struct Range {
  std::int64_t least, most;
};

using Get = std::uint64_t truth_count::*;

Range made(const truth_kind& kind, Get get) {
  return {static_cast<std::int64_t>(kind.made_done.*get), static_cast<std::int64_t>(kind.made_begun.*get)};
}

Range live(const truth_kind& kind, Get get) {
  const auto difference = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b);
  };
  return {difference(kind.made_done.*get, kind.freed_begun.*get), difference(kind.made_begun.*get, kind.freed_done.*get)};
}

class Comparison {
 public:
  explicit Comparison(Agreement agreement) : agreement_(agreement) {}

  void compare(const json& process, const Image& image, const std::string& who) {
    lost_ = static_cast<std::int64_t>(events_lost(process));
    for (int k = 0; k < TRUTH_KINDS; ++k) {
      const json site = site_of(process, kSites[k]);
      const std::string what = who + " " + kSites[k] + " ";
      check(site.value("calls", std::int64_t{0}), made(image.kind[k], &truth_count::calls), what + "calls");
      check(site.value("bytes", std::int64_t{0}), made(image.kind[k], &truth_count::bytes), what + "bytes");
      if (!live_is_known()) continue;
      check(site.value("live_blocks", std::int64_t{0}), live(image.kind[k], &truth_count::calls), what + "live blocks");
      check(site.value("live_bytes", std::int64_t{0}), live(image.kind[k], &truth_count::bytes), what + "live bytes");
    }
  }
  void missing(const Image& image, const std::string& who) {
    if (agreement_ == Agreement::no_more) return;
    if (agreement_ == Agreement::counted) return;  // its calls are in the run's sum of losses
    compare(json::object(), image, who + " (not in the recording)");
  }
  std::vector<std::string> take() { return std::move(differences_); }

 private:
  static json site_of(const json& process, const std::string& name) {
    for (const json& site : process.value("sites", json::array()))
      if (site.at("function") == name) return site;
    return json::object();
  }
  bool live_is_known() const {
    return agreement_ == Agreement::exact || agreement_ == Agreement::nothing_lost || (agreement_ == Agreement::counted && lost_ == 0);
  }
  void check(std::int64_t got, Range want, const std::string& what) {
    if (agreement_ == Agreement::no_more) want.least = 0;
    if (agreement_ == Agreement::counted && lost_ != 0) {
      if (what.ends_with("calls")) want.least = std::max<std::int64_t>(0, want.least - lost_);
      if (what.ends_with("bytes")) want.least = 0;
    }
    const bool exact = agreement_ == Agreement::exact;
    if (exact ? got == want.least && want.least == want.most : got >= want.least && got <= want.most) return;
    differences_.push_back(fmt::format("{}: {}, done {} to {}", what, got, want.least, want.most));
  }

  std::int64_t lost_ = 0;  // by the image that is compared
  Agreement agreement_;
  std::vector<std::string> differences_;
};

}  // namespace

std::vector<std::string> differences(const json& report, const truth_file& truth, Agreement agreement) {
  Comparison comparison(agreement);
  std::map<int, unsigned> seen;  // images of a pid; a child counts on from its parent's number
  for (const auto& [key, image] : images_of(truth)) {
    const std::string who = fmt::format("pid {} image {}", key.first, key.second);
    const json* process = process_of(report, key.first, seen[key.first]++);
    if (process == nullptr) {
      comparison.missing(image, who);
    } else {
      comparison.compare(*process, image, who);
    }
  }
  return comparison.take();
}

std::uint64_t calls_done(const truth_file& truth) {
  std::uint64_t calls = 0;
  for (const auto& [key, image] : images_of(truth))
    for (const truth_kind& kind : image.kind) calls += kind.made_done.calls;
  return calls;
}

std::uint64_t calls_recorded(const json& report) {
  std::uint64_t calls = 0;
  for (const json& process : report.at("processes"))
    for (const json& site : process.value("sites", json::array()))
      if (std::find(std::begin(kSites), std::end(kSites), site.value("function", json()).is_string()
                                                               ? site.at("function").get<std::string>()
                                                               : std::string()) != std::end(kSites))
        calls += site.at("calls").get<std::uint64_t>();
  return calls;
}

std::uint64_t events_lost(const json& process) {
  for (const json& finding : process.value("findings", json::array()))
    if (finding.at("kind") == "events_lost") return finding.at("evidence").at("lost_events").at("value").get<std::uint64_t>();
  return 0;
}

std::size_t images_without_loss(const json& report) {
  const json& all = report.at("processes");
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const json& process) { return events_lost(process) == 0; }));
}

std::size_t images(const truth_file& truth) { return images_of(truth).size(); }

}  // namespace memswell::tests
