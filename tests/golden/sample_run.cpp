#include "golden/sample_run.h"

namespace memswell {
namespace {

using analysis::Owner;

constexpr Bytes kMiB = 1 << 20;
constexpr Nanoseconds kSecond = 1'000'000'000;

analysis::NamedFrame frame(const char* module, std::uint64_t offset, std::vector<trace::SourceFrame> levels,
                           bool plumbing = false) {
  return {{ModuleId{1}, trace::FrameKind::call, offset}, module, std::move(levels), plumbing};
}

// 1 main; 2 main > parse_object (with an inlined caller) > malloc; 3 main > make_index > operator new;
// 4 main > "evil" > malloc; 5 main > unnamed > malloc
analysis::StackTable sample_stacks() {
  analysis::StackTable table;
  table.frames = {
      frame("/usr/bin/indexer", 0x1100, {{"main", "/src/main.c", 12}}),
      frame("/usr/bin/indexer", 0x1200, {{"parse_string", "/src/json.c", 131}, {"parse_object", "/src/json.c", 120}}),
      frame("/lib/libc.so.6", 0x9000, {{"malloc", "", 0}}, true),
      frame("/usr/bin/indexer", 0x1300, {{"make_index", "/src/index.c", 77}}),
      frame("/lib/libstdc++.so.6", 0xa000, {{"operator new(unsigned long)", "", 0}}, true),
      frame("/usr/bin/indexer", 0x1400, {{"evil\x1b]0;owned\x07\nname\xff", "/src/e\x1bvil.c", 3}}),
      frame("/usr/lib/libstripped.so.2", 0x4a10, {{"", "", 0}}),
  };
  table.stacks = {{StackId{0}, 0}, {StackId{0}, 0}, {StackId{1}, 1}, {StackId{2}, 2}, {StackId{1}, 3}, {StackId{4}, 4},
                  {StackId{1}, 5}, {StackId{6}, 2}, {StackId{1}, 6}, {StackId{8}, 2}};
  return table;
}

analysis::Figures figures(std::uint64_t calls, Bytes allocated, Bytes at_peak, std::uint64_t live_blocks, Bytes live) {
  analysis::Figures f;
  f.calls = calls;
  f.allocated_bytes = allocated;
  f.frees = calls - live_blocks;
  f.temporary = calls / 10;
  f.live_blocks = live_blocks;
  f.live_bytes = live;
  f.slack_bytes = live / 20;
  f.peak_live_bytes = at_peak + at_peak / 8;
  f.live_at_peak_bytes = at_peak;
  f.live_at_peak_blocks = at_peak / 64;
  f.slack_at_peak_bytes = at_peak / 25;
  return f;
}

analysis::Site site(const char* function, const char* file, std::uint32_t line, const char* module,
                    analysis::Figures f, StackId example) {
  analysis::Site s;
  s.function = function;
  s.file = file;
  s.line = line;
  s.module = module;
  s.offset = 0x4a10;
  s.figures = f;
  s.example = example;
  return s;
}

void add_sites(analysis::ProcessReport& process) {
  process.sites = {
      site("parse_object", "/src/json.c", 120, "/usr/bin/indexer", figures(900'000, 200 * kMiB, 140 * kMiB, 0, 0), {3}),
      site("make_index", "/src/index.c", 77, "/usr/bin/indexer", figures(300'000, 96 * kMiB, 96 * kMiB, 300'000, 80 * kMiB), {5}),
      site("evil\x1b]0;owned\x07\nname\xff", "/src/e\x1bvil.c", 3, "/usr/bin/indexer", figures(4'331, 41 * kMiB, 41 * kMiB, 1, 64), {7}),
      site("", "", 0, "/usr/lib/libstripped.so.2", figures(10, 24 * kMiB, 24 * kMiB, 10, 8 * kMiB), {9}),
  };
  process.sites[1].untouched_bytes = 50 * kMiB;
  process.sites[2].pinned_bytes = 40 * kMiB;
  const StackId stacks[] = {{3}, {5}, {7}, {9}};
  for (std::uint32_t i = 0; i < 4; ++i) {
    process.stacks.push_back({stacks[i], process.sites[i].figures});
    process.site_of_stack.push_back({i});
  }
}

analysis::LedgerSnapshot snapshot(const char* at, Nanoseconds time, std::vector<Bytes> mebibytes) {
  analysis::LedgerSnapshot s;
  s.at = at;
  s.time_ns = time;
  s.source = trace::PageSource::pagemap_scan;
  s.consistent = true;
  s.heap_exact = true;
  Bytes sum = 0;
  for (std::size_t i = 0; i < analysis::kOwners; ++i) {
    s.rows.push_back({static_cast<Owner>(i), mebibytes[i] * kMiB});
    sum += mebibytes[i] * kMiB;
  }
  s.own_bytes = 2 * kMiB;
  s.rss_bytes = sum;
  s.smaps_rss_bytes = sum + s.own_bytes;
  s.private_dirty_bytes = sum - 9 * kMiB;
  return s;
}

void add_snapshots(analysis::ProcessReport& process) {
  //                                          live slack head trim pin cache pool map stack file shm krn unknown
  process.snapshots = {snapshot("peak", 7'888'000'000, {301, 12, 18, 6, 40, 5, 0, 20, 1, 9, 0, 0, 0}),
                       snapshot("exit", 12'380'000'000, {88, 4, 6, 2, 40, 2, 0, 20, 1, 9, 0, 0, 0})};
  process.snapshots[0].cause = trace::SnapshotCause::peak;
  process.snapshots[0].phase = "load";
  process.snapshots[0].live_blocks = 1'204'331;
  process.snapshots[0].live_bytes = 301 * kMiB;
  process.snapshots[0].usable_bytes = 313 * kMiB;
  process.snapshots[0].beside.untouched_bytes = 50 * kMiB;
  process.snapshots[0].difference_bytes = -4096;  // a page that left while the snapshot was taken
  process.snapshots[0].smaps_rss_bytes -= 4096;
  process.snapshots[0].rss_bytes -= 4096;
  process.snapshots[0].sites = {{.site = {0}, .live_bytes = 140 * kMiB, .live_blocks = 900'000, .resident_bytes = 140 * kMiB},
                                {.site = {1}, .live_bytes = 96 * kMiB, .live_blocks = 300'000, .resident_bytes = 46 * kMiB,
                                 .untouched_bytes = 50 * kMiB, .mapped_bytes = 20 * kMiB}};
  process.snapshots[1].cause = trace::SnapshotCause::exit;
  process.snapshots[1].phase = "load";
  process.snapshots[1].live_blocks = 300'011;
  process.snapshots[1].page_bytes_returnable = 2 * kMiB;
  process.snapshots[1].sites = {{.site = {2}, .live_bytes = 64, .live_blocks = 1, .resident_bytes = 64,
                                 .pinned_bytes = 40 * kMiB, .returns_bytes = 39 * kMiB, .returns_known = true}};
  process.snapshots[1].files = {{"/usr/bin/indexer", 5 * kMiB, kMiB}, {"/lib/libc.so.6", 3 * kMiB, 0}};
  process.snapshots[1].arenas = {{0x5555'0000'0000, 0x5555'2000'0000, 142 * kMiB, 88 * kMiB, 44 * kMiB, 4 * kMiB, 300'011, true, {}}};
  process.peak_snapshot = 0;
  process.exit_snapshot = 1;
}

analysis::SmapsFigures smaps_of(Bytes rss) {
  analysis::SmapsFigures f;
  f.size_bytes = rss + 100 * kMiB;
  f.rss_bytes = rss;
  f.pss_bytes = rss - 1 * kMiB;
  f.shared_clean_bytes = 1600 * 1024;
  f.private_clean_bytes = 4 * 1024;
  f.private_dirty_bytes = rss - 1604 * 1024;
  return f;
}

void add_timeline(analysis::ProcessReport& process) {
  constexpr Bytes kRss[] = {4, 40, 120, 200, 260, 320, 380, 412, 300, 210, 172, 172};
  constexpr Bytes kLive[] = {0, 30, 90, 150, 200, 250, 290, 301, 180, 90, 88, 88};
  for (std::size_t i = 0; i < std::size(kRss); ++i) {
    analysis::TimelineRow row;
    row.time_ns = 100'000'000 + i * 1'116'000'000;
    row.size_bytes = (kRss[i] + 100) * kMiB;
    row.rss_bytes = kRss[i] * kMiB;
    row.own_bytes = 2 * kMiB;
    row.requested_bytes = kLive[i] * kMiB;
    row.usable_bytes = (kLive[i] + kLive[i] / 25) * kMiB;
    row.live_blocks = kLive[i] * 4000;
    if (i % 3 == 0) row.smaps = smaps_of(row.rss_bytes);
    process.timeline.push_back(row);
  }
  process.timeline[3].mark = "load";
  process.timeline[6].values = {{"string", 1'024'000}, {"rows", 17}};
  process.timeline[6].mappings = {{0x5555'0000'0000, 0x5555'2000'0000, "rw-p", "[heap]", false, smaps_of(300 * kMiB)},
                                  {0x7fff'0000'0000, 0x7fff'0010'0000, "rw-s", "/memfd:memswell (deleted)", true, {}}};
}

void add_phases(analysis::ProcessReport& process) {
  analysis::Phase start;
  start.name = "start";
  start.announced_by = 4711;
  start.end_ns = 3'448'000'000;
  start.begin_rss_bytes = 4 * kMiB;
  start.end_rss_bytes = 200 * kMiB;
  start.private_dirty_known = true;
  start.begin_private_dirty_bytes = kMiB;
  start.end_private_dirty_bytes = 198 * kMiB;
  start.peak_rss_bytes = 201 * kMiB;
  start.peak_rss_exact = true;
  start.peak_private_dirty_bytes = 198 * kMiB;
  start.end_live_bytes = 150 * kMiB;
  start.peak_live_bytes = 151 * kMiB;
  start.calls = 600'000;
  analysis::Phase load = start;
  load.name = "load";
  load.begin_ns = start.end_ns;
  load.end_ns = 12'380'000'000;
  load.begin_rss_bytes = 200 * kMiB;
  load.begin_private_dirty_bytes = 198 * kMiB;
  load.begin_live_bytes = 150 * kMiB;
  load.end_rss_bytes = 172 * kMiB;
  load.end_private_dirty_bytes = 163 * kMiB;
  load.peak_rss_bytes = 412 * kMiB;
  load.peak_rss_exact = false;
  load.peak_private_dirty_bytes = 403 * kMiB;
  load.end_live_bytes = 88 * kMiB;
  load.peak_live_bytes = 301 * kMiB;
  load.calls = 604'341;
  process.phases = {start, load};
}

void add_story(analysis::ProcessReport& process) {
  analysis::Pulse pulse;
  pulse.begin_ns = 3'448'000'000;
  pulse.peak_ns = 7'900'000'000;
  pulse.end_ns = 11'260'000'000;
  pulse.begin_rss_bytes = 200 * kMiB;
  pulse.peak_rss_bytes = 412 * kMiB;
  pulse.end_rss_bytes = 172 * kMiB;
  pulse.rise_bytes = 212 * kMiB;
  pulse.fall_bytes = 240 * kMiB;
  pulse.phase = "load";
  pulse.exact = true;
  pulse.sentence = "RSS rose by 212.0 MiB to 412.0 MiB and fell by 240.0 MiB.";
  pulse.comparison = "It peaked 42.0 MiB above the pulse before.";
  pulse.causes = {{analysis::PulseCause::Of::rise, Owner::heap_live, analysis::SiteIndex{0}, 120 * std::int64_t{kMiB}, "parse_object (json.c:120) allocated it"},
                  {analysis::PulseCause::Of::fall, Owner::heap_live, analysis::SiteIndex{0}, -140 * std::int64_t{kMiB}, "parse_object (json.c:120) freed all of its blocks"},
                  {analysis::PulseCause::Of::stays, Owner::heap_pinned, analysis::SiteIndex{2}, 40 * std::int64_t{kMiB}, "free, on pages that a live block shares"}};
  process.pulses = {pulse};
  analysis::Finding pinned;
  pinned.kind = analysis::FindingKind::pinned;
  pinned.effect = analysis::Effect::lowers_what_stays;
  pinned.phase = "load";
  pinned.bytes = 40 * kMiB;
  pinned.site = analysis::SiteIndex{2};
  pinned.sentence = "40.0 MiB were freed but cannot be returned.";
  pinned.cause = "One live block of 64 bytes lies above them.";
  pinned.remedy = "allocate that block before the others, or free it.";
  pinned.saves_bytes = 39 * kMiB;
  pinned.evidence = {{"pinned_bytes", 40 * std::int64_t{kMiB}, analysis::Unit::bytes}, {"survivors", 1, analysis::Unit::count}};
  analysis::Finding untouched;
  untouched.kind = analysis::FindingKind::overallocated_untouched;
  untouched.certainty = analysis::Certainty::lower_bound;
  untouched.bytes = 50 * kMiB;
  untouched.site = analysis::SiteIndex{1};
  untouched.sentence = "50.0 MiB allocated by make_index (index.c:77) were never touched: address space, not memory.";
  process.findings = {pinned, untouched};
}

analysis::ProcessReport indexer() {
  analysis::ProcessReport process;
  process.pid = 4711;
  process.ppid = 4700;
  process.command = {"/usr/bin/indexer", "--in", "big file.json"};
  process.executable = "/usr/bin/indexer";
  process.allocator = "glibc 2.36";
  process.end_ns = 12'400'000'000;
  process.exit = {trace::EndReason::exited, 0, 0};
  add_sites(process);
  add_snapshots(process);
  add_timeline(process);
  add_phases(process);
  add_story(process);
  analysis::ProcessTotals& totals = process.totals;
  totals.figures = figures(1'204'341, 361 * kMiB, 301 * kMiB, 300'011, 88 * kMiB);
  totals.live_blocks_at_exit = 300'011;
  totals.live_bytes_at_exit = 88 * kMiB + 64;
  totals.peak_live_bytes = 301 * kMiB;
  totals.peak_live_blocks = 1'204'331;
  totals.peak_live_ns = 7'900'000'000;
  totals.peak_rss_bytes = 412 * kMiB + 600 * 1024;
  totals.peak_rss_ns = 7'900'000'000;
  totals.peak_rss_sampled_bytes = 412 * kMiB;
  totals.peak_private_dirty_bytes = 403 * kMiB;
  totals.end_known = true;
  totals.end_rss_bytes = 172 * kMiB;
  totals.end_private_dirty_bytes = 163 * kMiB;
  totals.own_peak_bytes = 2 * kMiB;
  totals.threads = 2;
  totals.unnamed_at_peak_bytes = 24 * kMiB;
  totals.unnamed_module = "/usr/lib/libstripped.so.2";
  totals.unnamed_note = "install libstripped2-dbgsym";
  process.lifetimes.blocks[2] = 600'000;
  process.lifetimes.bytes[2] = 100 * kMiB;
  return process;
}

analysis::ProcessReport sampled_child() {
  analysis::ProcessReport process;
  process.index = {1};
  process.pid = 4712;
  process.ppid = 4711;
  process.start = trace::ProcessStart::exec;
  process.command = {"busybox", "gzip"};
  process.capture = trace::Capture::sampler;
  process.capture_reason = "busybox is linked statically: there is no loader that could preload memswell's hooks.";
  process.begin_ns = 12 * kSecond;
  process.end_ns = 12'300'000'000;
  process.exit = {trace::EndReason::signalled, -1, 9};
  process.totals.peak_rss_bytes = 3 * kMiB;
  process.phases = {{.name = "start", .announced_by = 4712, .begin_ns = 12 * kSecond, .end_ns = 12'300'000'000}};
  return process;
}

}  // namespace

analysis::RunReport sample_run() {
  analysis::RunReport run;
  run.command = {"indexer", "--in", "big file.json"};
  run.working_directory = "/home/user";
  run.started_unix_ns = 1'796'000'000'000'000'000;
  run.duration_ns = 12'400'000'000;
  run.kernel = "6.1.0-18-amd64";
  run.machine = "Some CPU @ 3.00GHz";
  run.libc = "glibc 2.36";
  run.cpus = 2;
  run.memory_bytes = Bytes{8} << 30;
  run.environment = {"MALLOC_ARENA_MAX=2"};
  run.huge_pages = "madvise";
  run.sample_interval_ns = 20'000'000;
  run.max_depth = 256;
  run.memswell_version = "0.1.0";
  run.exit = {trace::EndReason::exited, 0, 0};
  run.recording.complete = true;
  run.recording.events = 2'108'671;
  run.stacks = sample_stacks();
  run.processes = {indexer(), sampled_child()};
  run.tree_peak = {12'100'000'000, 415 * kMiB, 416 * kMiB, 2};
  return run;
}

analysis::RunReport improved_run() {
  analysis::RunReport run = sample_run();
  run.duration_ns = 3'900'000'000;
  run.environment = {};
  analysis::ProcessReport& process = run.processes[0];
  process.totals.figures.calls = 1'200'010;
  process.totals.figures.allocated_bytes = 320 * kMiB;
  process.totals.peak_live_bytes = 260 * kMiB;
  process.totals.peak_rss_bytes = 300 * kMiB;
  process.totals.end_rss_bytes = 131 * kMiB;
  process.snapshots[0].rows[0].bytes = 260 * kMiB;
  process.snapshots[1].rows[4].bytes = 0;
  process.sites[2].figures = {};
  return run;
}

}  // namespace memswell
