// Begins the corpora of recording, columns and reports: recordings of a few events, one for each theme, so that an
// execution takes milliseconds.
//
//   hostile_seeds CORPUS
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "tests/hostile/forge.h"
#include "tests/hostile/nasty_recording.h"
#include "tests/hostile/whole_report.h"

namespace {

namespace fs = std::filesystem;
using namespace memswell;
using namespace memswell::trace;

constexpr Address kHeap = 0x5555'0000'0000;
constexpr Nanoseconds kSecond = 1'000'000'000;

void begin(RecordingWriter& to) {
  RunInfo info;
  info.command = {"p"};
  info.kernel = "6.1";
  info.libc = "glibc 2.36";
  info.cpus = 2;
  to.write(info);
  to.write(ProcessBegin{{0}, 0, 100, 1, ProcessStart::exec, {}, false, "/bin/p", {"p"}});
  to.write(CaptureNote{{0}, Capture::full, "", "glibc 2.36"});
  to.write(ThreadBegin{{0}, {0}, 100, 0});
  to.write(Module{{1}, "/bin/p", {1, 2}});
  to.write(ModuleMapping{{0}, {1}, 0, 0x1000, 0x9000, 0});
  to.write(StackNode{{1}, {0}, {{1}, FrameKind::call, 0x100}});
  to.write(StackNode{{2}, {1}, {{1}, FrameKind::call, 0x200}});
  to.write(FrameSymbols{{{1}, FrameKind::call, 0x100}, {{"main", "p.c", 1}}});
  to.write(FrameSymbols{{{1}, FrameKind::call, 0x200}, {{"inlined", "p.c", 2}, {"work", "p.c", 3}}});
}

void end(RecordingWriter& to) {
  to.write(ProcessEnd{.process = {0}, .time = 5 * kSecond, .reason = EndReason::exited, .code = 0, .peak_rss_bytes = 1 << 20});
  to.write(RunEnd{5 * kSecond, true, ""});
}

void allocate(RecordingWriter& to, std::uint32_t n, Nanoseconds time = kSecond) {
  to.write(Allocation{{0}, {0}, time, kHeap + 0x400 * n, 1000, 1008, {n % 2 + 1}, AllocationKind::malloc, 0});
}
void release(RecordingWriter& to, std::uint32_t n, Release::Kind kind = Release::Kind::free) {
  to.write(Release{{0}, {0}, 2 * kSecond, kHeap + 0x400 * n, kind});
}

void snapshot(RecordingWriter& to, Nanoseconds time, SnapshotCause cause, const std::string& phase = {}) {
  const std::string figures = "Rss: 64 kB\nPss: 64 kB\nPrivate_Dirty: 64 kB\nAnonymous: 64 kB\nLazyFree: 4 kB\n";
  to.write(PageSnapshot{.process = {0}, .time = time, .cause = cause, .phase = phase, .source = PageSource::pagemap_scan,
                        .consistent = true, .runs = {{kHeap, kHeap + 0x8000, 1}, {kHeap + 0xa000, kHeap + 0xc000, 0x301}},
                        .own = {{0x10000, 0x11000}}});
  to.write(SmapsSnapshot{{0}, time, cause, "", "555500000000-555500010000 rw-p 00000000 00:00 0 [heap]\n" + figures,
                         "VmHWM:\t64 kB\nVmRSS:\t64 kB\n"});
}

void blocks(RecordingWriter& to) {
  for (std::uint32_t n = 0; n < 6; ++n) allocate(to, n);
  for (std::uint32_t n = 0; n < 6; n += 2) release(to, n);
}

void reallocations(RecordingWriter& to) {
  allocate(to, 0);
  release(to, 0, Release::Kind::realloc);
  to.write(Allocation{{0}, {0}, 2 * kSecond, kHeap + 0x8000, 5000, 5000, {1}, AllocationKind::realloc, kHeap});
  release(to, 0x20, Release::Kind::realloc);
  release(to, 0x20, Release::Kind::realloc_failed);
  to.write(Allocation{{0}, {0}, 2 * kSecond, kHeap + 64, 100, 104, {2}, AllocationKind::aligned, 0});
}

void pages(RecordingWriter& to) {
  for (std::uint32_t n = 0; n < 40; ++n) allocate(to, n);
  to.write(Sample{{0}, kSecond, 1 << 20, 65536, 4096, 0, 65536});
  snapshot(to, kSecond, SnapshotCause::periodic);
  for (std::uint32_t n = 0; n < 39; ++n) release(to, n);
  snapshot(to, 3 * kSecond, SnapshotCause::exit);
}

void phases(RecordingWriter& to) {
  for (std::uint32_t i = 1; i < 5; ++i) {
    allocate(to, i, i * kSecond);
    to.write(Mark{{0}, i * kSecond, Mark::Kind::phase, i % 2 != 0 ? "load" : "serve", 0});
    to.write(PhaseBoundary{{0}, {0}, i * kSecond, i % 2 != 0 ? "load" : "serve", 65536, true, 4096, 0});
    snapshot(to, i * kSecond, SnapshotCause::phase, "load");
    to.write(Mark{{0}, i * kSecond + 1, Mark::Kind::value, "users", 5});
  }
}

void samples(RecordingWriter& to) {
  for (std::uint32_t i = 0; i < 16; ++i) {
    to.write(Sample{{0}, i * kSecond / 4, 1 << 20, 4096 * (1 + (i % 8) * 64), 4096, 4096, 0});
    allocate(to, i, i * kSecond / 4);
    if (i % 8 == 7) release(to, i - 3);
  }
}

void family(RecordingWriter& to) {
  allocate(to, 1);
  to.write(ProcessBegin{{1}, kSecond, 101, 100, ProcessStart::fork, {0}, true, "/bin/p", {"p"}});
  to.write(ThreadBegin{{1}, {1}, 101, kSecond});
  to.write(Allocation{{1}, {1}, kSecond, kHeap + 0x4000, 10, 24, {1}, AllocationKind::operator_new, 0});
  to.write(Release{{1}, {1}, kSecond, kHeap + 0x400, Release::Kind::free});
  to.write(ProcessEnd{.process = {1}, .time = 2 * kSecond, .reason = EndReason::replaced_by_exec});
  to.write(ProcessBegin{{2}, 2 * kSecond, 101, 100, ProcessStart::exec, {1}, true, "/bin/q", {"q"}});
  to.write(CaptureNote{{2}, Capture::sampler, "static", ""});
  to.write(GroupMemory{{2}, 3 * kSecond, 1 << 20, 1000, 2000, 3000, 6000});
  to.write(ProcessEnd{.process = {2}, .time = 3 * kSecond, .reason = EndReason::oom_killed, .signal = 9});
}

void late_start(RecordingWriter& to) {
  to.write(RecordingMode{"serve", 0, 0});
  to.write(StackNode{{3}, {0}, {{0}, FrameKind::earlier, 0}});
  to.write(CallTotals{{0}, kSecond, 10, 1000, 3, 1, 7, 700, 800, 900, kSecond / 2, 50});
  to.write(CallsBegin{{0}, kSecond, true, {{kHeap, 100, 104, 5}}});
  to.write(EarlierBlocks{{0}, {3}, false, {{kHeap, 100, 104, 5}, {kHeap + 0x400, 1000, 1008, 6}}});
  release(to, 1);
}

void sampling(RecordingWriter& to) {
  to.write(RecordingMode{"", 512 << 10, 4 << 20});
  for (std::uint32_t n = 0; n < 4; ++n) allocate(to, n);
  to.write(CallTotals{{0}, 4 * kSecond, 100, 100'000, 30, 0, 70, 70'000, 80'000, 90'000, kSecond, 0});
}

void mappings(RecordingWriter& to) {
  using Kind = MappingEvent::Kind;
  constexpr Address kAt = 0x7f00'0000'0000;
  to.write(MappingEvent{{0}, {0}, kSecond, Kind::map, kAt, 0x10000, {1}, 3, 0x22, false, 0, 0});
  to.write(MappingEvent{{0}, {0}, kSecond, Kind::remap, kAt + 0x20000, 0x20000, {2}, 0, 0, false, kAt, 0x10000});
  to.write(MappingEvent{{0}, {0}, kSecond, Kind::advise, kAt + 0x20000, 0x1000, {0}, 0, 4, false, 0, 0});
  to.write(MappingEvent{{0}, {0}, kSecond, Kind::heap_break, kHeap + 0x21000, 0, {1}, 0, 0, false, kHeap, 0});
  to.write(MappingEvent{{0}, {0}, kSecond, Kind::unmap, kAt + 0x30000, 0x1000, {0}, 0, 0, false, 0, 0});
  allocate(to, 1);
  to.write(BlockNote{{0}, kSecond, BlockNote::Kind::used, kHeap + 0x400, 10});
  to.write(BlockNote{{0}, kSecond, BlockNote::Kind::pool_free, kHeap + 0x480, 100});
  to.write(BlockNote{{0}, kSecond, BlockNote::Kind::pool_alloc, kHeap + 0x480, 50});
  snapshot(to, 2 * kSecond, SnapshotCause::exit);
}

struct Theme {
  const char* name;
  void (*write)(RecordingWriter&);
};
constexpr Theme kThemes[] = {{"blocks", blocks},   {"reallocations", reallocations}, {"pages", pages},
                             {"phases", phases},   {"samples", samples},             {"family", family},
                             {"late_start", late_start}, {"sampling", sampling},     {"mappings", mappings}};

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
  std::printf("%s: %zu bytes\n", path.c_str(), bytes.size());
}

void write_all(const fs::path& corpus, const std::string& name, const std::string& recording, std::size_t command) {
  const std::string columns = hostile::flat(hostile::columns_of(recording));
  write(corpus / "recording" / name, recording);
  write(corpus / "columns" / name, columns);
  write(corpus / "reports" / name, static_cast<char>(command % hostile::renderers().size()) + columns);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::size_t command = 0;
  for (const Theme& theme : kThemes) {
    write_all(argv[1], theme.name, hostile::recording_of([&](RecordingWriter& to) {
                begin(to);
                theme.write(to);
                end(to);
              }), command++);
  }
  write_all(argv[1], "names", hostile::recording_with("n"), command);
}
