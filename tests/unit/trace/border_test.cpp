// Borders: places from which on a recording can be read without what stands before.
#include <gtest/gtest.h>

#include "tests/unit/trace/recording_fixture.h"

namespace memswell::trace {
namespace {

// What came before is the same: a border changes no event.
TEST(Border, ChangesNoEvent) {
  const std::vector<AnyEvent> events = synthetic_program(3, 20'000);
  const std::string recording = recording_of([&](RecordingWriter& writer) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (i % 5'000 == 4'000) writer.begin_anew();
      std::visit([&](const auto& event) { writer.write(event); }, events[i]);
    }
  });
  EXPECT_EQ(read_bytes(recording).lines, lines_of(events));
}

// Introduces what the rest speaks of, and stands for all before the border.
void write_head(RecordingWriter& writer, bool with_end) {
  writer.write(process(0));
  writer.flush();  // two chunks, where the border is the second one of the recording
  writer.write(ThreadBegin{{0}, {0}, 1, 0});
  writer.write(StackNode{{1}, {0}, {}});
  writer.write(FoldBegin{1'000});
  if (with_end) writer.write(FoldEnd{50, 1'234, 1, 0, 0});
}

struct Parts {
  std::string whole;
  Border border;
};
Parts recording_with_border() {
  Parts parts;
  parts.whole = recording_of([&](RecordingWriter& writer) {
    writer.write(process(0));
    writer.write(ThreadBegin{{0}, {0}, 1, 0});
    writer.write(StackNode{{1}, {0}, {}});
    for (Address i = 1; i < 500; ++i) writer.write(Allocation{{0}, {0}, i, i * 64, 20, 24, {1}, AllocationKind::malloc, 0});
    parts.border = writer.begin_anew();
    writer.write(Release{{0}, {0}, 1'000, 64, Release::Kind::free});
    writer.flush();
    writer.write(Release{{0}, {0}, 2'000, 128, Release::Kind::free});
  });
  return parts;
}
std::string folded(const Parts& parts, std::uint64_t resume, bool with_end = true) {
  const TemporaryFile file;
  {
    RecordingWriter writer(file.open_for_writing(), resume);
    write_head(writer, with_end);
    writer.flush();
  }
  return file.content() + parts.whole.substr(parts.border.offset);
}

TEST(Border, WhatStandsBeforeItCanBeReplaced) {
  const Parts parts = recording_with_border();
  const Reading reading = read_bytes(folded(parts, parts.border.sequence));
  ASSERT_TRUE(reading.summary);
  EXPECT_EQ(reading.summary->events, 1'236u);
  EXPECT_EQ(reading.lines.size(), 7u);
  EXPECT_EQ(reading.lines.back(), read_bytes(parts.whole).lines.back());
}

TEST(Border, AChunkThatIsNotTheOneAfterTheFoldEndsTheReading) {
  const Parts parts = recording_with_border();
  const Reading reading = read_bytes(folded(parts, parts.border.sequence + 1));
  EXPECT_EQ(reading.lines.size(), 5u);
  EXPECT_NE(reading.summary->end_sentence.find("damaged"), std::string::npos);
}

TEST(Border, AFoldWithoutItsEndEndsTheReading) {
  const Parts parts = recording_with_border();
  const Reading reading = read_bytes(folded(parts, parts.border.sequence, false));
  EXPECT_EQ(reading.lines.size(), 4u);
  EXPECT_NE(reading.summary->end_sentence.find("damaged"), std::string::npos);
}

TEST(Border, StacksOfSumsMustBeKnown) {
  const std::string recording = recording_of([](RecordingWriter& writer) {
    writer.write(process(0));
    FoldedCalls calls;
    calls.stacks.push_back({.stack = {7}, .figures = {}});
    writer.write(calls);
  });
  EXPECT_EQ(read_bytes(recording).lines.size(), 1u);
}

}  // namespace
}  // namespace memswell::trace
