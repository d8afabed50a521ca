#include "tests/hostile/nasty_recording.h"

#include "tests/hostile/forge.h"

namespace memswell::hostile {
namespace {

using namespace trace;

constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Address kHeap = 0x5555'0000'0000;
constexpr Address kMapped = 0x7f00'0000'0000;
constexpr Bytes kMiB = 1 << 20;

void introduce(RecordingWriter& to, const std::string& text) {
  to.write(RunInfo{.command = {text, text},
                   .working_directory = text,
                   .kernel = text,
                   .machine = text,
                   .libc = text,
                   .cpus = 2,
                   .memory_bytes = Bytes{8} << 30,
                   .environment = {text + "=" + text},
                   .huge_pages = text,
                   .memswell_version = text});
  to.write(ProcessBegin{{0}, 0, 100, 1, ProcessStart::exec, {}, false, text, {text, text}});
  to.write(ProcessBegin{{1}, 0, 101, 100, ProcessStart::exec, {}, false, text, {}});
  to.write(CaptureNote{{0}, Capture::full, "", text});
  to.write(CaptureNote{{1}, Capture::sampler, text, text});
  to.write(ThreadBegin{{0}, {0}, 100, 0});
  to.write(Module{{1}, text, {0xab, 0xcd}});
  to.write(Module{{2}, "/usr/lib/" + text, {}});
  to.write(ModuleMapping{{0}, {1}, 0, 0x1000, 0x9000, 0});
  to.write(ModuleSymbols{{1}, true, true, text});
  to.write(ModuleSymbols{{2}, false, false, text});
  for (std::uint32_t i = 1; i <= 6; ++i) {
    const Frame frame{{i % 2 + 1}, FrameKind::call, 0x100 * i};
    to.write(StackNode{{i}, {i - 1}, frame});
    if (i != 3) to.write(FrameSymbols{frame, {{text + std::to_string(i), text, i}, {text, text, 1}}});
  }
}

void take_snapshot(RecordingWriter& to, const std::string& text, Nanoseconds time, SnapshotCause cause) {
  to.write(Sample{{0}, time, 64 << 20, 1 << 20, 4096, 0, 2 << 20});
  to.write(PageSnapshot{.process = {0},
                        .time = time,
                        .cause = cause,
                        .phase = text,
                        .source = PageSource::pagemap_scan,
                        .consistent = true,
                        .runs = {{kHeap, kHeap + 0x100'000, 1}},
                        .own = {}});
  const std::string figures =
      "Size: 1024 kB\nKernelPageSize: 4 kB\nMMUPageSize: 4 kB\nRss: 1024 kB\nPss: 1024 kB\nPrivate_Dirty: 1024 kB\n";
  std::string name = text.substr(0, text.find('\n'));
  to.write(SmapsSnapshot{{0},
                         time,
                         cause,
                         "555500000000-555500100000 ---p 00000000 00:00 0 [rollup]\n" + figures,
                         "555500000000-555500100000 rw-p 00000000 08:01 7 /" + name + "\n" + figures +
                             "VmFlags: rd wr mr mw me ac\n",
                         "Name:\t" + name + "\nState:\tR (running)\nVmHWM:\t1024 kB\nVmRSS:\t1024 kB\n"});
}

void work(RecordingWriter& to, const std::string& text) {
  for (std::uint32_t phase = 0; phase < 3; ++phase) {
    const Nanoseconds time = (phase + 1) * kSecond;
    to.write(Mark{{0}, time, Mark::Kind::phase, text, 0});
    to.write(PhaseBoundary{{0}, {0}, time, text, 1 << 20, true, 0, 0});
    for (std::uint32_t i = 0; i < 40; ++i) {
      const Address at = kHeap + 0x10 + (phase * 40 + i) * 0x400;
      to.write(Allocation{{0}, {0}, time + i, at, 1000, 1000, {i % 6 + 1}, AllocationKind::malloc, 0});
      if (i % 3 == 0) to.write(Release{{0}, {0}, time + i, at, Release::Kind::free});
    }
    to.write(Mark{{0}, time + 100, Mark::Kind::value, text, -5});
    to.write(BlockNote{{0}, time + 100, BlockNote::Kind::used, kHeap + 0x410, 10});
    to.write(MappingEvent{{0}, {0}, time + 100, MappingEvent::Kind::map, kMapped + phase * kMiB, kMiB, {2}, 3, 0x22, false,
                          0, 0});
    take_snapshot(to, text, time + kSecond / 2, phase == 2 ? SnapshotCause::exit : SnapshotCause::phase);
  }
  to.write(ProcessEnd{.process = {0}, .time = 5 * kSecond, .reason = EndReason::exited, .code = 0, .lost_events = 3,
                      .peak_rss_bytes = 2 << 20});
  to.write(ProcessEnd{.process = {1}, .time = 5 * kSecond, .reason = EndReason::signalled, .signal = 9});
}

}  // namespace

const std::string kNasty =
    "\x1b]0;owned\x07\x1b[31m\n\r\t\x7f\xff\xc2\x9b\xe2\x80\xae\xef\xbb\xbf<script>alert('1')</script>\"`$(id)`;',\\=2+3 %s{}";

std::string recording_with(const std::string& text) {
  return recording_of([&](RecordingWriter& to) {
    introduce(to, text);
    to.flush();
    work(to, text);
    to.flush();
    to.write(RunEnd{6 * kSecond, false, text});
  });
}

}  // namespace memswell::hostile
