#include "capture/recorder.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "capture/call_start.h"
#include "capture/control_requests.h"
#include "capture/detached_process.h"
#include "capture/drain.h"
#include "capture/event_translator.h"
#include "capture/folding.h"
#include "capture/footprint.h"
#include "capture/image_table.h"
#include "capture/layout_table.h"
#include "capture/pipe_writer.h"
#include "capture/process_tracker.h"
#include "capture/run_info.h"
#include "capture/snapshot_taker.h"
#include "capture/stack_interner.h"
#include "trace/recording_writer.h"

namespace memswell::capture {
namespace {

constexpr Nanoseconds kMicrosecond = 1'000;
constexpr Nanoseconds kMillisecond = 1'000'000;
constexpr Nanoseconds kServiceInterval = kMillisecond;
constexpr Nanoseconds kHousekeepingInterval = 50 * kMillisecond;
constexpr Nanoseconds kSharingInterval = 10 * kMillisecond;
// What a killed recorder loses: a tenth of a second, or so few operations that their chunk would be mostly heads; those a second.
constexpr Nanoseconds kFlushInterval = 100 * kMillisecond;
constexpr Nanoseconds kLongestUnflushed = 1'000 * kMillisecond;
constexpr std::uint32_t kWorthAChunk = 64;

// Rings are looked at again before they are fuller than that, but not so often that the looking costs more than what comes.
constexpr double kWorthLooking = 0.25;
constexpr Nanoseconds kShortestRest = 50 * kMicrosecond;
constexpr Nanoseconds kLongestRest = kMillisecond;

// How long to sleep when nothing came for that long.
struct Rest {
  Nanoseconds idle_for;
  Nanoseconds sleep;
};
constexpr Rest kRests[] = {{100 * kMillisecond, 5 * kMillisecond},
                           {10 * kMillisecond, kMillisecond},
                           {kMillisecond, 100 * kMicrosecond},
                           {0, kShortestRest}};

class Recorder final : public ControlSink {
 public:
  explicit Recorder(RecorderSetup setup);
  void run();

  Emitted on_forking(Image& image, std::uint64_t stamp) override { return tracker_.on_forking(image, stamp); }
  void on_phase(Image& image, const std::string& name, Nanoseconds time) override {
    taker_.announce_phase(image, name, time);
  }
  void on_value(Image& image) override { taker_.announce_value(image); }
  void on_executing(Image& image, PendingExec exec) override {
    if (is_own_exec(image, exec)) taker_.announce_exit(image);
    tracker_.on_executing(image, std::move(exec));
  }
  void on_exec_failed(Image& image) override { tracker_.on_exec_failed(image); }
  void on_exiting(Image& image, std::uint8_t exit_kind) override {
    image.exit_kind = exit_kind;
    taker_.announce_exit(image);
  }

 private:
  // Else it is a child's, told in its parent's ring (vfork, posix_spawn).
  bool is_own_exec(const Image& image, const PendingExec& exec) const {
    return image.slot && exec.pid == region_.process(*image.slot).pid;
  }
  bool round();
  void service(Nanoseconds now);
  void housekeeping(Nanoseconds now);
  void hand_out_trackers();
  void take_messages();
  void take_message(const Message& message);
  void report_first_process();
  void flush(Nanoseconds now);
  void watch_disk();
  Nanoseconds next_rest(Nanoseconds now);  // 0: look again at once
  void rest(Nanoseconds now, Nanoseconds sleep);
  void finish_folding();
  void send_notes();
  void write_names();
  void finish();

  RecorderSetup setup_;
  Region& region_;
  StampClock clock_;
  trace::RecordingWriter writer_;
  Folding folding_;
  ModuleTable modules_;
  StackInterner stacks_;
  LayoutTable layouts_;
  CallStart calls_;
  ImageTable images_;
  EventTranslator translator_;
  Drain drain_;
  ProcessTracker tracker_;
  Footprint footprint_;
  SnapshotTaker taker_;
  ControlRequests requests_;

  bool never_launched_ = false;
  bool control_open_ = true;
  bool first_reported_ = false;
  bool disk_failed_ = false;
  std::uint32_t rings_wanted_ = 0;
  Nanoseconds last_round_ = 0;
  Nanoseconds last_words_ = 0;  // when something was last read from a ring
  Nanoseconds next_service_ = 0;
  Nanoseconds next_housekeeping_ = 0;
  Nanoseconds next_sharing_ = 0;
  Nanoseconds last_flush_ = 0;
  std::vector<pollfd> polled_;
  std::vector<OfferedTracker> offered_;  // their processes are not known yet
};

Recorder::Recorder(RecorderSetup setup)
    : setup_(std::move(setup)),
      region_(setup_.region),
      clock_(setup_.stamp_source, region_.header().stamp_counter),
      writer_(std::move(setup_.file)),
      folding_(writer_, setup_.options, setup_.path),
      modules_(writer_),
      stacks_(writer_),
      layouts_(region_, modules_, stacks_.frames()),
      calls_(region_, writer_, stacks_, setup_.options.start_on),
      images_(region_, writer_, calls_),
      translator_(writer_, clock_, stacks_, layouts_, calls_, *this),
      drain_(region_, clock_, images_, layouts_, translator_),
      tracker_(region_, clock_, images_, drain_),
      footprint_(region_, writer_, clock_, images_, calls_,
                 {.interval = setup_.options.interval,
                  .snapshots_at_peaks = setup_.options.snapshots.at_peaks,
                  .snapshots_at_phases = setup_.options.snapshots.at_phases,
                  .reset_peaks = setup_.options.reset_peaks}),
      taker_(region_, writer_, clock_, images_, drain_, footprint_, calls_),
      requests_(images_, taker_, writer_) {
  writer_.write(describe_run(setup_.options));
  if (!setup_.options.start_on.empty() || setup_.options.sample_bytes != 0)
    writer_.write(trace::RecordingMode{.start_on = setup_.options.start_on,
                                       .sample_bytes = setup_.options.sample_bytes,
                                       .always_bytes = format::kSampleAlwaysBytes});
  tracker_.expect_first(setup_.program, setup_.program_path, setup_.options.command, setup_.not_recorded_reason);
  writer_.flush();  // what was recorded, and where, stands in the file before the program runs
}

void Recorder::run() {
  setup_.control.send({.kind = Message::Kind::ready});
  while (!never_launched_ && !tracker_.all_ended()) {
    const bool answered = round();
    const Nanoseconds now = clock_.now();
    if (answered || drain_.fullest() > 0) last_words_ = now;
    if (now >= next_service_) service(now);
    if (const Nanoseconds sleep = answered ? 0 : next_rest(now); sleep != 0) rest(now, sleep);
  }
  finish();
}

// True: a program waited for an answer and got it.
bool Recorder::round() {
  tracker_.discover_slots();
  drain_.round();
  const bool asked = taker_.perform();
  const bool waited = taker_.answer_waiting();
  clock_.refresh();
  region_.header().recorder_heartbeat.fetch_add(1, std::memory_order_relaxed);
  return asked || waited;
}

// What costs system calls: not with every round.
void Recorder::service(Nanoseconds now) {
  next_service_ = now + kServiceInterval;
  setup_.attach_server.serve(region_.fd(), region_.bytes(), now);
  for (AttachedProgram& program : setup_.attach_server.take_attached()) tracker_.attached(std::move(program));
  tracker_.discover_slots();
  hand_out_trackers();
  take_messages();
  tracker_.finish_ended();
  report_first_process();
  footprint_.tick(now);
  images_.groups().look(now);
  requests_.handle(setup_.attach_server.take_requests());
  requests_.cut_intervals(now, setup_.options.phase_every);
  if (const std::uint32_t wanted = region_.header().rings_wanted.load(std::memory_order_relaxed); wanted != rings_wanted_) {
    rings_wanted_ = wanted;
    drain_.close_rings_of_ended_threads(Drain::EvenFew::yes);
  }
  folding_.tick(now);
  if (now >= next_sharing_) {
    next_sharing_ = now + kSharingInterval;
    region_.share_used_pages();
  }
  if (now >= next_housekeeping_) housekeeping(now);
}

// A tracker can be there before its process is known: a slot is found when it is live.
void Recorder::hand_out_trackers() {
  for (OfferedTracker& offered : setup_.attach_server.take_trackers()) offered_.push_back(std::move(offered));
  std::erase_if(offered_, [&](OfferedTracker& offered) {
    const auto& running = images_.running();
    const auto owner = std::ranges::find_if(
        running, [&](const auto& image) { return image->slot == offered.slot && !image->process_ended; });
    if (owner == running.end()) return false;
    (*owner)->writes = WriteTracker(std::move(offered.userfaultfd));
    return true;
  });
  if (constexpr std::size_t kMostWaiting = 256; offered_.size() > kMostWaiting) offered_.clear();
}

void Recorder::housekeeping(Nanoseconds now) {
  next_housekeeping_ = now + kHousekeepingInterval;
  tracker_.look_for_children();
  drain_.close_rings_of_ended_threads(Drain::EvenFew::no);
  layouts_.retire(drain_.rings().all());
  if (now - last_flush_ >= (writer_.pending() >= kWorthAChunk ? kFlushInterval : kLongestUnflushed)) flush(now);
  watch_disk();
}

void Recorder::flush(Nanoseconds now) {
  writer_.flush();
  last_flush_ = now;
}

// The programs live on; their hooks have nobody to wait for any more.
void Recorder::watch_disk() {
  if (disk_failed_ || writer_.failure() == nullptr) return;
  disk_failed_ = true;
  region_.header().enabled.store(0, std::memory_order_seq_cst);
}

void Recorder::take_messages() {
  while (setup_.pump.fd() >= 0) {
    const auto message = setup_.pump.receive(0);
    if (!message) break;
    if (message->kind != Message::Kind::phase) setup_.pump.close();
    if (message->kind == Message::Kind::phase) taker_.cut_phase(message->text, writer_of_pipe(images_, message->b));
  }
  while (control_open_) {
    const auto message = setup_.control.receive(0);
    if (!message) return;
    take_message(*message);
  }
}

void Recorder::take_message(const Message& message) {
  switch (message.kind) {
    case Message::Kind::launched: tracker_.first_launched(); return;
    case Message::Kind::launch_failed: never_launched_ = true; return;
    case Message::Kind::first_ended: tracker_.first_ended(static_cast<int>(message.a), message.b); return;
    case Message::Kind::closed:
      control_open_ = false;
      tracker_.launcher_is_gone();
      return;
    case Message::Kind::phase:
    case Message::Kind::ready:
    case Message::Kind::failed:
    case Message::Kind::note:
    case Message::Kind::flushed: return;
  }
}

void Recorder::report_first_process() {
  if (first_reported_ || !tracker_.first_is_finished()) return;
  first_reported_ = true;
  const bool others = !tracker_.all_ended();
  if (!others) return finish();
  writer_.flush();
  watch_disk();
  send_notes();
  setup_.control.send({.kind = Message::Kind::flushed,
                       .a = 1,
                       .text = writer_.failure() != nullptr ? writer_.failure()->sentence : std::string()});
}

Nanoseconds Recorder::next_rest(Nanoseconds now) {
  const Nanoseconds since_last = now - std::exchange(last_round_, now);
  const double fullest = drain_.fullest();
  if (fullest >= kWorthLooking) return 0;
  if (fullest > 0) {
    const auto until_worth_it = static_cast<Nanoseconds>(static_cast<double>(since_last) * kWorthLooking / fullest);
    return std::clamp(until_worth_it, kShortestRest, kLongestRest);
  }
  const Nanoseconds idle = now - std::min(now, last_words_);
  return std::find_if(std::begin(kRests), std::end(kRests), [&](const Rest& rest) { return idle >= rest.idle_for; })->sleep;
}

void Recorder::rest(Nanoseconds now, Nanoseconds sleep) {
  if (footprint_.next_tick() > now) sleep = std::min(sleep, footprint_.next_tick() - now);
  polled_.clear();
  setup_.attach_server.add_to(polled_);
  if (control_open_) polled_.push_back({setup_.control.fd(), POLLIN, 0});
  if (setup_.pump.fd() >= 0) polled_.push_back({setup_.pump.fd(), POLLIN, 0});
  for (const auto& image : images_.running())
    if (image->pidfd && !image->process_ended) polled_.push_back({image->pidfd.get(), POLLIN, 0});
  const timespec timeout{0, static_cast<long>(sleep)};
  if (ppoll(polled_.data(), polled_.size(), &timeout, nullptr) > 0) next_service_ = 0;
}

void Recorder::finish_folding() {
  for (; folding_.is_too_large(); std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    folding_.tick(clock_.now());
    region_.header().recorder_heartbeat.fetch_add(1, std::memory_order_relaxed);
  }
  folding_.abandon();
}

void Recorder::send_notes() {
  for (std::string& note : folding_.take_notes()) setup_.control.send({.kind = Message::Kind::note, .text = std::move(note)});
}

// Behind the end of the run: a recording without them is whole, its reader looks the names up on its own machine. Debug
// information can take seconds to read: the heart beats on for those who wait.
void Recorder::write_names() {
  if (!setup_.options.name_frames || writer_.failure() != nullptr) return;
  const std::jthread heart([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      region_.header().recorder_heartbeat.fetch_add(1, std::memory_order_relaxed);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  const FrameNames names = setup_.options.name_frames(modules_.modules(), stacks_.frames().frames());
  for (const trace::ModuleSymbols& module : names.modules) writer_.write(module);
  for (const trace::FrameSymbols& frame : names.frames) writer_.write(frame);
  writer_.flush();
}

// RunEnd is the recording's last event; names come after it.
void Recorder::finish() {
  region_.header().enabled.store(0, std::memory_order_seq_cst);
  finish_folding();
  if (!never_launched_) {
    trace::RunEnd end;
    end.time = clock_.now();
    end.complete = true;
    writer_.write(end);
    writer_.flush();
    write_names();
    send_notes();
    setup_.control.send({.kind = Message::Kind::flushed,
                         .a = 0,
                         .text = writer_.failure() != nullptr ? writer_.failure()->sentence : std::string()});
  }
  setup_.attach_server.remove_file();
  _exit(0);
}

// Limits are meant for the program; the recorder goes as far as it may. Each process takes three descriptors.
void lift_limits() {
  for (const auto resource : {RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0) continue;
    const rlimit none{RLIM_INFINITY, RLIM_INFINITY};
    limit.rlim_cur = limit.rlim_max;
    if (resource == RLIMIT_NOFILE || setrlimit(resource, &none) != 0) setrlimit(resource, &limit);
  }
}

}  // namespace

void run_recorder(RecorderSetup setup) {
  std::vector<int> kept = {setup.region.fd(), setup.control.fd(), setup.file.get(), setup.pump.fd()};
  setup.attach_server.add_descriptors_to(kept);
  detach_process("memswell-record", std::move(kept), StandardStreams::leave);
  prctl(PR_SET_TIMERSLACK, 1);
  lift_limits();
  if (const auto locked = setup.region.lock_recorder_mutex(); !locked) {
    setup.control.send({.kind = Message::Kind::failed, .text = locked.error().sentence});
    _exit(1);
  }
  Recorder(std::move(setup)).run();
  _exit(0);
}

}  // namespace memswell::capture
