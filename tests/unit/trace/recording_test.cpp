#include <gtest/gtest.h>

#include "tests/unit/trace/recording_fixture.h"
#include "tests/unit/trace/sample_events.h"
#include "trace/recording_format.h"

namespace memswell::trace {
namespace {

// What the recording keeps of `wanted` lies in [wanted − unit, wanted], and never goes back where `wanted` does not.
void expect_times_kept(const std::vector<Nanoseconds>& kept, const std::vector<Nanoseconds>& wanted) {
  constexpr Nanoseconds kUnit = Nanoseconds{1} << disk::kTimeShift;
  ASSERT_EQ(kept.size(), wanted.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    ASSERT_LT(wanted[i] - kept[i], kUnit) << "event " << i;
    const auto step = static_cast<std::int64_t>(i == 0 ? 0 : kept[i] - kept[i - 1]);
    ASSERT_TRUE(step >= 0 || wanted[i] < wanted[i - 1]) << "event " << i;
  }
}

TEST(Recording, GivesBackEveryKindOfEventWithNastyValues) {
  const std::vector<AnyEvent> events = nasty_events();
  const Reading reading = read_bytes(recording_of(events));
  ASSERT_TRUE(reading.summary);
  EXPECT_EQ(reading.lines, lines_of(events));
  EXPECT_TRUE(reading.summary->complete) << reading.summary->end_sentence;
  expect_times_kept(reading.times, times_of(events));
}

TEST(Recording, GivesBackAProgramOfManyThreadsAndProcesses) {
  const std::vector<AnyEvent> events = synthetic_program(1, 150'000);
  const Reading reading = read_bytes(recording_of(events));
  ASSERT_TRUE(reading.summary);
  EXPECT_EQ(reading.lines, lines_of(events));
  EXPECT_EQ(reading.summary->events, times_of(events).size());
  expect_times_kept(reading.times, times_of(events));
}

TEST(Recording, OfAProgramTakesAtMostTwoAndAHalfBytesAnEvent) {
  const std::vector<AnyEvent> events = synthetic_program(2, 200'000);
  EXPECT_LE(recording_of(events).size() * 2, times_of(events).size() * 5);
}

TEST(Recording, EventsAcrossFlushesAreTheSameEvents) {
  const std::vector<AnyEvent> events = synthetic_program(3, 2000);
  const std::string bytes = recording_of([&](RecordingWriter& writer) {
    for (const AnyEvent& event : events) {
      write_all(writer, {event});
      writer.flush();
    }
    writer.flush();
  });
  EXPECT_EQ(chunk_ends(bytes).size(), events.size() + 1);
  EXPECT_EQ(read_bytes(bytes).lines, lines_of(events));
}

TEST(Recording, CarriesARecordOfManyChunks) {
  const SmapsSnapshot snapshot{{0}, 1, SnapshotCause::peak, "", std::string(9'000'000, 'm'), ""};
  const std::vector<AnyEvent> events{ProcessBegin{}, snapshot, RunEnd{2, true, ""}};
  const std::string bytes = recording_of(events);
  EXPECT_GT(chunk_ends(bytes).size(), 3u);
  EXPECT_EQ(read_bytes(bytes).lines, lines_of(events));
}

TEST(Recording, LeavesTextOutOfASnapshotLargerThanARecordMayBe) {
  const SmapsSnapshot snapshot{{0},     1, SnapshotCause::peak, "rollup", std::string(disk::kMaxRecordBytes, 'm'),
                               "status"};
  const Reading reading = read_bytes(recording_of({ProcessBegin{}, snapshot}));
  const SmapsSnapshot rest{{0}, 1, SnapshotCause::peak, "rollup", "", "status"};
  EXPECT_EQ(reading.lines, lines_of({ProcessBegin{}, rest}));
}

TEST(Recording, LeavesRunsOutOfASnapshotOfTooManyRuns) {
  PageSnapshot snapshot{{0}, 1, SnapshotCause::peak, "p", PageSource::pagemap, true, 5, {}, {}};
  snapshot.runs.resize(disk::kMaxListMemory / sizeof(PageRun) + 1);
  const Reading reading = read_bytes(recording_of({ProcessBegin{}, snapshot}));
  const PageSnapshot rest{{0}, 1, SnapshotCause::peak, "p", PageSource::none, true, 5, {}, {}};
  EXPECT_EQ(reading.lines, lines_of({ProcessBegin{}, rest}));
}

TEST(Recording, SaysWhyTheRunEndedEarly) {
  const Reading reading = read_bytes(recording_of({RunEnd{5, false, "The disk was full."}}));
  EXPECT_FALSE(reading.summary->complete);
  EXPECT_EQ(reading.summary->end_sentence, "The disk was full.");
}

TEST(Recording, SymbolsMayFollowTheEnd) {
  const Reading reading = read_bytes(recording_of({RunEnd{5, true, ""}, FrameSymbols{{}, {{"main", "a.c", 3}}}}));
  EXPECT_TRUE(reading.summary->complete);
  EXPECT_EQ(reading.lines.size(), 2u);
}

}  // namespace
}  // namespace memswell::trace
