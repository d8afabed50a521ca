#include "capture/drain.h"

#include <gtest/gtest.h>

#include "collecting_visitor.h"
#include "ring_producer.h"

namespace memswell::capture::test {
namespace {

class IgnoringSink final : public ControlSink {
 public:
  Emitted on_forking(Image&, std::uint64_t) override { return Emitted::taken; }
  void on_phase(Image&, const std::string& name, Nanoseconds) override { phases.push_back(name); }
  void on_value(Image&) override {}
  void on_executing(Image&, PendingExec) override {}
  void on_exec_failed(Image&) override {}
  void on_exiting(Image&, std::uint8_t) override {}

  std::vector<std::string> phases;
};

// A recorder without a process: one image in slot 0, rings that the test fills.
class DrainTest : public ::testing::Test {
 protected:
  explicit DrainTest(const std::string& start_on = {}) : calls(region, *recording.writer, stacks, start_on) {
    region.header().stamp_counter.store(1'000'000);
    region.process(0).state.store(format::SlotState::live);
    region.header().processes_high.store(1);
    ImageStart start;
    start.process = open_process(getpid());
    start.slot = 0;
    image = &images.begin(std::move(start));
  }

  void finish() { drain.finish_reading(*image), drain.finish(*image, {}); }

  Region region = *Region::create({.stamp_source = format::StampSource::counter});
  TemporaryRecording recording;
  StampClock clock{format::StampSource::counter, region.header().stamp_counter};
  ModuleTable modules{*recording.writer};
  StackInterner stacks{*recording.writer};
  LayoutTable layouts{region, modules, stacks.frames()};
  CallStart calls;
  ImageTable images{region, *recording.writer, calls};
  IgnoringSink sink;
  EventTranslator translator{*recording.writer, clock, stacks, layouts, calls, sink};
  Drain drain{region, clock, images, layouts, translator};
  Image* image = nullptr;
};

TEST_F(DrainTest, WritesWhatStandsInTheRings) {
  RingProducer producer(region, 0, 1);
  producer.malloc(0x1000, 10, 100);
  producer.free(0x1000, 20);
  drain.round();
  const CollectingVisitor seen = recording.read();
  ASSERT_EQ(seen.allocations.size(), 1u);
  EXPECT_EQ(seen.allocations[0].requested, 100u);
  ASSERT_EQ(seen.releases.size(), 1u);
  EXPECT_EQ(seen.releases[0].address, 0x1000u);
}

TEST_F(DrainTest, ReadsAClosedRingToItsEndAndGivesItBack) {
  RingProducer producer(region, 0, 1);
  region.header().ring_pages_used.store(1);
  region.header().pool_used[0].store(0b10);
  producer.malloc(0x1000, 10);
  region.ring(0).state.store(format::SlotState::closed);
  drain.round();
  EXPECT_EQ(recording.read().allocations.size(), 1u);
  EXPECT_EQ(region.ring(0).state.load(), format::SlotState::free);
  EXPECT_EQ(region.header().rings_active[0].load(), 0u);
  EXPECT_EQ(region.header().ring_pages_used.load(), 0u);
  EXPECT_EQ(region.header().pool_used[0].load(), 0u);
}

TEST_F(DrainTest, TakesABiggerRingForTheSameThread) {
  RingProducer small(region, 0, 1);
  region.ring(0).tid.store(77);
  drain.round();
  RingProducer big(region, 1, 2, 10);
  region.ring(1).tid.store(77);
  big.malloc(0x1000, 10);
  drain.round();
  EXPECT_EQ(recording.read().threads.size(), 1u);
}

TEST_F(DrainTest, BeginsAThreadWithEachNewTid) {
  RingProducer producer(region, 0, 1);
  region.ring(0).tid.store(77);
  producer.append({first_word(RecordKind::thread, 78), 5});
  drain.round();
  const CollectingVisitor seen = recording.read();
  ASSERT_EQ(seen.threads.size(), 2u);
  EXPECT_EQ(seen.threads[1].tid, 78u);
}

TEST_F(DrainTest, RefusesARingOutsideOfThePool) {
  RingProducer producer(region, 0, 1);
  region.ring(0).data_page = format::kPoolPages;
  drain.round();
  EXPECT_EQ(drain.broken_rings(), 1u);
  EXPECT_EQ(region.header().rings_active[0].load(), 0u);
}

TEST_F(DrainTest, CountsLossesWaitsAndBrokenRingsAtTheEnd) {
  RingProducer producer(region, 0, 1);
  RingProducer broken(region, 1, 2);
  region.ring(0).lost.store(3);
  region.ring(0).waits.store(4);
  region.process(0).lost_events.store(5);
  broken.append({0xff, 0});
  drain.round();
  finish();
  const CollectingVisitor seen = recording.read();
  ASSERT_EQ(seen.ends.size(), 1u);
  EXPECT_EQ(seen.ends[0].lost_events, 8u);
  EXPECT_EQ(seen.ends[0].ring_waits, 4u);
  EXPECT_EQ(drain.broken_rings(), 1u);
}

TEST_F(DrainTest, ReadsEverythingOfAProcessThatHasEnded) {
  RingProducer producer(region, 0, 1);
  producer.malloc(0x1000, 2'000'000);  // beyond every window
  drain.round();
  EXPECT_TRUE(recording.read().allocations.empty());
  finish();
  EXPECT_EQ(recording.read().allocations.size(), 1u);
  EXPECT_EQ(region.process(0).state.load(), format::SlotState::free);
}

TEST_F(DrainTest, EndsAStackThatKeepsMoreThanThereIsAsBroken) {
  RingProducer producer(region, 0, 1);
  producer.append({first_word(RecordKind::malloc, 0x1000), 1, stack_word(8, 0, 5, 0)});
  producer.malloc(0x2000, 2);
  drain.round();
  EXPECT_TRUE(recording.read().allocations.empty());
}

TEST_F(DrainTest, TakesTheLeafAloneOfTheDeepestLevel) {
  RingProducer producer(region, 0, 1);
  producer.append({first_word(RecordKind::malloc, 0x1000), 1, stack_word(8, format::kWalkLevels, 0, 1), 0x4711});
  producer.malloc(0x2000, 2);
  drain.round();
  const CollectingVisitor seen = recording.read();
  ASSERT_EQ(seen.allocations.size(), 2u);
  EXPECT_EQ(seen.nodes.at(seen.allocations[0].stack.value - 1).frame.offset, 0x4711u);
}

// Calls are held back until the phase "work" begins.
class HeldBackCalls : public DrainTest {
 protected:
  HeldBackCalls() : DrainTest("work") {}

  void begin_calls() {
    calls.reach();
    calls.begin_calls(*image, true);
  }
  static std::vector<std::uint64_t> without_stack(Address address, std::uint64_t stamp, Bytes size) {
    return {first_word(RecordKind::malloc, address, 8), stamp, stack_word(size, format::kStackLevels - 1, 0, 0)};
  }
};

TEST_F(HeldBackCalls, TellTheProgramsToLeaveStacksOut) {
  EXPECT_EQ(region.header().walk_stacks.load(), 0u);
  begin_calls();
  EXPECT_EQ(region.header().walk_stacks.load(), 1u);
}

TEST_F(HeldBackCalls, AreNotWrittenButTheirSumsAndLiveBlocks) {
  RingProducer producer(region, 0, 1);
  producer.append(without_stack(0x1000, 1, 100));
  producer.append(without_stack(0x2000, 2, 50));
  producer.free(0x1000, 3);
  producer.free(0x7777, 4);
  drain.round();
  begin_calls();
  const CollectingVisitor seen = recording.read();
  EXPECT_TRUE(seen.allocations.empty());
  EXPECT_TRUE(seen.releases.empty());
  ASSERT_EQ(seen.call_totals.size(), 1u);
  const trace::CallTotals& totals = seen.call_totals[0];
  EXPECT_EQ(totals.calls, 2u);
  EXPECT_EQ(totals.allocated_bytes, 150u);
  EXPECT_EQ(totals.frees, 1u);
  EXPECT_EQ(totals.unmatched_frees, 1u);
  EXPECT_EQ(totals.live_bytes, 50u);
  EXPECT_EQ(totals.usable_bytes, 58u);
  EXPECT_EQ(totals.peak_live_bytes, 150u);
  ASSERT_EQ(seen.earlier.size(), 1u);
  ASSERT_EQ(seen.earlier[0].blocks.size(), 1u);
  EXPECT_EQ(seen.earlier[0].blocks[0].address, 0x2000u);
  EXPECT_EQ(seen.nodes.at(seen.earlier[0].stack.value - 1).frame.kind, trace::FrameKind::earlier);
}

TEST_F(HeldBackCalls, AreFollowedBySingleOnes) {
  RingProducer producer(region, 0, 1);
  begin_calls();
  producer.append({first_word(RecordKind::malloc, 0x1000), 1, stack_word(8, 0, 0, 1), 0x4711});
  producer.free(0x1000, 2);
  drain.round();
  const CollectingVisitor seen = recording.read();
  EXPECT_EQ(seen.allocations.size(), 1u);
  EXPECT_EQ(seen.releases.size(), 1u);
}

TEST_F(HeldBackCalls, ThatCameTooLateAreOfTheEarlierGroup) {
  RingProducer producer(region, 0, 1);
  begin_calls();
  producer.append(without_stack(0x1000, 1, 8));
  drain.round();
  const CollectingVisitor seen = recording.read();
  ASSERT_EQ(seen.allocations.size(), 1u);
  EXPECT_EQ(seen.nodes.at(seen.allocations[0].stack.value - 1).frame.kind, trace::FrameKind::earlier);
}

TEST_F(HeldBackCalls, KeepTheBlockOfAFailedRealloc) {
  RingProducer producer(region, 0, 1);
  producer.append(without_stack(0x1000, 1, 100));
  producer.append({first_word(RecordKind::realloc_begin, 0x1000), 2});
  producer.append({first_word(RecordKind::realloc_failed, 0x1000), 3});
  drain.round();
  begin_calls();
  const CollectingVisitor seen = recording.read();
  EXPECT_EQ(seen.call_totals.at(0).live_bytes, 100u);
  EXPECT_EQ(seen.call_totals.at(0).frees, 0u);
}

TEST_F(HeldBackCalls, KeepWhatTheProgramSaidOfALiveBlock) {
  RingProducer producer(region, 0, 1);
  producer.append(without_stack(0x1000, 1, 100));
  producer.append(without_stack(0x2000, 2, 100));
  producer.append({first_word(RecordKind::block_used, 0x1000), 3, 60});
  producer.append({first_word(RecordKind::block_used, 0x2000), 4, 70});
  producer.free(0x2000, 5);
  drain.round();
  const std::size_t before = recording.read().block_notes.size();
  begin_calls();
  const CollectingVisitor seen = recording.read();
  ASSERT_EQ(seen.block_notes.size(), before + 1);
  EXPECT_EQ(seen.block_notes.back().address, 0x1000u);
  EXPECT_EQ(seen.block_notes.back().bytes, 60u);
}

TEST_F(HeldBackCalls, OfAForkedChildBeginWithItsParentsBlocks) {
  RingProducer producer(region, 0, 1);
  producer.append(without_stack(0x1000, 1, 100));
  drain.round();
  ImageStart start;
  start.process = open_process(getpid());
  start.start = trace::ProcessStart::fork;
  start.parent = image;
  Image& child = images.begin(std::move(start));
  calls.begin_calls(child, true);
  const CollectingVisitor seen = recording.read();
  ASSERT_EQ(seen.earlier.size(), 1u);
  EXPECT_EQ(seen.earlier[0].process, child.index);
  EXPECT_TRUE(seen.earlier[0].inherited);
  EXPECT_EQ(seen.call_totals.at(0).calls, 0u);
  EXPECT_EQ(seen.call_totals.at(0).live_bytes, 100u);
}

TEST_F(HeldBackCalls, OfAProcessThatEndsBeforeThePhaseAreSaidToBeSo) {
  RingProducer producer(region, 0, 1);
  producer.append(without_stack(0x1000, 1, 100));
  drain.round();
  finish();
  const CollectingVisitor seen = recording.read();
  ASSERT_EQ(seen.calls_begin.size(), 1u);
  EXPECT_FALSE(seen.calls_begin[0].reached);
  EXPECT_EQ(seen.earlier.size(), 1u);
}

// Threads count all their calls and record some.
class SampledCalls : public DrainTest {
 protected:
  SampledCalls() { region.header().sample_bytes = 65536; }
  void counts(std::uint32_t ring, std::uint64_t made, std::uint64_t freed, std::int64_t pending, std::uint64_t peak) const {
    format::CallCounters& c = region.ring(ring).counters;
    c.calls.store(made);
    c.frees.store(freed);
    c.allocated_bytes.store(made * 10);
    c.pending.store(static_cast<std::uint64_t>(pending));
    c.pending_peak.store(peak);
  }
  trace::CallTotals told() {
    calls.write_totals(*image, 10);
    return recording.read().call_totals.back();
  }
};

TEST_F(SampledCalls, OfOneThreadAreExactToTheByteOfThePeak) {
  RingProducer producer(region, 0, 1);
  drain.round();
  region.process(0).live_bytes.store(10'000);
  region.process(0).peak_live_bytes.store(12'000);
  counts(0, 7, 4, -500, 3'000);
  const trace::CallTotals totals = told();
  EXPECT_EQ(totals.calls, 7u);
  EXPECT_EQ(totals.frees, 4u);
  EXPECT_EQ(totals.allocated_bytes, 70u);
  EXPECT_EQ(totals.live_blocks, 3u);
  EXPECT_EQ(totals.live_bytes, 9'500u);
  EXPECT_EQ(totals.peak_live_bytes, 13'000u);
  EXPECT_EQ(totals.peak_uncertain_bytes, 0u);
}

TEST_F(SampledCalls, OfSeveralThreadsSayHowMuchThePeakMayBeHigher) {
  RingProducer one(region, 0, 1);
  RingProducer two(region, 1, 2);
  drain.round();
  counts(0, 7, 4, 100, 3'000);
  counts(1, 1, 3, -50, 0);
  const trace::CallTotals totals = told();
  EXPECT_EQ(totals.calls, 8u);
  EXPECT_EQ(totals.live_blocks, 1u);
  EXPECT_EQ(totals.live_bytes, 50u);
  EXPECT_EQ(totals.peak_live_bytes, 50u);
  EXPECT_EQ(totals.peak_uncertain_bytes, 2 * format::kMostPendingBytes);
}

TEST_F(SampledCalls, StayWhenTheThreadHasGone) {
  RingProducer producer(region, 0, 1);
  drain.round();
  counts(0, 7, 4, 600, 900);
  region.ring(0).state.store(format::SlotState::closed);
  drain.round();
  const trace::CallTotals totals = told();
  EXPECT_EQ(totals.calls, 7u);
  EXPECT_EQ(totals.live_blocks, 3u);
  EXPECT_EQ(totals.live_bytes, 600u);
  EXPECT_EQ(totals.peak_live_bytes, 900u);
}

TEST_F(SampledCalls, ThePeakBeginsAnewWithAWindow) {
  RingProducer producer(region, 0, 1);
  drain.round();
  region.process(0).peak_live_bytes.store(50'000);
  counts(0, 2, 1, 100, 900);
  calls.end_window(*image, 10, true);
  EXPECT_EQ(recording.read().call_totals.back().peak_live_bytes, 50'000u);
  const trace::CallTotals totals = told();
  EXPECT_EQ(totals.peak_live_bytes, 100u);
  EXPECT_EQ(totals.live_bytes, 100u);
}

TEST_F(SampledCalls, APeakIsToldOnce) {
  RingProducer producer(region, 0, 1);
  drain.round();
  region.process(0).peak_live_bytes.store(50'000);
  region.process(0).live_bytes.store(400);
  EXPECT_EQ(told().peak_live_bytes, 50'000u);
  EXPECT_EQ(told().peak_live_bytes, 400u);
}

TEST_F(SampledCalls, AreNotToldWhereNobodySaysHowLargeABlockIs) {
  region.process(0).flags.store(static_cast<std::uint32_t>(format::ProcessFlag::no_sizes));
  calls.write_totals(*image, 10);
  EXPECT_TRUE(recording.read().call_totals.empty());
}

TEST_F(SampledCalls, AreToldAtTheEndOfTheProcess) {
  RingProducer producer(region, 0, 1);
  drain.round();
  counts(0, 7, 4, 600, 900);
  finish();
  const CollectingVisitor seen = recording.read();
  ASSERT_EQ(seen.call_totals.size(), 1u);
  EXPECT_EQ(seen.call_totals[0].calls, 7u);
  EXPECT_EQ(region.process(0).live_bytes.load(), 0u) << "the next process in this slot begins at nothing";
}

TEST_F(DrainTest, TellsPhasesInTheirPlace) {
  RingProducer producer(region, 0, 1);
  producer.malloc(0x1000, 1);
  producer.append({first_word(RecordKind::mark_phase, 0), 2, 4, 0x6461'6f6c});
  producer.malloc(0x2000, 3);
  drain.round();
  EXPECT_EQ(sink.phases, std::vector<std::string>{"load"});
  EXPECT_EQ(recording.read().allocations.size(), 1u);  // what follows waits until the snapshot is taken
  drain.round();
  EXPECT_EQ(recording.read().allocations.size(), 2u);
}

}  // namespace
}  // namespace memswell::capture::test
