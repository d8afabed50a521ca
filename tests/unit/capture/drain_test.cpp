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
  DrainTest() {
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
  ImageTable images{region, *recording.writer};
  IgnoringSink sink;
  EventTranslator translator{*recording.writer, clock, stacks, layouts, sink};
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
