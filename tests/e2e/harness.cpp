#include "tests/e2e/harness.h"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <stdexcept>
#include <thread>

#include "tests/interposer/counter_layout.h"

namespace memswell::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Command command_of(Words argv, const RecordOptions& options) {
  return {.argv = std::move(argv),
          .environment = options.environment,
          .working_directory = options.working_directory,
          .input = options.input,
          .limit = options.limit};
}

json report_of(const std::string& recording) {
  const Finished report = memswell({"report", "--json", recording});
  json document = json::parse(report.out, nullptr, false);
  if (document.is_discarded()) {
    throw std::runtime_error("memswell report --json " + recording + " printed no JSON: " + report.err);
  }
  return document;
}

std::vector<json> reports_in(const std::string& folder) {
  std::vector<json> reports;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".swell") reports.push_back(report_of(entry.path()));
  }
  std::sort(reports.begin(), reports.end(),
            [](const json& a, const json& b) { return a.value("started_ns", 0ULL) < b.value("started_ns", 0ULL); });
  return reports;
}

// memswell's own processes carry the counter too; before their exec, its children are images of memswell.
std::vector<Counted> without_memswell(std::vector<Counted> all) {
  const std::string own = fs::canonical(MEMSWELL_BINARY).string();
  std::erase_if(all, [&](const Counted& counted) { return counted.executable == own; });
  return all;
}

std::string without_anonymous(std::string function) {
  const std::string kAnonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = function.find(kAnonymous)) != std::string::npos;) function.erase(at, kAnonymous.size());
  return function;
}

bool names_function(const std::string& full_name, const std::string& name) {
  const std::string function = without_anonymous(full_name);
  const std::size_t end = function.find('(');
  const std::string head = function.substr(0, end);
  const std::size_t scope = head.rfind("::");
  return (scope == std::string::npos ? head : head.substr(scope + 2)) == name;
}

std::string command_name(const json& process) {
  const json command = process.value("command", json());
  const std::string text = command.is_array() && !command.empty() ? command[0].get<std::string>()
                           : command.is_string()                  ? command.get<std::string>()
                                                                  : std::string();
  return fs::path(text.substr(0, text.find(' '))).filename();
}

}  // namespace

Finished memswell(const Words& arguments, const RecordOptions& options) {
  Words argv = {MEMSWELL_BINARY};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run(command_of(std::move(argv), options));
}

Recorded record(const Words& argv, const RecordOptions& options) {
  const TemporaryFolder folder;
  RecordOptions all = options;
  const std::string counts = folder.file("counts");
  if (options.counted) {
    make_counter_file(counts);
    all.environment[COUNTER_FILE_VARIABLE] = counts;
    all.environment["LD_PRELOAD"] = MEMSWELL_COUNTER;
  }
  Words arguments = {"run", "-q", "-o", folder.file("%p.swell")};
  arguments.insert(arguments.end(), options.run_options.begin(), options.run_options.end());
  arguments.push_back("--");
  arguments.insert(arguments.end(), argv.begin(), argv.end());
  Recorded recorded;
  recorded.run = memswell(arguments, all);
  recorded.reports = reports_in(folder.path());
  if (options.counted) recorded.counted = without_memswell(read_counter_file(counts));
  return recorded;
}

json report_when_complete(const std::string& recording) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < deadline) {
    json report = report_of(recording);
    if (report.at("recording").value("complete", false)) return report;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  throw std::runtime_error(recording + " did not become complete within a minute");
}

std::string case_path(const std::string& name) { return std::string(MEMSWELL_CASES) + "/" + name; }

Recorded record_case(const std::string& name, const Words& arguments, const RecordOptions& options) {
  Words argv = {case_path(name)};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const Finished alone = run(command_of(argv, options));
  Recorded recorded = record(argv, options);
  const auto differs = [&](const std::string& what, const std::string& native, const std::string& under) {
    throw std::runtime_error(name + ": " + what + " is \"" + under + "\" under memswell, and \"" + native + "\" alone");
  };
  if (recorded.run.timed_out) differs("the end", "in time", "none");
  if (alone.out != recorded.run.out) differs("the output", alone.out, recorded.run.out);
  if (alone.err != recorded.run.err) differs("the error output", alone.err, recorded.run.err);
  if (alone.exit_code != recorded.run.exit_code) {
    differs("the exit status", std::to_string(alone.exit_code), std::to_string(recorded.run.exit_code));
  }
  if (alone.signal != recorded.run.signal) {
    differs("the signal", std::to_string(alone.signal), std::to_string(recorded.run.signal));
  }
  return recorded;
}

std::vector<json> processes(const Recorded& recorded) {
  std::vector<json> all;
  for (const json& report : recorded.reports) {
    for (const json& process : report.at("processes")) all.push_back(process);
  }
  return all;
}

json process(const Recorded& recorded, const std::string& name) {
  for (const json& process : processes(recorded)) {
    if (command_name(process) == name) return process;
  }
  throw std::runtime_error("the recording has no process " + name);
}

Site site(const json& process, const std::string& function) {
  Site sum;
  for (const json& row : process.value("sites", json::array())) {
    if (!row.at("function").is_string() || !names_function(row.at("function").get<std::string>(), function)) continue;
    sum.calls += row.at("calls").get<std::uint64_t>();
    sum.bytes += row.at("bytes").get<std::uint64_t>();
    sum.live_blocks += row.at("live_blocks").get<std::uint64_t>();
    sum.live_bytes += row.at("live_bytes").get<std::uint64_t>();
  }
  return sum;
}

Site site(const Recorded& recorded, const std::string& function) {
  Site sum;
  for (const json& one : processes(recorded)) {
    const Site part = site(one, function);
    sum = {sum.calls + part.calls, sum.bytes + part.bytes, sum.live_blocks + part.live_blocks,
           sum.live_bytes + part.live_bytes};
  }
  return sum;
}

std::ostream& operator<<(std::ostream& out, const Site& site) {
  return out << site.calls << " calls, " << site.bytes << " bytes, live " << site.live_blocks << " blocks, "
             << site.live_bytes << " bytes";
}

std::vector<std::string> count_differences(const Recorded& recorded) {
  std::vector<json> left = processes(recorded);
  std::vector<std::string> differences;
  if (recorded.counted.empty()) differences.push_back("the independent counter saw no process");
  for (const Counted& counted : recorded.counted) {
    const std::string image = counted.executable + " [" + std::to_string(counted.pid) + "]";
    // Images of one pid follow one another in both lists.
    const auto found = std::find_if(left.begin(), left.end(),
                                    [&](const json& process) { return process.value("pid", 0) == counted.pid; });
    if (found == left.end()) {
      differences.push_back(image + " is not in the recording; counted " + std::to_string(counted.calls) + " calls");
      continue;
    }
    const auto compare = [&](const char* key, std::uint64_t want) {
      const std::uint64_t got = found->at("totals").at(key).get<std::uint64_t>();
      if (got != want)
        differences.push_back(image + " " + key + ": " + std::to_string(got) + ", counted " + std::to_string(want));
    };
    compare("calls", counted.calls);
    compare("allocated_bytes", counted.bytes);
    left.erase(found);
  }
  return differences;
}

}  // namespace memswell::tests
