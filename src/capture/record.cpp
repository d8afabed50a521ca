#include "capture/record.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/log.h"
#include "capture/attach_server.h"
#include "capture/control_channel.h"
#include "capture/launcher.h"
#include "capture/output_file.h"
#include "capture/output_pump.h"
#include "capture/phase_lines.h"
#include "capture/program_file.h"
#include "capture/program_wait.h"
#include "capture/recorder.h"
#include "capture/region.h"
#include "capture/stamp_clock.h"
#include "probes/smaps/abilities.h"

namespace memswell::capture {
namespace {

constexpr int kReadyTimeoutMs = 10'000;
constexpr int kFlushSliceMs = 1'000;
constexpr int kFlushPatienceSlices = 10;  // without a heartbeat of the recorder

// What must be there before anything is started.
struct Preparation {
  Launch launch;
  ProgramFile program;
  format::StampSource stamp_source;
  Region region;
  AttachServer server;
};

std::string socket_name() { return std::to_string(getpid()) + "-" + std::to_string(monotonic_now() % 1'000'000); }

Result<Preparation> prepare(const RecordOptions& options) {
  Result<ProgramFile> program = find_program_file(options.command.at(0));
  if (!program) return program.error();
  if (options.phase_on) {
    if (const auto pattern = compile_phase_pattern(*options.phase_on); !pattern) return pattern.error();
    log::note("the program's output goes through a pipe, because of --phase-on");
  }
  if (!options.preload) *program = {.path = program->path, .probe = "", .reason = "It was to be sampled only.", .sampled_only = true};
  if (!program->reason.empty()) log::note(program->reason);
  if (options.idle && !smaps::write_tracking_available())
    log::warning("--idle has no effect: this kernel does not tell which pages were written (Linux 6.7 does, memswell doctor)");
  const format::StampSource stamp_source = choose_stamp_source();
  Result<Region> region = Region::create({.max_depth = options.max_depth,
                                          .on_full = options.when_full == WhenRingsAreFull::wait ? format::OnFull::wait
                                                                                                 : format::OnFull::drop,
                                          .stamp_source = stamp_source,
                                          .ring_memory = options.ring_memory,
                                          .check_walks = options.check_walks,
                                          .sample_bytes = options.sample_bytes,
                                          .sample_seed = options.sample_seed.value_or(monotonic_now()),
                                          .track_writes = options.idle && smaps::write_tracking_available()});
  if (!region) return region.error();
  Result<AttachServer> server = AttachServer::open(socket_name());
  if (!server) return server.error();
  std::strncpy(region->header().attach_address, server->address().c_str(), sizeof region->header().attach_address - 1);
  Launch launch{.command = options.command, .probe = program->probe, .region_address = server->address()};
  return Preparation{std::move(launch), *std::move(program), stamp_source, *std::move(region), *std::move(server)};
}

struct Recording {
  UniqueFd file;
  std::string path;
};

Result<Recording> create_recording(const RecordOptions& options, pid_t pid) {
  const Result<std::string> path =
      expand_output_name(options.output, options.command[0], static_cast<std::uint32_t>(pid));
  if (!path) return path.error();
  Result<UniqueFd> file = create_output_file(*path, options.overwrite ? Overwrite::yes : Overwrite::no);
  if (!file) return file.error();
  return Recording{*std::move(file), *path};
}

// Forks the recorder and waits until the program may start.
Result<ControlChannel> start_recorder(Preparation& preparation, const RecordOptions& options, pid_t program, Recording recording,
                                      ControlChannel pump) {
  auto pair = ControlChannel::make_pair();
  if (!pair) return Error{std::string("cannot make a socket pair: ") + std::strerror(errno) + "."};
  const pid_t pid = fork();
  if (pid < 0) return Error{std::string("cannot start the recorder: ") + std::strerror(errno) + "."};
  if (pid == 0) {
    pair->first.reset();
    run_recorder({.region = preparation.region,
                  .attach_server = std::move(preparation.server),
                  .control = ControlChannel(std::move(pair->second)),
                  .pump = std::move(pump),
                  .file = std::move(recording.file),
                  .path = std::move(recording.path),
                  .options = options,
                  .program = program,
                  .program_path = preparation.program.path,
                  .not_recorded_reason = preparation.program.sampled_only ? preparation.program.reason : "",
                  .stamp_source = preparation.stamp_source});
  }
  pair->second.reset();
  // Only the recorder listens: where it is gone, a program that begins must not wait for an answer.
  const AttachServer closed_here(std::move(preparation.server));
  ControlChannel control(std::move(pair->first));
  const auto word = control.receive(kReadyTimeoutMs);
  if (word && word->kind == Message::Kind::ready) return control;
  if (word && word->kind == Message::Kind::failed) return Error{word->text};
  return Error{"the recorder did not start."};
}

// The pipes and channels of the program's output, if lines of it begin phases.
struct Pump {
  UniqueFd program_out;  // write ends, for the program
  UniqueFd program_err;
  ControlChannel recorder;  // the recorder's end
  ControlChannel launcher;  // ours
};

Result<PumpSetup> prepare_pump(Pump& pump, const std::string& pattern) {
  int out[2];
  int err[2];
  auto recorder = ControlChannel::make_pair();
  auto launcher = ControlChannel::make_pair();
  if (!recorder || !launcher || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
    return Error{std::string("cannot make pipes for the program's output: ") + std::strerror(errno) + "."};
  pump.program_out.reset(out[1]);
  pump.program_err.reset(err[1]);
  pump.recorder = ControlChannel(std::move(recorder->first));
  pump.launcher = ControlChannel(std::move(launcher->first));
  return PumpSetup{UniqueFd(out[0]), UniqueFd(err[0]), ControlChannel(std::move(recorder->second)),
                   ControlChannel(std::move(launcher->second)), pattern};
}

Result<void> start_pump(PumpSetup setup) {
  const pid_t pid = fork();
  if (pid < 0) return Error{std::string("cannot start the pump of the program's output: ") + std::strerror(errno) + "."};
  if (pid == 0) run_output_pump(std::move(setup));
  return {};
}

// What the program has written is with the caller, and its phases with the recorder, before its end is told.
void wait_until_passed_on(const ControlChannel& pump) {
  if (pump.fd() < 0) return;
  pump.send({.kind = Message::Kind::first_ended});
  while (!pump.receive(-1)) {
  }
}

// Until the recorder has written what the first process did; as long as it works, however much that is.
void wait_until_flushed(const ControlChannel& control, const format::RunHeader& header, RecordOutcome& outcome) {
  std::uint32_t heartbeat = 0;
  for (int idle = 0; idle < kFlushPatienceSlices; ++idle) {
    if (const auto word = control.receive(kFlushSliceMs)) {
      if (word->kind == Message::Kind::flushed) {
        outcome.descendants_run_on = word->a != 0;
        if (!word->text.empty()) outcome.failure = Error{word->text};
        return;
      }
      if (word->kind == Message::Kind::note) outcome.notes.push_back(word->text);
      if (word->kind == Message::Kind::closed) break;
    }
    const std::uint32_t now = header.recorder_heartbeat.load(std::memory_order_relaxed);
    if (std::exchange(heartbeat, now) != now) idle = 0;
  }
  outcome.failure = Error{"the recorder ended before the program: the recording holds what was written until then."};
}

Bytes own_peak_rss() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Bytes>(usage.ru_maxrss) * 1024;
}

// Everything that is started before the program runs.
struct Started {
  PendingProgram program;
  ControlChannel control;
  ControlChannel pump;
  std::string recording;
};

Result<Started> start(Preparation& preparation, const RecordOptions& options) {
  Pump pump;
  std::optional<PumpSetup> pump_setup;
  if (options.phase_on) {
    Result<PumpSetup> setup = prepare_pump(pump, *options.phase_on);
    if (!setup) return setup.error();
    pump_setup = *std::move(setup);
    preparation.launch.stdout_fd = pump.program_out.get();
    preparation.launch.stderr_fd = pump.program_err.get();
  }
  Result<PendingProgram> program = PendingProgram::fork_program(preparation.launch);
  if (!program) return program.error();
  Result<Recording> recording = create_recording(options, program->pid());
  if (!recording) return recording.error();
  if (pump_setup) {
    if (const auto started = start_pump(*std::move(pump_setup)); !started) return started.error();
  }
  Result<ControlChannel> control = start_recorder(preparation, options, program->pid(), Recording{std::move(recording->file), recording->path},
                                                  std::move(pump.recorder));
  if (!control) return control.error();
  return Started{*std::move(program), *std::move(control), std::move(pump.launcher), recording->path};
}

}  // namespace

Result<RecordOutcome> record(const RecordOptions& options) {
  Result<Preparation> preparation = prepare(options);
  if (!preparation) return preparation.error();
  const Bytes rss_before_exec = own_peak_rss();
  Result<Started> started = start(*preparation, options);
  if (!started) {
    preparation->server.remove_file();
    return started.error();
  }
  const pid_t pid = started->program.pid();
  const ControlChannel& control = started->control;
  RecordOutcome outcome{.pid = static_cast<std::uint32_t>(pid), .recording = started->recording};

  const SignalRelay relay(pid);
  const Nanoseconds begin = monotonic_now();
  if (const Result<void> launched = started->program.go(options.command[0]); !launched) {
    control.send({.kind = Message::Kind::launch_failed});
    unlink(outcome.recording.c_str());
    return launched.error();
  }
  control.send({.kind = Message::Kind::launched, .a = pid});
  const ProgramEnd end = wait_for_program(pid);
  outcome.elapsed = monotonic_now() - begin;
  wait_until_passed_on(started->pump);
  // What the kernel counts since before the exec says nothing until the program was larger than we are.
  const Bytes max_rss = end.max_rss_bytes > rss_before_exec ? end.max_rss_bytes : 0;
  control.send({.kind = Message::Kind::first_ended, .a = end.wait_status, .b = max_rss});
  wait_until_flushed(control, preparation->region.header(), outcome);
  collect_program(pid);
  if (WIFSIGNALED(end.wait_status)) outcome.signal = WTERMSIG(end.wait_status);
  if (WIFEXITED(end.wait_status)) outcome.exit_status = WEXITSTATUS(end.wait_status);
  return outcome;
}

void end_like_program(const RecordOutcome& outcome) {
  if (outcome.signal == 0) std::exit(outcome.exit_status);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::fflush(nullptr);
  signal(outcome.signal, SIG_DFL);
  sigset_t unblocked;
  sigemptyset(&unblocked);
  sigaddset(&unblocked, outcome.signal);
  sigprocmask(SIG_UNBLOCK, &unblocked, nullptr);
  raise(outcome.signal);
  _exit(128 + outcome.signal);
}

}  // namespace memswell::capture
