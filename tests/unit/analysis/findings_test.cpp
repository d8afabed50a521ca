#include "tests/unit/analysis/findings_by_hand.h"

namespace memswell::analysis {
namespace {

using test::FindingsTest;
using test::kMiB;

TEST_F(FindingsTest, NothingNotableGivesNothing) {
  snapshot("start");
  EXPECT_TRUE(all().empty());
}

TEST_F(FindingsTest, TrimmableNamesTheBlockOnTop) {
  phase("freed", 10, 20);
  LedgerSnapshot& after = snapshot("freed");
  row(after, Owner::heap_trimmable) = 97 * kMiB;
  after.live_bytes = 1000;
  after.live_blocks = 1;
  after.arenas.push_back({});
  after.arenas[0].main = true;
  after.arenas[0].live_blocks = 1;
  after.free_pieces = 1;
  after.piece_holder = SiteIndex{0};
  after.piece_holder_bytes = 1000;
  const Finding finding = only(FindingKind::trimmable);
  EXPECT_EQ(finding.sentence,
            "97.0 MiB are free inside the heap in phase \"freed\" but stay resident, in whole pages, in one piece below a "
            "live block of work (prog.c:5) (1000 bytes); the "
            "program's blocks there are 1000 B (1).");
  EXPECT_NE(finding.cause.find("the highest of work (prog.c:5)"), std::string::npos);
  EXPECT_NE(finding.remedy.find("malloc_trim(0)"), std::string::npos);
  EXPECT_EQ(finding.saves_bytes, 97 * kMiB);
  EXPECT_EQ(finding.certainty, Certainty::exact);
}

TEST_F(FindingsTest, ARaisedMmapThresholdIsNamedAsTheCause) {
  process_.totals.largest_returned_mapping_bytes = 4 * kMiB;
  process_.sites[0].figures.large_heap_calls = 10;
  LedgerSnapshot& after = snapshot("start");
  row(after, Owner::heap_trimmable) = 30 * kMiB;
  after.largest_piece_bytes = 3 * kMiB;
  EXPECT_NE(only(FindingKind::trimmable).remedy.find("mmap_threshold=131072"), std::string::npos);
  environment_ = {"MALLOC_MMAP_THRESHOLD_=4194304"};
  EXPECT_EQ(only(FindingKind::trimmable).remedy.find("mmap_threshold"), std::string::npos)
      << "a threshold that is set does not rise";
}

TEST_F(FindingsTest, PinnedBytesNameTheSurvivorsAndWhatWouldComeBack) {
  LedgerSnapshot& after = snapshot("start");
  row(after, Owner::heap_pinned) = 40 * kMiB;
  SiteShare& survivors = share(after);
  survivors.pinned_bytes = 30 * kMiB;
  survivors.live_blocks = 7;
  survivors.returns_known = true;
  survivors.returns_bytes = 25 * kMiB;
  const Finding finding = only(FindingKind::pinned);
  EXPECT_EQ(finding.saves_bytes, 25 * kMiB);
  EXPECT_EQ(finding.site, SiteIndex{0});
  EXPECT_NE(finding.remedy.find("malloc_trim(0) would return 25.0 MiB more"), std::string::npos);
}

TEST_F(FindingsTest, ArenasThatKeepTheirPeaksAreOneFinding) {
  process_.totals.peak_live_bytes = 15 * kMiB;
  LedgerSnapshot& after = snapshot("start");
  row(after, Owner::heap_trimmable) = 88 * kMiB;
  for (int i = 0; i < 6; ++i) {
    ArenaRow arena;
    arena.resident_bytes = 15 * kMiB;
    arena.free_bytes = arena.trimmable_bytes = 14 * kMiB;
    arena.live_blocks = 1;
    after.arenas.push_back(arena);
  }
  const Finding finding = only(FindingKind::arenas);
  EXPECT_EQ(finding.saves_bytes, 84 * kMiB);
  EXPECT_NE(finding.remedy.find("MALLOC_ARENA_MAX=1"), std::string::npos);
  EXPECT_NE(finding.remedy.find("about 15.0 MiB resident instead of 90.0 MiB"), std::string::npos);
  EXPECT_EQ(only(FindingKind::trimmable).bytes, 4 * kMiB) << "what lies in the arenas is said once";
}

TEST_F(FindingsTest, TinyBlocksTellTheirOverhead) {
  LedgerSnapshot& peak = snapshot("start");
  SiteShare& tiny = share(peak);
  tiny.live_blocks = 1'000'000;
  tiny.live_bytes = 12'500'000;
  tiny.slack_bytes = 11'500'000;
  const Finding finding = only(FindingKind::tiny_blocks);
  EXPECT_EQ(finding.bytes, 19'500'000u);
  EXPECT_NE(finding.sentence.find("61 %"), std::string::npos);
}

TEST_F(FindingsTest, AnotherAllocatorsCacheHasItsOwnRemedy) {
  process_.allocator = "jemalloc";
  row(snapshot("start"), Owner::heap_cached) = 46 * kMiB;
  EXPECT_NE(only(FindingKind::allocator_cache).remedy.find("dirty_decay_ms:0"), std::string::npos);
  process_.allocator = "mimalloc";
  EXPECT_NE(only(FindingKind::allocator_cache).remedy.find("MIMALLOC_RESET_DELAY=0"), std::string::npos);
  process_.allocator = "tcmalloc";
  EXPECT_NE(only(FindingKind::allocator_cache).remedy.find("TCMALLOC_AGGRESSIVE_DECOMMIT"), std::string::npos);
}

TEST_F(FindingsTest, ATransientPeakNamesWhoIsGoneAfter) {
  process_.totals.peak_rss_bytes = 165 * kMiB;
  Window& spike = window(0, 10);
  spike.peak_live_bytes = 160 * kMiB;
  spike.sites.push_back({});
  spike.sites[0].live_at_peak_bytes = 150 * kMiB;
  window(10, 20);
  const Finding finding = only(FindingKind::transient_peak);
  EXPECT_EQ(finding.saves_bytes, 150 * kMiB);
  EXPECT_EQ(finding.effect, Effect::lowers_peak);
}

TEST_F(FindingsTest, GrowthIsToldByThePhase) {
  process_.phases.clear();
  for (Nanoseconds i = 0; i < 4; ++i) {
    phase("round", i * 10, i * 10 + 10);
    Window& round = window(i * 10, i * 10 + 10);
    round.sites.push_back({});
    round.sites[0].live_bytes = (i + 1) * 10 * kMiB;
  }
  const Finding finding = only(FindingKind::growth);
  EXPECT_EQ(finding.bytes, 30 * kMiB);
  EXPECT_NE(finding.sentence.find("grow by 10.0 MiB in each of 3 phases"), std::string::npos);
}

TEST_F(FindingsTest, WithoutPhasesGrowthIsToldByEvenStretches) {
  const Bytes levels[] = {3, 6, 9, 12, 16, 19, 22, 25};
  for (Nanoseconds i = 0; i < 8; ++i) {
    Window& stretch = window(i * 1'000'000'000, (i + 1) * 1'000'000'000);
    stretch.sites.push_back({});
    stretch.sites[0].live_bytes = levels[i] * kMiB;
  }
  EXPECT_FALSE(has(FindingKind::growth)) << "windows between pulses are no even stretches";
  for (const Window& stretch : windows_) stretches_.push_back(stretch.end_ns);
  const Finding finding = only(FindingKind::growth);
  EXPECT_EQ(finding.bytes, 22 * kMiB);
  EXPECT_NE(finding.sentence.find("grow by 3.1 MiB in each of 7 stretches of 1.0 s"), std::string::npos) << finding.sentence;
  windows_[0].sites[0].live_bytes = 0;
  windows_[1].sites[0].live_bytes = 20 * kMiB;
  windows_[2].sites[0].live_bytes = 20 * kMiB + 512 * 1024;
  windows_[3].sites[0].live_bytes = 21 * kMiB;
  windows_[4].sites[0].live_bytes = 21 * kMiB + 512 * 1024;
  windows_[5].sites[0].live_bytes = 22 * kMiB;
  EXPECT_FALSE(has(FindingKind::growth)) << "loaded first, then at work";
}

TEST_F(FindingsTest, UnfreedIsNotCalledALeak) {
  process_.totals.live_bytes_at_exit = 5 * kMiB;
  process_.sites[0].figures.live_bytes = 5 * kMiB;
  const Finding finding = only(FindingKind::unfreed);
  EXPECT_EQ(finding.effect, Effect::informs);
  EXPECT_EQ(finding.saves_bytes, 0u);
}

TEST_F(FindingsTest, AGrowingBufferNeedsOldAndNewAtOnce) {
  Site& site = process_.sites[0];
  site.growth_steps = 6;
  site.figures.calls = 7;
  site.largest_block_bytes = 64 * kMiB;
  site.figures.peak_live_bytes = 96 * kMiB;
  const Finding finding = only(FindingKind::realloc_growth);
  EXPECT_EQ(finding.saves_bytes, 32 * kMiB);
  site.figures.peak_live_bytes = 64 * kMiB;
  EXPECT_FALSE(has(FindingKind::realloc_growth)) << "realloc in place or by mremap";
}

TEST_F(FindingsTest, UntouchedCapacityCostsNothing) {
  SiteShare& reserved = share(snapshot("start"));
  reserved.live_bytes = 128 * kMiB;
  reserved.resident_bytes = reserved.untouched_bytes = 64 * kMiB;
  const Finding finding = only(FindingKind::overallocated_untouched);
  EXPECT_EQ(finding.bytes, 64 * kMiB);
  EXPECT_EQ(finding.saves_bytes, 0u);
}

TEST_F(FindingsTest, UntouchedMemoryOfCallocIsLazy) {
  process_.sites[0].figures.calloc_bytes = process_.sites[0].figures.allocated_bytes = 50 * kMiB;
  SiteShare& lazy = share(snapshot("start"));
  lazy.live_bytes = 50 * kMiB;
  lazy.resident_bytes = 8192;
  EXPECT_EQ(only(FindingKind::lazy_calloc).bytes, 50 * kMiB - 8192);
  EXPECT_FALSE(has(FindingKind::overallocated_untouched));
}

TEST_F(FindingsTest, WhatCallocGaveAndWasWrittenLaterIsSaidToo) {
  process_.sites[0].figures.calloc_bytes = process_.sites[0].figures.allocated_bytes = 50 * kMiB;
  process_.phases[0].name = "load";
  phase("work", 10, 20);
  snapshot("work").cause = trace::SnapshotCause::phase;
  SiteShare& lazy = share(process_.snapshots[0]);
  lazy.live_bytes = lazy.untouched_bytes = 50 * kMiB;
  snapshot("work").time_ns = 20;
  share(process_.snapshots[1]).resident_bytes = 25 * kMiB;
  EXPECT_EQ(only(FindingKind::lazy_calloc).sentence,
            "calloc handed out 50.0 MiB at work (prog.c:5), of which 0 B are resident at the begin of phase \"work\", and "
            "25.0 MiB in phase \"work\".");
}

TEST_F(FindingsTest, AFreeListThatWasToldIsExactAndOneThatLooksLikeItIsNot) {
  row(snapshot("start"), Owner::pool_idle) = 20 * kMiB;
  EXPECT_EQ(only(FindingKind::free_list).certainty, Certainty::exact);
}

TEST_F(FindingsTest, BlocksOfTheFirstPassThatServeAllLaterOnesLookLikeAFreeList) {
  process_.sites[0].figures.allocated_bytes = 94 * kMiB;
  process_.phases.clear();
  for (Nanoseconds i = 0; i < 3; ++i) {
    phase("fill-" + std::to_string(i + 1), i * 10, i * 10 + 10).allocated_bytes = i == 0 ? 294 * kMiB : 200 * kMiB;
    Window& pass = window(i * 10, i * 10 + 10);
    if (i != 0) continue;
    pass.sites.push_back({});
    pass.sites[0].calls = 1000;
    pass.sites[0].allocated_bytes = 94 * kMiB;
    pass.sites[0].live_bytes = 94 * kMiB;
  }
  const Finding finding = only(FindingKind::free_list);
  EXPECT_EQ(finding.certainty, Certainty::inference);
  EXPECT_NE(finding.sentence.find("looks like a free list"), std::string::npos);
  windows_[1].sites.push_back({});
  windows_[1].sites[0].frees = 5;
  EXPECT_FALSE(has(FindingKind::free_list)) << "something of it was freed";
}

// A queue: filled in one phase, drained in the phase between two of the same name.
TEST_F(FindingsTest, BlocksThatGoBetweenTwoPassesAreNoFreeList) {
  process_.sites[0].figures.allocated_bytes = 30 * kMiB;
  process_.phases.clear();
  phase("drained-1", 0, 10).allocated_bytes = 30 * kMiB;
  phase("backlog-2", 10, 20);
  phase("drained-2", 20, 30);
  Window& filled = window(0, 10);
  filled.sites.push_back({});
  filled.sites[0].calls = 30000;
  filled.sites[0].allocated_bytes = filled.sites[0].live_bytes = 30 * kMiB;
  Window& drained = window(10, 20);
  drained.sites.push_back({});
  drained.sites[0].frees = 30000;
  window(20, 30);
  EXPECT_FALSE(has(FindingKind::free_list));
}

TEST_F(FindingsTest, FilesSharedMemoryStacksAndMappingsAreTold) {
  LedgerSnapshot& peak = snapshot("start");
  peak.rss_bytes = 100 * kMiB;
  row(peak, Owner::files) = 20 * kMiB;
  peak.files.push_back({"/data/big", 20 * kMiB, 0});
  EXPECT_NE(only(FindingKind::file_pages).sentence.find("big (20.0 MiB clean"), std::string::npos);
  row(peak, Owner::files) = 0;
  row(peak, Owner::shared) = 20 * kMiB;
  EXPECT_TRUE(has(FindingKind::shared_memory));
  row(peak, Owner::shared) = 0;
  row(peak, Owner::stacks) = 20 * kMiB;
  EXPECT_TRUE(has(FindingKind::stacks));
  row(peak, Owner::stacks) = 0;
  row(peak, Owner::mapped) = 20 * kMiB;
  share(peak).mapped_bytes = 20 * kMiB;
  EXPECT_EQ(only(FindingKind::mapped_memory).site, SiteIndex{0});
}

TEST_F(FindingsTest, LargeArraysOfTheProgramAreTold) {
  process_.executable = "/usr/bin/prog";
  LedgerSnapshot& peak = snapshot("start");
  peak.rss_bytes = 27 * kMiB;
  row(peak, Owner::files) = 26 * kMiB;
  peak.files.push_back({"/usr/bin/prog (bss)", 0, 15 * kMiB});
  peak.files.push_back({"/usr/bin/prog", kMiB, 10 * kMiB, 10 * kMiB});
  const Finding finding = only(FindingKind::file_pages);
  EXPECT_NE(finding.cause.find("25.0 MiB are variables of the program"), std::string::npos) << finding.cause;
  EXPECT_NE(finding.cause.find("most of them in prog (bss)"), std::string::npos) << finding.cause;
  peak.files[0].dirty_bytes = peak.files[1].dirty_bytes = kMiB / 2;
  peak.files[1].clean_bytes = 9 * kMiB;
  row(peak, Owner::files) = 10 * kMiB;
  EXPECT_FALSE(has(FindingKind::file_pages)) << "every program has some";
}

TEST_F(FindingsTest, LazilyFreedMemoryIsGivenBackAlready) {
  smaps_row(5).smaps->lazy_free_bytes = 64 * kMiB;
  EXPECT_EQ(only(FindingKind::lazily_freed).bytes, 64 * kMiB);
}

TEST_F(FindingsTest, ReservedAddressSpaceIsNoMemory) {
  smaps_row(5).size_bytes = Bytes{24} << 30;
  EXPECT_EQ(only(FindingKind::reserved_address_space).effect, Effect::informs);
}

TEST_F(FindingsTest, HugePagesAreCounted) {
  smaps_row(5).smaps->huge_bytes = 128 * kMiB;
  EXPECT_NE(only(FindingKind::huge_pages).sentence.find("64 pages of 2 MiB"), std::string::npos);
}

TEST_F(FindingsTest, AForkedChildThatWritesCopiesSharedPages) {
  process_.start = trace::ProcessStart::fork;
  smaps_row(5).smaps->shared_dirty_bytes = 80 * kMiB;
  smaps_row(6).smaps->private_dirty_bytes = 40 * kMiB;
  const Finding finding = only(FindingKind::copy_on_write);
  EXPECT_NE(finding.cause.find("Private dirty grows by 40.0 MiB while live blocks grow by 0 B"), std::string::npos);
}

TEST_F(FindingsTest, AnInnerAllocatorIsNamedUnlessItIsSwitchedOff) {
  process_.executable = "/usr/bin/python3.11";
  row(snapshot("start"), Owner::mapped) = 60 * kMiB;
  EXPECT_NE(only(FindingKind::inner_allocator).remedy.find("PYTHONMALLOC=malloc"), std::string::npos);
  environment_ = {"PYTHONMALLOC=malloc"};
  EXPECT_FALSE(has(FindingKind::inner_allocator));
}

TEST_F(FindingsTest, APeakBetweenSamplesNamesItsSite) {
  process_.phases[0].peak_rss_bytes = 155 * kMiB;
  process_.phases[0].peak_rss_exact = true;
  smaps_row(5).rss_bytes = 2 * kMiB;
  Window& whole = window(0, 10);
  whole.peak_live_bytes = 150 * kMiB;
  whole.sites.push_back({});
  whole.sites[0].live_at_peak_bytes = 150 * kMiB;
  const Finding finding = only(FindingKind::peak_between_samples);
  EXPECT_EQ(finding.bytes, 153 * kMiB);
  EXPECT_EQ(finding.site, SiteIndex{0});
}

TEST_F(FindingsTest, WhatAPhaseDidNotWriteIsTold) {
  phase("serve", 10, 20);
  LedgerSnapshot& at_end = snapshot("end");
  at_end.cause = trace::SnapshotCause::phase;
  at_end.time_ns = 20;
  at_end.beside.idle_bytes = 40 * kMiB;
  SiteShare& parked = share(at_end);
  parked.idle_bytes = 30 * kMiB;
  parked.resident_bytes = 50 * kMiB;
  EXPECT_FALSE(has(FindingKind::idle)) << "nobody tracked writes";
  at_end.idle_since_ns = 11;
  const Finding finding = only(FindingKind::idle);
  EXPECT_EQ(finding.bytes, 40 * kMiB);
  EXPECT_EQ(finding.phase, "serve");
  EXPECT_EQ(finding.certainty, Certainty::lower_bound);
  EXPECT_EQ(finding.saves_bytes, 0u) << "reads are not seen: it may all be needed";
  EXPECT_NE(finding.sentence.find("30.0 MiB of 50.0 MiB resident, are of work"), std::string::npos) << finding.sentence;
}

TEST_F(FindingsTest, WhatTheRecordingLacksIsSaid) {
  process_.totals.lost_events = 3;
  process_.capture = trace::Capture::sampler;
  process_.capture_reason = "The executable is static.";
  process_.totals.unnamed_at_peak_bytes = 20 * kMiB;
  process_.totals.unnamed_module = "/usr/lib/libx.so";
  EXPECT_TRUE(has(FindingKind::events_lost));
  EXPECT_EQ(only(FindingKind::not_preloaded).cause, "The executable is static.");
  EXPECT_NE(only(FindingKind::unnamed).sentence.find("libx.so"), std::string::npos);
}

TEST_F(FindingsTest, TemporariesCostTime) {
  process_.sites[0].figures.calls = 50'000;
  process_.sites[0].figures.temporary = 40'000;
  EXPECT_EQ(only(FindingKind::temporary).saves_bytes, 0u);
}

TEST_F(FindingsTest, WhatSavesMostComesFirst) {
  LedgerSnapshot& after = snapshot("start");
  row(after, Owner::heap_trimmable) = 30 * kMiB;
  row(after, Owner::heap_pinned) = 90 * kMiB;
  SiteShare& survivors = share(after);
  survivors.pinned_bytes = 90 * kMiB;
  survivors.returns_known = true;
  survivors.returns_bytes = 90 * kMiB;
  const auto findings = all();
  ASSERT_GE(findings.size(), 2u);
  EXPECT_EQ(findings[0].kind, FindingKind::pinned);
}

TEST_F(FindingsTest, ALargeExplanationComesBeforeASmallSaving) {
  process_.executable = "/usr/bin/python3.11";
  LedgerSnapshot& peak = snapshot("start");
  row(peak, Owner::mapped) = 68 * kMiB;
  row(peak, Owner::heap_trimmable) = 6 * kMiB;
  const auto findings = all();
  ASSERT_EQ(findings.size(), 2u) << "mapped memory is said by the inner allocator";
  EXPECT_EQ(findings[0].kind, FindingKind::inner_allocator);
  EXPECT_EQ(findings[1].kind, FindingKind::trimmable);
}

TEST_F(FindingsTest, AGrowingBufferIsNotTransientToo) {
  Site& site = process_.sites[0];
  site.growth_steps = 6;
  site.figures.calls = 7;
  site.largest_block_bytes = 64 * kMiB;
  site.figures.peak_live_bytes = 96 * kMiB;
  Window& grown = window(0, 10);
  grown.peak_live_bytes = 96 * kMiB;
  grown.sites.push_back({});
  grown.sites[0].live_at_peak_bytes = 96 * kMiB;
  grown.sites[0].live_bytes = 64 * kMiB;
  window(10, 20);
  EXPECT_TRUE(has(FindingKind::realloc_growth));
  EXPECT_FALSE(has(FindingKind::transient_peak));
}

}  // namespace
}  // namespace memswell::analysis
