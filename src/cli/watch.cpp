// memswell watch: the timeline of a process that memswell did not start, without touching it.
#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <thread>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/process_by_name.h"
#include "probes/smaps/sampler.h"
#include "report/live_timeline.h"

namespace memswell::cli {
namespace {

struct WatchArguments {
  std::string pid;
  std::string name;
  std::string format = "table";
  Nanoseconds interval = 1'000'000'000;
  std::optional<std::uint64_t> count;
};

report::LiveFormat format_of(const std::string& name) {
  if (name == "csv") return report::LiveFormat::csv;
  return name == "smaps" ? report::LiveFormat::smaps : report::LiveFormat::table;
}

Result<std::int32_t> pid_of(const WatchArguments& arguments) {
  if (arguments.pid.empty() == arguments.name.empty())
    return Error{"give either a PID or --name NAME; see memswell watch --help", ExitCode::usage};
  if (!arguments.name.empty()) return process_by_name(arguments.name);
  std::int32_t pid = 0;
  const char* end = arguments.pid.data() + arguments.pid.size();
  const auto [rest, error] = std::from_chars(arguments.pid.data(), end, pid);
  if (error == std::errc() && rest == end && pid > 0) return pid;
  return Error{fmt::format("'{}' is not a process id", arguments.pid), ExitCode::usage};
}

analysis::SmapsFigures figures_of(const smaps::ThoroughReading& reading, Bytes size) {
  analysis::SmapsFigures figures;
  figures.size_bytes = size;
  figures.rss_bytes = reading.rss_bytes;
  figures.pss_bytes = reading.pss_bytes;
  figures.shared_clean_bytes = reading.shared_clean_bytes;
  figures.shared_dirty_bytes = reading.shared_dirty_bytes;
  figures.private_clean_bytes = reading.private_clean_bytes;
  figures.private_dirty_bytes = reading.private_dirty_bytes;
  figures.swap_bytes = reading.swap_bytes;
  figures.anonymous_bytes = reading.anonymous_bytes;
  figures.lazy_free_bytes = reading.lazy_free_bytes;
  return figures;
}

// One row; empty: the process has ended.
Result<std::optional<analysis::TimelineRow>> read_row(smaps::Sampler& sampler, Nanoseconds time) {
  const auto cheap = sampler.read_cheap();
  if (!cheap) return cheap.error();
  const auto thorough = sampler.read_thorough();
  if (!thorough) return thorough.error();
  if (!*cheap || !*thorough) return std::optional<analysis::TimelineRow>();
  analysis::TimelineRow row;
  row.time_ns = time;
  row.size_bytes = (*cheap)->size_bytes;
  row.rss_bytes = (*thorough)->rss_bytes;
  row.smaps = figures_of(**thorough, row.size_bytes);
  return std::optional(row);
}

Result<int> watch(smaps::Sampler& sampler, const WatchArguments& arguments) {
  using Clock = std::chrono::steady_clock;
  const report::LiveFormat format = format_of(arguments.format);
  if (const auto printed = print(report::live_heading(format)); !printed) return printed;
  const Clock::time_point begin = Clock::now();
  for (std::uint64_t n = 0; !arguments.count || n < *arguments.count; ++n) {
    const auto due = begin + std::chrono::nanoseconds(n * arguments.interval);
    std::this_thread::sleep_until(due);
    const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    const auto row = read_row(sampler, static_cast<Nanoseconds>(elapsed));
    if (!row) return row.error();
    if (!*row) return 0;
    if (const auto printed = print(report::live_row(**row, format)); !printed) return printed;
  }
  return 0;
}

Result<int> run(const WatchArguments& arguments) {
  if (arguments.interval < 1'000'000) return Error{"--interval is too short: 1ms is the shortest", ExitCode::usage};
  const auto pid = pid_of(arguments);
  if (!pid) return pid.error();
  const auto sampler = smaps::open_sampler(*pid);
  if (!sampler) return sampler.error();
  if (*sampler == nullptr) return Error{fmt::format("there is no process {}", *pid)};
  return watch(**sampler, arguments);
}

Action declare(CommandLine& line) {
  const auto arguments = std::make_shared<WatchArguments>();
  line.optional_positional("PID", arguments->pid, "the process");
  line.value("--name", "NAME", arguments->name, "the process of this name, if there is only one");
  line.duration("--interval", arguments->interval, "time between rows; 1s if not given");
  line.count("-n,--count", arguments->count, "stop after N rows; otherwise when the process ends");
  line.choice("-f,--format", arguments->format, {"table", "csv", "smaps"}, "as in memswell timeline");
  return [arguments] { return run(*arguments); };
}

}  // namespace

Command watch_command() {
  return {{.name = "watch",
           .synopsis = "[OPTIONS] PID | --name NAME",
           .purpose = "Prints the footprint of a running process row by row, in kB, until it ends. Nothing is loaded into it "
                      "and its peak marks are left alone.",
           .examples = {"memswell watch 4711                                 a row a second",
                        "memswell watch --name postgres --interval 100ms     found by name, ten rows a second",
                        "memswell watch --format csv -n 60 4711 > rss.csv    a minute for a spreadsheet"}},
          "the footprint of a running process, without preload",
          declare};
}

}  // namespace memswell::cli
