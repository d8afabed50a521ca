// A program by dice: threads that allocate, free, reallocate, fail to, forget and forget twice; phases, samples, snapshots of
// the pages and a fork. The same seed gives the same events.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "trace/recording_writer.h"

namespace memswell::report::test {

class ProgramByDice {
 public:
  // `stacks_a_site`: so many stacks have the same function and line. `waves`: RSS rises and falls.
  struct Shape {
    std::uint64_t seed = 1;
    int operations = 20'000;
    std::uint32_t stacks_a_site = 1;
    bool waves = false;
    std::function<void(trace::RecordingWriter&, int)> between = {};  // called before each operation
    Bytes sample_bytes = 0;
  };

  ProgramByDice(trace::RecordingWriter& out, Shape shape) : out_(out), shape_(std::move(shape)), random_(shape_.seed) {}

  void run() {
    begin();
    for (int i = 0; i < shape_.operations; ++i) {
      if (shape_.between) shape_.between(out_, i);
      operation(i);
      if (i % 50 == 49) sample();
      if (i % 3'000 == 1'499) phase("phase " + std::to_string(i));
      if (i == shape_.operations / 3) fork();
      if (i == shape_.operations * 3 / 5) end(1);
    }
    snapshot(0, trace::SnapshotCause::exit, "");
    end(0);
    names();
  }

 private:
  static constexpr std::uint32_t kStacks = 40;
  static constexpr Address kHeap = 0x5555'5555'9000;
  struct Live {
    Address address;
    Bytes requested;
  };

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }
  static Bytes usable(Bytes requested) { return std::max<Bytes>(24, (requested + 8 + 15) / 16 * 16 - 8); }
  Nanoseconds now() { return time_ += 1'000 + pick(20'000); }

  void begin() {
    trace::RunInfo info;
    info.command = {"dice"};
    info.libc = "glibc 2.36";
    info.kernel = "6.18.0";
    info.cpus = 2;
    out_.write(info);
    if (shape_.sample_bytes != 0) out_.write(trace::RecordingMode{.start_on = "", .sample_bytes = shape_.sample_bytes, .always_bytes = 4096});
    out_.write(trace::ProcessBegin{{0}, 100, 42, 1, trace::ProcessStart::exec, {0}, false, "/bin/dice", {"dice"}});
    out_.write(trace::CaptureNote{{0}, trace::Capture::full, "", "glibc 2.36"});
    for (std::uint32_t i = 0; i < 2; ++i) out_.write(trace::ThreadBegin{{0}, {i}, 42 + i, 100});
    out_.write(trace::Module{{1}, "/bin/dice", {0xab}});
    for (std::uint32_t i = 1; i <= kStacks; ++i)
      out_.write(trace::StackNode{{i}, {0}, {{1}, trace::FrameKind::call, 0x100 * i}});
  }

  void names() {
    out_.write(trace::RunEnd{time_, true, ""});
    for (std::uint32_t i = 1; i <= kStacks; ++i) {
      const std::uint32_t site = i / shape_.stacks_a_site;
      out_.write(trace::FrameSymbols{{{1}, trace::FrameKind::call, 0x100 * i}, {{"f" + std::to_string(site), "dice.c", site}}});
    }
  }

  void allocate(std::uint32_t process, trace::AllocationKind kind, Bytes requested, Address address, Address replaced) {
    out_.write(trace::Allocation{{process}, thread(process), now(), address, requested, usable(requested), {1 + pick(kStacks)},
                                 kind, replaced});
    live_[process].push_back({address, requested});
  }
  void release(std::uint32_t process, Address address, trace::Release::Kind kind) {
    out_.write(trace::Release{{process}, thread(process), now(), address, kind});
  }
  ThreadIndex thread(std::uint32_t process) const { return {process == 0 ? thread_ : 2}; }
  Address fresh() { return kHeap + 0x10 + 0x400 * (next_++ % 4'000); }
  Bytes size() { return pick(20) == 0 ? 600 + pick(400) : 1 + pick(200); }
  Live take(std::uint32_t process) {
    std::vector<Live>& live = live_[process];
    std::swap(live[pick(static_cast<std::uint32_t>(live.size()))], live.back());
    const Live taken = live.back();
    live.pop_back();
    return taken;
  }

  void operation(int i) {
    thread_ = pick(7) == 0 ? 1 - thread_ : thread_;
    const std::uint32_t process = child_ && pick(3) == 0 ? 1 : 0;
    std::vector<Live>& live = live_[process];
    const std::uint32_t dice = pick(100);
    if (live.size() < 20 || (dice < 40 && live.size() < 900)) {
      allocate(process, dice % 5 == 0 ? trace::AllocationKind::calloc : trace::AllocationKind::malloc, size(), fresh(), 0);
    } else if (dice < 80) {
      release(process, take(process).address, trace::Release::Kind::free);
    } else if (dice < 92) {
      const Live old = take(process);
      release(process, old.address, trace::Release::Kind::realloc);
      if (dice < 82) {
        release(process, old.address, trace::Release::Kind::realloc_failed);
        live.push_back(old);
      } else {
        const Address to = dice < 86 ? old.address : fresh();
        allocate(process, trace::AllocationKind::realloc, size(), to, old.address);
      }
    } else if (dice < 94) {  // its free was missed
      const Live old = take(process);
      allocate(process, trace::AllocationKind::malloc, size(), old.address, 0);
    } else if (dice < 95) {
      release(process, 0x1234'5670, trace::Release::Kind::free);
    } else if (dice < 97) {
      const Live& block = live[pick(static_cast<std::uint32_t>(live.size()))];
      out_.write(trace::BlockNote{{process}, now(), trace::BlockNote::Kind::used, block.address, pick(static_cast<std::uint32_t>(block.requested) + 1)});
    } else if (dice < 98) {
      out_.write(trace::BlockNote{{process}, now(), pick(2) == 0 ? trace::BlockNote::Kind::pool_free : trace::BlockNote::Kind::pool_alloc,
                                  live[pick(static_cast<std::uint32_t>(live.size()))].address, 16});
    } else if (dice < 99) {
      trace::MappingEvent map{{process}, thread(process), now(), pick(3) == 0 ? trace::MappingEvent::Kind::unmap : trace::MappingEvent::Kind::map,
                              Address{0x7f00'0000'0000} + Address{0x1'0000} * pick(30), 0x8000, {1 + pick(kStacks)}, 3, 0x22, false, 0, 0};
      out_.write(map);
    } else {
      out_.write(trace::Mark{{process}, now(), trace::Mark::Kind::value, "queue", i});
    }
  }

  Bytes rss() { return (Bytes{4} << 20) + (shape_.waves ? (Bytes{1} << 14) * ((time_ / 20'000'000) % 400) : 0); }
  void sample() {
    for (std::uint32_t process = 0; process <= (child_ ? 1u : 0u); ++process)
      out_.write(trace::Sample{{process}, now(), Bytes{20} << 20, rss(), Bytes{1} << 20, 4096, rss() + 8192});
  }
  void phase(const std::string& name) {
    out_.write(trace::Mark{{0}, now(), trace::Mark::Kind::phase, name, 0});
    for (std::uint32_t process = 0; process <= (child_ ? 1u : 0u); ++process) {
      out_.write(trace::PhaseBoundary{{process}, {0}, time_, name, rss() + 4096, true, 4096, 0});
      snapshot(process, trace::SnapshotCause::phase, name);
    }
  }
  void snapshot(std::uint32_t process, trace::SnapshotCause cause, const std::string& phase) {
    trace::PageSnapshot pages;
    pages.process = {process};
    pages.time = now();
    pages.cause = cause;
    pages.phase = phase;
    pages.source = trace::PageSource::pagemap_scan;
    pages.consistent = true;
    for (Address page = kHeap; page < kHeap + 0x400'000; page += 0x3000) pages.runs.push_back({page, page + 0x2000, 1});
    out_.write(pages);
    trace::SmapsSnapshot smaps;
    smaps.process = {process};
    smaps.time = pages.time;
    smaps.cause = cause;
    smaps.smaps =
        "555555559000-555555959000 rw-p 00000000 00:00 0 [heap]\nSize: 4096 kB\nRss: 2736 kB\nPss: 2736 kB\n"
        "Shared_Clean: 0 kB\nShared_Dirty: 0 kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: 2736 kB\nAnonymous: 2736 kB\n"
        "VmFlags: rd wr mr mw me ac \n";
    out_.write(smaps);
  }
  void fork() {
    child_ = true;
    out_.write(trace::ProcessBegin{{1}, now(), 43, 42, trace::ProcessStart::fork, {0}, true, "/bin/dice", {"dice"}});
    out_.write(trace::ThreadBegin{{1}, {2}, 43, time_});
    live_[1] = live_[0];
  }
  void end(std::uint32_t process) {
    if (process == 1) child_ = false;
    trace::ProcessEnd event;
    event.process = {process};
    event.time = now();
    event.reason = trace::EndReason::exited;
    event.code = 0;
    event.peak_rss_bytes = Bytes{12} << 20;
    out_.write(event);
  }

  trace::RecordingWriter& out_;
  Shape shape_;
  std::mt19937_64 random_;
  std::map<std::uint32_t, std::vector<Live>> live_;
  std::uint64_t next_ = 0;
  std::uint32_t thread_ = 0;
  bool child_ = false;
  Nanoseconds time_ = 1'000;
};

}  // namespace memswell::report::test
