#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "report/exports.h"
#include "report/json_writer.h"
#include "report/selection.h"
#include "report/site_report.h"
#include "report/site_text.h"

namespace memswell::report {
namespace {

using analysis::ProcessReport;

constexpr std::uint64_t kVersion = 48;  // preprocessedProfileVersion; newer profilers upgrade it when they load it
constexpr double kNanosecondsInOne = 1e6;

double milliseconds(Nanoseconds time) { return static_cast<double>(time) / kNanosecondsInOne; }

// The tables of a thread. A function here is a name; one frame each; a stack is its frame and the stack of its caller.
class Tables {
 public:
  std::uint64_t string(const std::string& text) { return entry_of(string_indices_, strings_, text); }

  // The stack of `names`, outermost first; never empty.
  std::uint64_t stack(const std::vector<std::string>& names) {
    std::int64_t at = -1;
    for (const std::string& name : names) {
      const std::pair<std::int64_t, std::uint64_t> step{at, function(name)};
      const auto [entry, added] = stack_indices_.try_emplace(step, stacks_.size());
      if (added) stacks_.push_back(step);
      at = static_cast<std::int64_t>(entry->second);
    }
    return static_cast<std::uint64_t>(at);
  }

  void write(JsonWriter& json) const;

 private:
  using Indices = std::unordered_map<std::string, std::uint64_t>;

  static std::uint64_t entry_of(Indices& indices, std::vector<std::string>& values, const std::string& text) {
    const auto [entry, added] = indices.try_emplace(text, values.size());
    if (added) values.push_back(text);
    return entry->second;
  }
  std::uint64_t function(const std::string& name) {
    const std::uint64_t text = string(name);
    const auto [entry, added] = function_indices_.try_emplace(text, functions_.size());
    if (added) functions_.push_back(text);
    return entry->second;
  }

  Indices string_indices_;
  std::vector<std::string> strings_;
  std::unordered_map<std::uint64_t, std::uint64_t> function_indices_;
  std::vector<std::uint64_t> functions_;  // their names, as strings
  std::map<std::pair<std::int64_t, std::uint64_t>, std::uint64_t> stack_indices_;
  std::vector<std::pair<std::int64_t, std::uint64_t>> stacks_;  // caller (−1: none) and frame
};

template <class Write>
void column(JsonWriter& json, const char* key, std::size_t length, Write write) {
  json.begin_array(key);
  for (std::size_t i = 0; i < length; ++i) write(i);
  json.end_array();
}

void nulls(JsonWriter& json, std::initializer_list<const char*> keys, std::size_t length) {
  for (const char* key : keys) column(json, key, length, [&](std::size_t) { json.null(); });
}

void same(JsonWriter& json, std::initializer_list<const char*> keys, std::size_t length, int value) {
  for (const char* key : keys) column(json, key, length, [&](std::size_t) { json.number(value); });
}

void Tables::write(JsonWriter& json) const {
  const std::size_t functions = functions_.size();
  json.begin_object("frameTable");
  json.number("length", functions);
  same(json, {"address"}, functions, -1);
  same(json, {"inlineDepth", "category", "subcategory"}, functions, 0);
  column(json, "func", functions, [&](std::size_t i) { json.number(i); });
  nulls(json, {"nativeSymbol", "innerWindowID", "implementation", "line", "column"}, functions);
  json.end_object();
  json.begin_object("funcTable");
  json.number("length", functions);
  column(json, "name", functions, [&](std::size_t i) { json.number(functions_[i]); });
  for (const char* key : {"isJS", "relevantForJS"}) column(json, key, functions, [&](std::size_t) { json.flag(false); });
  same(json, {"resource"}, functions, -1);
  nulls(json, {"fileName", "lineNumber", "columnNumber"}, functions);
  json.end_object();
  json.begin_object("stackTable");
  json.number("length", stacks_.size());
  column(json, "prefix", stacks_.size(), [&](std::size_t i) {
    if (stacks_[i].first < 0) json.null();
    else json.number(stacks_[i].first);
  });
  column(json, "frame", stacks_.size(), [&](std::size_t i) { json.number(stacks_[i].second); });
  same(json, {"category", "subcategory"}, stacks_.size(), 0);
  json.end_object();
  json.texts("stringArray", strings_);
}

void write_meta(JsonWriter& json, const analysis::RunReport& run) {
  json.begin_object("meta");
  json.number("preprocessedProfileVersion", kVersion);
  json.number("version", 24);
  json.number("interval", 1);
  json.real("startTime", milliseconds(run.started_unix_ns));
  json.number("processType", 0);
  json.text("product", command_text(run.command));
  json.text("oscpu", run.kernel);
  json.text("importedFrom", "memswell");
  for (const char* key : {"symbolicated", "usesOnlyOneStackType", "doesNotUseFrameImplementation", "sourceCodeIsNotOnSearchfox"})
    json.flag(key, true);
  json.number("stackwalk", 1);
  json.begin_array("categories");
  json.begin_object();
  json.text("name", "Allocation");
  json.text("color", "blue");
  json.texts("subcategories", {"Other"});
  json.end_object();
  json.end_array();
  json.texts("markerSchema", {});
  json.end_object();
}

// Phases as intervals (marker phase 1).
void write_markers(JsonWriter& json, const ProcessReport& process, Tables& tables) {
  const std::size_t length = process.phases.size();
  json.begin_object("markers");
  json.number("length", length);
  column(json, "name", length, [&](std::size_t i) { json.number(tables.string(process.phases[i].name)); });
  column(json, "startTime", length, [&](std::size_t i) { json.real(milliseconds(process.phases[i].begin_ns)); });
  column(json, "endTime", length, [&](std::size_t i) { json.real(milliseconds(process.phases[i].end_ns)); });
  same(json, {"phase"}, length, 1);
  same(json, {"category"}, length, 0);
  nulls(json, {"data"}, length);
  json.end_object();
}

// Every stack once, weighted, at the moment of the peak.
void write_samples(JsonWriter& json, const std::vector<WeightedStack>& stacks, const ProcessReport& process, bool bytes,
                   Tables& tables) {
  json.begin_object("samples");
  json.number("length", stacks.size());
  column(json, "stack", stacks.size(), [&](std::size_t i) { json.number(tables.stack(stacks[i].names)); });
  column(json, "time", stacks.size(), [&](std::size_t) { json.real(milliseconds(process.totals.peak_live_ns)); });
  column(json, "weight", stacks.size(), [&](std::size_t i) { json.number(stacks[i].value); });
  json.text("weightType", bytes ? "bytes" : "samples");
  json.end_object();
}

void write_empty_tables(JsonWriter& json) {
  json.begin_object("nativeSymbols");
  json.number("length", 0);
  nulls(json, {"address", "functionSize", "libIndex", "name"}, 0);
  json.end_object();
  json.begin_object("resourceTable");
  json.number("length", 0);
  nulls(json, {"lib", "name", "host", "type"}, 0);
  json.end_object();
  json.texts("pausedRanges", {});
}

void write_thread(JsonWriter& json, const analysis::RunReport& run, const ProcessReport& process, std::size_t index,
                  const ExportOptions& options) {
  Tables tables;
  json.begin_object();
  json.text("name", command_text(process.command));
  json.text("processName", command_text(process.command, 40));
  json.text("processType", "default");
  json.flag("isMainThread", true);
  json.text("pid", fmt::format("{}.{}", process.pid, index));  // an exec begins another image of the same pid
  json.text("tid", fmt::format("{}.{}", process.pid, index));
  for (const char* key : {"processStartupTime", "registerTime"}) json.real(key, milliseconds(process.begin_ns));
  for (const char* key : {"processShutdownTime", "unregisterTime"}) json.real(key, milliseconds(process.end_ns));
  write_samples(json, weighted_stacks(run, process, options.cost), process, counts_bytes(options.cost), tables);
  write_markers(json, process, tables);
  write_empty_tables(json);
  tables.write(json);
  json.end_object();
}

// The memory track: changes of RSS, from 0.
void write_counter(JsonWriter& json, const ProcessReport& process, std::size_t index) {
  const auto& rows = process.timeline;
  json.begin_object();
  json.text("name", "resident (RSS)");
  json.text("category", "Memory");
  json.text("description", "resident memory, memswell's own pages left out");
  json.text("pid", fmt::format("{}.{}", process.pid, index));
  json.number("mainThreadIndex", index);
  json.begin_object("samples");
  json.number("length", rows.size());
  column(json, "time", rows.size(), [&](std::size_t i) { json.real(milliseconds(rows[i].time_ns)); });
  column(json, "count", rows.size(), [&](std::size_t i) {
    const std::int64_t before = i == 0 ? 0 : static_cast<std::int64_t>(rows[i - 1].rss_bytes);
    json.number(static_cast<std::int64_t>(rows[i].rss_bytes) - before);
  });
  json.end_object();
  json.end_object();
}

}  // namespace

// The Firefox profiler's processed format: a thread for each process with its stacks, phases as markers, RSS as counter.
std::string export_firefox(const analysis::RunReport& run, const ExportOptions& options) {
  const auto processes = processes_with(run, options.pid);
  JsonWriter json(JsonLayout::compact);
  json.begin_object();
  write_meta(json, run);
  json.texts("libs", {});
  json.texts("pages", {});
  json.begin_array("threads");
  for (std::size_t i = 0; i < processes.size(); ++i) write_thread(json, run, *processes[i], i, options);
  json.end_array();
  json.begin_array("counters");
  for (std::size_t i = 0; i < processes.size(); ++i) write_counter(json, *processes[i], i);
  json.end_array();
  json.texts("profilerOverhead", {});
  json.end_object();
  return json.take();
}

}  // namespace memswell::report
