// memswell run: record a program to its end and end as it did.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "analysis/fold.h"
#include "base/log.h"
#include "capture/record.h"
#include "cli/command.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/version.h"
#include "report/json_report.h"
#include "report/summary.h"
#include "symbols/plumbing.h"
#include "symbols/symbolizer.h"

namespace memswell::cli {
namespace {

struct RunArguments {
  capture::RecordOptions record;
  std::uint64_t max_depth = 256;
  std::string on_full = "wait";
  std::string snapshots = "all";
  std::optional<Bytes> max_recording;
  bool keep_peaks = false;
  bool no_preload = false;
  bool no_symbols = false;
  bool quiet = false;
  bool json = false;
  LoadOptions load;
};

capture::FrameNames name_frames(std::span<const trace::Module> modules, std::span<const trace::Frame> frames) {
  symbols::Symbolizer symbolizer;
  for (const trace::Module& module : modules) symbolizer.add(module);
  std::vector<trace::Frame> code;
  std::copy_if(frames.begin(), frames.end(), std::back_inserter(code), [](const trace::Frame& frame) {
    return frame.module != ModuleId{} && (frame.kind == trace::FrameKind::call || frame.kind == trace::FrameKind::exact);
  });
  symbols::Names names = symbolizer.symbolize(code);
  return {std::move(names.frames), std::move(names.modules)};
}

Result<void> fold(capture::FoldRequest request) {
  return analysis::fold({.from = std::move(request.from),
                         .path = std::move(request.path),
                         .border = request.border,
                         .time = request.time,
                         .to = std::move(request.to),
                         .max_bytes = request.max_bytes});
}

Result<void> complete(RunArguments& arguments) {
  constexpr std::uint64_t kDeepest = 4000;
  if (arguments.max_depth == 0 || arguments.max_depth > kDeepest)
    return Error{fmt::format("--max-depth {} is out of range: 1 to {} frames", arguments.max_depth, kDeepest),
                 ExitCode::usage};
  if (arguments.record.interval < 1'000'000)
    return Error{"--interval is too short: 1ms is the shortest", ExitCode::usage};
  if (arguments.record.sample_bytes != 0 && !arguments.record.start_on.empty())
    return Error{"--sample-allocs and --start-on cannot be combined", ExitCode::usage};
  if (arguments.record.ring_memory < Bytes{256} * 1024)
    return Error{"--ring-memory is too small: 256KiB is the least", ExitCode::usage};
  if (arguments.max_recording && *arguments.max_recording < Bytes{1} << 20)
    return Error{"--max-recording is too small: 1MiB is the least, some hundred MiB are a good beginning", ExitCode::usage};
  if (const auto skips = symbols::Plumbing::with_skips(arguments.load.skip); !skips) return skips.error();
  arguments.record.max_depth = static_cast<std::uint32_t>(arguments.max_depth);
  arguments.record.when_full =
      arguments.on_full == "drop" ? capture::WhenRingsAreFull::drop : capture::WhenRingsAreFull::wait;
  arguments.record.snapshots.at_phases = arguments.snapshots == "all" || arguments.snapshots == "phases";
  arguments.record.snapshots.at_peaks = arguments.snapshots == "all" || arguments.snapshots == "peaks";
  arguments.record.reset_peaks = !arguments.keep_peaks;
  arguments.record.preload = !arguments.no_preload;
  arguments.record.memswell_version = kVersion;
  arguments.record.max_recording = arguments.max_recording.value_or(0);
  arguments.record.fold = fold;
  if (!arguments.no_symbols) arguments.record.name_frames = name_frames;
  return {};
}

void summarise(const capture::RecordOutcome& outcome, const RunArguments& arguments) {
  for (const std::string& note : outcome.notes) log::note(note);
  if (outcome.failure) log::warning(outcome.failure->sentence);
  if (!std::filesystem::is_regular_file(outcome.recording))
    return log::note(fmt::format("there is no summary: {} does not keep what was recorded", outcome.recording));
  const auto run = load(outcome.recording, arguments.load);
  if (!run) return log::error(run.error().sentence);
  if (arguments.json) return tell(report::json_report(*run));
  tell(report::summary(*run, outcome.recording, standard_error()));
  if (outcome.descendants_run_on) log::note("its descendants run on and are recorded to their end in the same file");
}

Result<int> run(RunArguments& arguments) {
  if (const auto completed = complete(arguments); !completed) return completed.error();
  if (arguments.quiet) log::set_level(log::Level::quiet);
  const auto outcome = capture::record(arguments.record);
  if (!outcome) return outcome.error();
  if (!arguments.quiet || arguments.json) summarise(*outcome, arguments);
  if (arguments.quiet && outcome->failure) log::error(outcome->failure->sentence);
  capture::end_like_program(*outcome);
}

void declare_recording(CommandLine& line, RunArguments& a) {
  line.value("-o,--output", "FILE", a.record.output,
             "write the recording there; %p is the program's pid, %e its name, %% a percent sign "
             "(otherwise ./memswell.%e.%p.swell)");
  line.flag("--force", a.record.overwrite, "replace an existing file");
  line.size("--max-recording", a.max_recording,
            "for runs of days: keep the recording below this size by folding its oldest part, where blocks that came and went "
            "are known in sum by stack from then on");
  line.flag("-q,--quiet", a.quiet, "say nothing but errors");
  line.flag("--json", a.json, "print the report as JSON on stderr instead of the summary (docs/json.md)");
  line.duration("--interval", a.record.interval, "time between samples of the resident size; 20ms if not given");
  line.number("--max-depth", "FRAMES", a.max_depth, "frames kept of a stack, the innermost; 256 if not given");
  line.choice("--on-full", a.on_full, {"wait", "drop"},
              "when the recorder falls behind: the thread waits and nothing is lost, or events are dropped and counted");
  line.size("--ring-memory", a.record.ring_memory,
            "memory of all event rings together; 16MiB if not given. Each thread gets 8KiB at least, unless --on-full is drop");
}

void declare_phases(CommandLine& line, RunArguments& a) {
  line.value("--phase-on", "REGEX", a.record.phase_on,
             "a line of the program's output that matches begins a phase named by group 1; its output then goes through a pipe");
  line.value("--start-on", "NAME", a.record.start_on,
             "record calls from the begin of phase NAME on: what is before costs less and is known in sum only, its blocks that "
             "live then are a group of their own");
  line.size("--sample-allocs", a.record.sample_bytes,
            "for programs that run for long: record one block in so many bytes allocated (512KiB is a good beginning) and count all; "
            "sums stay exact, sites become estimates with error bars");
  line.number("--sample-seed", "NUMBER", a.record.sample_seed, "choose the same blocks again in a program that does the same again");
  line.duration("--phase-every", a.record.phase_every, "begin a new phase at this interval");
  line.choice("--snapshots", a.snapshots, {"all", "phases", "peaks", "none"},
              "when the residency of every page is read; at the end of a process it always is");
  line.flag("--idle", a.record.idle,
            "tell which memory a phase has not written (Linux 6.7; costs the program 1.4 µs a page first written in a phase, "
            "and splits huge pages)");
  line.flag("--keep-peaks", a.keep_peaks,
            "leave the kernel's peak marks alone: a program that reads its own ru_maxrss sees them reset otherwise");
}

Action declare(CommandLine& line) {
  const auto arguments = std::make_shared<RunArguments>();
  declare_recording(line, *arguments);
  declare_phases(line, *arguments);
  line.flag("--no-preload", arguments->no_preload, "sample from outside only: no call is recorded");
  line.flag("--no-symbols", arguments->no_symbols,
            "leave the functions' names out of the recording: faster, but it opens with names on this machine only");
  line.flag("--check-walks", arguments->record.check_walks, "compare every stack walk with libunwind's (slow)");
  declare_names(line, arguments->load);
  line.program(arguments->record.command);
  return [arguments] { return run(*arguments); };
}

}  // namespace

Command run_command() {
  return {{.name = "run",
           .synopsis = "[OPTIONS] [--] PROG [ARGUMENTS …]",
           .purpose = "Runs PROG with every allocation and its footprint recorded, and says what its memory did. Output, "
                      "exit status and signals of PROG pass through unchanged; memswell talks on stderr.",
           .examples = {"memswell run -- python3 build_index.py             record, then print a summary",
                        "memswell run -q -o '/tmp/%e.%p.swell' -- make      record in silence, choose the file",
                        "memswell run --phase-on '^== (.*)' -- ./server     phases named by lines of its output"}},
          "record a program and say what its memory did",
          declare};
}

}  // namespace memswell::cli
