#include "tests/hostile/bombs.h"

#include <algorithm>
#include <functional>

#include "tests/hostile/forge.h"

namespace memswell::hostile {
namespace {

using namespace trace;

constexpr std::uint64_t kRound = 1 << 16;      // events between looks at the size
constexpr std::size_t kLongText = 15 << 20;    // a record goes in pieces above 4 MiB, up to 64 MiB
constexpr std::uint64_t kMostRounds = 4096;
constexpr std::uint64_t kFewRounds = 64;       // of long lists, which are slow to write: a smaller file that asks for as much

// Writes rounds until the file has its size. A round may be long: the last one is cut off.
std::string grown(Bytes at_most, const std::function<void(RecordingWriter&, std::uint64_t)>& round,
                  std::uint64_t most_rounds = kMostRounds) {
  std::string bytes = recording_of([&](RecordingWriter& to) {
    to.write(RunInfo{});
    to.write(ProcessBegin{{0}, 0, 100, 1, ProcessStart::exec, {}, false, "/bin/bomb", {"bomb"}});
    to.write(ThreadBegin{{0}, {0}, 100, 0});
    to.write(Module{{1}, "/bin/bomb", {}});
    to.flush();
    for (std::uint64_t i = 0; i < most_rounds && to.bytes_written() < at_most; ++i) round(to, i);
  });
  bytes.resize(std::min<std::size_t>(bytes.size(), at_most));
  return bytes;
}

template <class Write>
std::string many(Bytes at_most, Write write) {
  return grown(at_most, [&](RecordingWriter& to, std::uint64_t round) {
    for (std::uint64_t i = 0; i < kRound; ++i) write(to, round * kRound + i);
  });
}

std::string live_blocks(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    to.write(Allocation{{0}, {0}, 0, 0x1000 + 32 * i, 24, 24, {0}, AllocationKind::malloc, 0});
  });
}

// No stack of them is deeper than can be recorded.
std::string stack_nodes(Bytes at_most) {
  constexpr std::uint32_t kWidth = 1024;
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    to.write(StackNode{{id}, {id > kWidth ? id - kWidth : 0}, {{1}, FrameKind::call, 8 * i}});
  });
}

std::string sites(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    to.write(StackNode{{id}, {0}, {{1}, FrameKind::call, 8 * i}});
    to.write(Allocation{{0}, {0}, 0, 0x1000 + 32 * i, 24, 24, {id}, AllocationKind::malloc, 0});
  });
}

std::string samples(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) { to.write(Sample{{0}, 1000 * i, 4096, 4096, 0, 0, 0}); });
}

std::string phases(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    to.write(PhaseBoundary{{0}, {0}, 1000 * i, "p", 4096, true, 0, 0});
  });
}

std::string values(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    to.write(Mark{{0}, 1000 * i, Mark::Kind::value, "v", 1});
  });
}

std::string processes(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    to.write(ProcessBegin{{static_cast<std::uint32_t>(i + 1)}, 0, 100, 1, ProcessStart::exec, {}, false, "", {}});
  });
}

std::string modules(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    to.write(Module{{static_cast<std::uint32_t>(i + 2)}, "/lib/a.so", {}});
    to.write(ModuleMapping{{0}, {1}, 0, 4096 * i, 4096 * i + 4096, 0});
  });
}

std::string mappings(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    to.write(MappingEvent{{0}, {0}, 0, MappingEvent::Kind::map, 8192 * i, 4096, {0}, 3, 0x22, false, 0, 0});
  });
}

std::string long_names(Bytes at_most) {
  const std::string name(kLongText, 'x');
  return grown(at_most, [&](RecordingWriter& to, std::uint64_t i) {
    to.write(FrameSymbols{{{1}, FrameKind::call, i}, {{name, name, 1}}});
    to.write(PhaseBoundary{{0}, {0}, i, name, 4096, true, 0, 0});
    to.write(Mark{{0}, i, Mark::Kind::value, name, 1});
  });
}

std::string smaps_texts(Bytes at_most) {
  std::string text;
  while (text.size() < kLongText) text += "0-1000 rw-p 0 0:0 0\nRss: 4 kB\n";
  return grown(at_most, [&](RecordingWriter& to, std::uint64_t i) {
    to.write(SmapsSnapshot{{0}, i, SnapshotCause::periodic, "", text, ""});
  });
}

std::string page_runs(Bytes at_most) {
  PageSnapshot pages;
  pages.source = PageSource::pagemap_scan;
  for (Address at = 0; at < Address{4'000'000} * 8192; at += 8192) pages.runs.push_back({at, at + 4096, 1});
  return grown(at_most, [&](RecordingWriter& to, std::uint64_t i) {
    pages.time = i;
    to.write(pages);
    to.write(SmapsSnapshot{{0}, i, SnapshotCause::periodic, "", "0-7fffffff000 rw-p 0 0:0 0\nRss: 4 kB\n", ""});
  }, kFewRounds);
}

// One stack that is as deep as the file allows, and blocks at every depth: what prints stacks prints each frame of each.
std::string deep_stacks(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    to.write(StackNode{{id}, {id - 1}, {{1}, FrameKind::call, 8 * (i % 64)}});
    to.write(Allocation{{0}, {0}, 0, 0x1000 + 32 * i, 24, 24, {id}, AllocationKind::malloc, 0});
  });
}

std::string inlined_levels(Bytes at_most) {
  const std::vector<SourceFrame> levels(1'000'000);
  return grown(at_most, [&](RecordingWriter& to, std::uint64_t i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    to.write(StackNode{{id}, {id - 1}, {{1}, FrameKind::call, 8 * i}});
    to.write(FrameSymbols{{{1}, FrameKind::call, 8 * i}, levels});
    to.write(Allocation{{0}, {0}, 0, 0x1000 + 32 * i, 24, 24, {id}, AllocationKind::malloc, 0});
  }, kFewRounds);
}

std::string threads(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    const auto id = static_cast<std::uint32_t>(i + 1);
    to.write(ThreadBegin{{0}, {id}, id, 0});
    to.write(Allocation{{0}, {id}, 0, 0x1000 + 32 * i, 24, 24, {0}, AllocationKind::malloc, 0});
  });
}

// Each far from all others: what is remembered by place.
std::string scattered_blocks(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    const Address at = (i + 1) << 24;
    to.write(Allocation{{0}, {0}, 0, at, 24, 24, {0}, AllocationKind::malloc, 0});
    to.write(Release{{0}, {0}, 0, at, Release::Kind::free});
  });
}

std::string pool_notes(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    to.write(BlockNote{{0}, 0, BlockNote::Kind::pool_free, 64 * i, 64});
  });
}

std::vector<EarlierBlock> blocks_from_before() {
  std::vector<EarlierBlock> blocks;
  for (Address at = 1; at <= 1'000'000; ++at) blocks.push_back({at << 24, 24, 24, 0});
  return blocks;
}

std::string earlier_blocks(Bytes at_most) {
  EarlierBlocks earlier{{0}, {0}, false, blocks_from_before()};
  return grown(at_most, [&](RecordingWriter& to, std::uint64_t) {
    to.write(earlier);
    for (EarlierBlock& block : earlier.blocks) block.address += 64;
  }, kFewRounds);
}

std::string stretches_seen(Bytes at_most) {
  CallsBegin begin{{0}, 0, true, blocks_from_before()};
  return grown(at_most, [&](RecordingWriter& to, std::uint64_t) {
    to.write(begin);
    for (EarlierBlock& block : begin.seen) block.address += Address{1} << 45;
  }, kFewRounds);
}

std::string call_totals(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    to.write(CallTotals{{0}, 1000 * i, i, i, i, 0, i, i, i, i, 1000 * i, 0});
    to.write(GroupMemory{{0}, 1000 * i, 1, 1, 1, 1, 1});
  });
}

std::string words(Bytes at_most) {
  return grown(at_most, [](RecordingWriter& to, std::uint64_t i) {
    RunInfo info;
    info.command.assign(1'000'000, "");
    info.environment.assign(1'000'000, "");
    to.write(info);
    const auto id = static_cast<std::uint32_t>(i + 1);
    to.write(ProcessBegin{{id}, 0, 100, 1, ProcessStart::exec, {}, false, "", std::vector<std::string>(1'000'000)});
    to.write(CaptureNote{{id}, Capture::sampler, std::string(kLongText, 'x'), std::string(kLongText, 'x')});
  }, kFewRounds);
}

std::string own_ranges(Bytes at_most) {
  PageSnapshot pages;
  pages.source = PageSource::pagemap_scan;
  pages.own.assign(4'000'000, {0x1000, 0x2000});
  return grown(at_most, [&](RecordingWriter& to, std::uint64_t i) {
    pages.time = i;
    to.write(pages);
    to.write(SmapsSnapshot{{0}, i, SnapshotCause::periodic, "", "1000-2000 rw-p 0 0:0 0\nRss: 4 kB\n", ""});
  }, kFewRounds);
}

// Readings with many mappings each; every name is another.
std::string mapped_names(Bytes at_most) {
  std::string text;
  for (int i = 0; text.size() < kLongText; ++i)
    text += std::to_string(i) + "000-" + std::to_string(i) + "fff rw-p 0 0:0 0 /a" + std::to_string(i) + "\nRss: 4 kB\n";
  PageSnapshot pages;
  pages.source = PageSource::pagemap_scan;
  return grown(at_most, [&](RecordingWriter& to, std::uint64_t i) {
    pages.time = i;
    pages.cause = SnapshotCause::phase;
    to.write(pages);
    to.write(SmapsSnapshot{{0}, i, SnapshotCause::phase, "", text, ""});
  }, kFewRounds);
}

// What is kept for each of one kind times each of another.

void write_live_site(RecordingWriter& to, std::uint64_t i) {
  const auto id = static_cast<std::uint32_t>(i + 1);
  to.write(StackNode{{id}, {0}, {{1}, FrameKind::call, 8 * i}});
  to.write(Allocation{{0}, {0}, 0, 0x10000 + 4096 * i, 24, 24, {id}, AllocationKind::malloc, 0});
}

std::string sites_by_phases(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    if (i < kRound) return write_live_site(to, i);
    to.write(PhaseBoundary{{0}, {0}, 1000 * i, "p", 4096, true, 0, 0});
  });
}

// Each snapshot has every block on a page of its own.
std::string sites_by_snapshots(Bytes at_most) {
  PageSnapshot pages;
  pages.source = PageSource::pagemap_scan;
  pages.runs.push_back({0x10000, 0x10000 + 4096 * kRound, 1});
  return many(at_most, [&](RecordingWriter& to, std::uint64_t i) {
    if (i < kRound) return write_live_site(to, i);
    pages.time = 1000 * i;
    to.write(pages);
    to.write(SmapsSnapshot{{0}, pages.time, SnapshotCause::periodic, "", "10000-10010000 rw-p 0 0:0 0\nRss: 262144 kB\n", ""});
  });
}

std::string blocks_by_forks(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    if (i < kRound) return write_live_site(to, i);
    const auto child = static_cast<std::uint32_t>(i - kRound + 1);
    to.write(ProcessBegin{{child}, 0, 100, 1, ProcessStart::fork, {0}, true, "", {}});
  });
}

std::string processes_by_phases(Bytes at_most) {
  return many(at_most, [](RecordingWriter& to, std::uint64_t i) {
    const auto child = static_cast<std::uint32_t>(i % 1000 + 1);
    if (i < 1000) return to.write(ProcessBegin{{child}, 0, 100 + child, 1, ProcessStart::exec, {}, false, "", {}});
    to.write(PhaseBoundary{{child}, {0}, 1000 * i, "p", 4096, true, 0, 0});
  });
}

constexpr Bomb kBombs[] = {{"live blocks", live_blocks}, {"stack nodes", stack_nodes}, {"sites", sites},
                           {"samples", samples},         {"phases", phases},           {"values", values},
                           {"processes", processes},     {"modules", modules},         {"mappings", mappings},
                           {"long names", long_names},   {"smaps texts", smaps_texts}, {"page runs", page_runs},
                           {"deep stacks", deep_stacks}, {"inlined levels", inlined_levels},
                           {"threads", threads},         {"scattered blocks", scattered_blocks},
                           {"pool notes", pool_notes},   {"earlier blocks", earlier_blocks},
                           {"stretches seen", stretches_seen}, {"call totals", call_totals},
                           {"words", words},             {"own ranges", own_ranges},
                           {"mapped names", mapped_names},
                           {"sites by phases", sites_by_phases},
                           {"sites by snapshots", sites_by_snapshots},
                           {"blocks by forks", blocks_by_forks},
                           {"processes by phases", processes_by_phases}};

}  // namespace

std::span<const Bomb> bombs() { return kBombs; }

}  // namespace memswell::hostile
