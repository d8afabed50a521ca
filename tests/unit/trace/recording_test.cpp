#include <gtest/gtest.h>

#include "tests/unit/trace/recording_fixture.h"
#include "tests/unit/trace/sample_events.h"
#include "trace/recording_format.h"

namespace memswell::trace {
namespace {

void write_all(RecordingWriter& writer, const std::vector<AnyEvent>& events) {
  for (const AnyEvent& event : events) std::visit([&](const auto& e) { writer.write(e); }, event);
}

std::vector<std::string> lines_of(const std::vector<AnyEvent>& events) {
  return trace::lines_of([&](Visitor& visitor) {
    for (const AnyEvent& event : events) std::visit([&](const auto& e) { visitor.on(e); }, event);
  });
}

std::string recording_of(const std::vector<AnyEvent>& events) {
  return trace::recording_of([&](RecordingWriter& writer) { write_all(writer, events); });
}

TEST(Recording, GivesBackEveryKindOfEventWithNastyValues) {
  const std::vector<AnyEvent> events = nasty_events();
  const Reading reading = read_bytes(recording_of(events));
  ASSERT_TRUE(reading.summary);
  EXPECT_EQ(reading.lines, lines_of(events));
  EXPECT_TRUE(reading.summary->complete) << reading.summary->end_sentence;
}

TEST(Recording, GivesBackTheProgramOfManyThreadsAndProcesses) {
  const std::vector<AnyEvent> events = synthetic_program(1, 300'000);
  const Reading reading = read_bytes(recording_of(events));
  ASSERT_TRUE(reading.summary);
  EXPECT_EQ(reading.summary->end_sentence.substr(0, 24), "The recording ends after");
  EXPECT_EQ(reading.lines, lines_of(events));
}

}  // namespace
}  // namespace memswell::trace
