// Small files that ask for much memory end the reading; real programs that keep much do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "base/under_sanitizer.h"
#include "tests/hostile/bombs.h"
#include "tests/hostile/forge.h"
#include "tests/hostile/properties.h"
#include "tests/hostile/whole_report.h"
#include "trace/recording_reader.h"

namespace memswell::hostile {
namespace {

constexpr Bytes kSmall = 4096;

std::string end_of_bomb(std::string_view name) {
  const auto all = bombs();
  const auto bomb = std::find_if(all.begin(), all.end(), [&](const Bomb& one) { return one.name == name; });
  if (bomb == all.end()) return "no such bomb";
  const auto run = report_of(bomb->make(kSmall));
  return run ? run->recording.end_sentence : run.error().sentence;
}

constexpr const char* kEnd = "asks for more memory than a recording of that size can mean; everything before is here.";

TEST(MemoryBudget, EndsTheReadingOfCallersWithoutEnd) { EXPECT_THAT(end_of_bomb("stack nodes"), testing::HasSubstr(kEnd)); }
TEST(MemoryBudget, EndsTheReadingOfSamplesWithoutEnd) { EXPECT_THAT(end_of_bomb("samples"), testing::HasSubstr(kEnd)); }
TEST(MemoryBudget, EndsTheReadingOfValuesWithoutEnd) { EXPECT_THAT(end_of_bomb("values"), testing::HasSubstr(kEnd)); }

// Equal blocks of a tight loop: nothing but the times between them is written.
std::string kept_blocks(std::uint64_t blocks, std::uint32_t most_steps) {
  std::mt19937 random(1);
  return recording_of([&](trace::RecordingWriter& to) {
    to.write(trace::ProcessBegin{{0}, 0, 100, 1, trace::ProcessStart::exec, {}, false, "/bin/keeps", {"keeps"}});
    to.write(trace::ThreadBegin{{0}, {0}, 100, 0});
    Nanoseconds time = 0;
    for (std::uint64_t i = 0; i < blocks; ++i) {
      time += 64 * (1 + random() % most_steps);
      to.write(trace::Allocation{{0}, {0}, time, 0x1000 + 32 * i, 24, 24, {0}, trace::AllocationKind::malloc, 0});
    }
    trace::RunEnd end;
    end.complete = true;
    to.write(end);
  });
}

TEST(MemoryBudget, LetsTenMillionKeptBlocksThrough) {
  if (kUnderSanitizer) GTEST_SKIP() << "takes minutes under a sanitizer";
  const std::string recording = kept_blocks(10'000'000, 3);
  EXPECT_LT(recording.size(), Bytes{4} << 20);
  const auto run = report_of(recording);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->recording.end_sentence, "");
  EXPECT_EQ(run->processes.at(0).totals.live_blocks_at_exit, 10'000'000u);
}

// A day at ten samples a second, with a phase an hour and a block a minute that stays.
TEST(MemoryBudget, LetsADayThrough) {
  constexpr Nanoseconds kTenth = 100'000'000;
  constexpr std::uint64_t kTenths = 24 * 36'000;
  std::mt19937 random(1);  // as of a real machine: no two samples come alike, so each takes some bytes of the file
  Bytes largest = 0;
  const std::string recording = recording_of([&](trace::RecordingWriter& to) {
    to.write(trace::ProcessBegin{{0}, 0, 100, 1, trace::ProcessStart::exec, {}, false, "/bin/serves", {"serves"}});
    to.write(trace::ThreadBegin{{0}, {0}, 100, 0});
    for (std::uint64_t i = 0; i < kTenths; ++i) {
      const Bytes rss = 4096 * (1000 + random() % 777);
      largest = std::max(largest, rss);
      to.write(trace::Sample{{0}, i * kTenth + random() % 1'000'000, 2 * rss, rss, 0, 0, rss});
      if (i % 600 == 0) to.write(trace::Allocation{{0}, {0}, i * kTenth + 1'000'000, 0x1000 + 32 * i, 24, 24, {0}, trace::AllocationKind::malloc, 0});
      if (i % 36'000 == 35'999) to.write(trace::PhaseBoundary{{0}, {0}, i * kTenth + 1'000'000, "hour", 4096 * 2000, true, 0, 0});
    }
    trace::RunEnd end;
    end.time = kTenths * kTenth;
    end.complete = true;
    to.write(end);
  });
  const auto run = report_of(recording);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->recording.end_sentence, "");
  EXPECT_EQ(run->duration_ns, kTenths * kTenth);
  EXPECT_EQ(run->processes.at(0).totals.live_blocks_at_exit, 24u * 60u);
  EXPECT_EQ(run->processes.at(0).phases.size(), 25u);
  EXPECT_EQ(run->processes.at(0).totals.peak_rss_sampled_bytes, largest);
}

// A stack of that many frames, each of so many inlined levels, with a block.
std::string deep_recording(std::uint32_t frames, std::size_t levels) {
  return recording_of([&](trace::RecordingWriter& to) {
    to.write(trace::ProcessBegin{{0}, 0, 100, 1, trace::ProcessStart::exec, {}, false, "/bin/deep", {"deep"}});
    to.write(trace::ThreadBegin{{0}, {0}, 100, 0});
    to.write(trace::Module{{1}, "/bin/deep", {}});
    for (std::uint32_t id = 1; id <= frames; ++id) {
      const trace::Frame frame{{1}, trace::FrameKind::call, id};
      to.write(trace::StackNode{{id}, {id - 1}, frame});
      if (levels != 0) to.write(trace::FrameSymbols{frame, std::vector<trace::SourceFrame>(levels)});
    }
    to.write(trace::Allocation{{0}, {0}, 0, 0x1000, 24, 24, {frames}, trace::AllocationKind::malloc, 0});
    to.write(trace::RunEnd{0, true, ""});
  });
}

TEST(DeepStacks, OfAllThatIsRecordedArePrinted) {
  const auto run = report_of(deep_recording(4001, 2));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->recording.end_sentence, "");
  EXPECT_EQ(run->processes.at(0).stacks.size(), 1u);
  for (const Rendering& rendering : renderings_of(*run)) EXPECT_EQ(harm_in(rendering), "") << rendering.name;
}

TEST(DeepStacks, OfMoreThanCanBeRecordedEndTheReading) {
  const auto run = report_of(deep_recording(100'000, 0));
  ASSERT_TRUE(run);
  EXPECT_THAT(run->recording.end_sentence, testing::HasSubstr("a chunk holds what cannot be"));
  for (const Rendering& rendering : renderings_of(*run)) EXPECT_EQ(harm_in(rendering), "") << rendering.name;
}

TEST(DeepStacks, OfInlinedLevelsWithoutEndArePrinted) {
  const auto run = report_of(deep_recording(1000, 100));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->recording.end_sentence, "");
  for (const Rendering& rendering : renderings_of(*run)) EXPECT_EQ(harm_in(rendering), "") << rendering.name;
}

TEST(DeepStacks, MayNotHaveAFrameOfMoreLevelsThanThereAre) {
  const auto run = report_of(deep_recording(1, 1025));
  ASSERT_TRUE(run);
  EXPECT_THAT(run->recording.end_sentence, testing::HasSubstr("a chunk holds what cannot be"));
}

TEST(PhasesWithoutEnd, AreReadInTheTimeThatTheyTakeToWrite) {
  const auto all = bombs();
  const auto phases = std::find_if(all.begin(), all.end(), [](const Bomb& one) { return one.name == "phases"; });
  ASSERT_NE(phases, all.end());
  const std::string recording = phases->make(Bytes{1} << 18);
  const std::clock_t begin = std::clock();
  const auto run = report_of(recording);
  ASSERT_TRUE(run);
  EXPECT_GT(run->processes.at(0).phases.size(), 50'000u);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, kUnderSanitizer ? 30 : 6);  // of this process; it was 17
}

TEST(MemoryBudget, EndsTheReadingOfBlocksWithoutEnd) {
  if (kUnderSanitizer) GTEST_SKIP() << "takes minutes under a sanitizer";
  const auto run = report_of(kept_blocks(40'000'000, 1));
  ASSERT_TRUE(run);
  EXPECT_THAT(run->recording.end_sentence, testing::HasSubstr(kEnd));
  EXPECT_LT(run->processes.at(0).totals.live_blocks_at_exit, 20'000'000u);
}
}  // namespace
}  // namespace memswell::hostile
