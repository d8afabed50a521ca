// Recordings cut anywhere and damaged anywhere, through everything that is printed of them: loads or explains itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "base/under_sanitizer.h"
#include "tests/hostile/forge.h"
#include "tests/hostile/nasty_recording.h"
#include "tests/hostile/properties.h"
#include "tests/hostile/whole_report.h"

namespace memswell::hostile {
namespace {

// Every place, but where a sanitizer makes that take minutes.
constexpr std::size_t kStep = kUnderSanitizer ? 17 : 1;

const std::string& recording() {
  static const std::string made = recording_with("name");
  return made;
}

// Empty: all is as it should be.
std::string wrong_with(const std::string& bytes) {
  const auto run = report_of(bytes);
  if (!run) return run.error().sentence.empty() ? "no sentence" : "";
  if (run->recording.complete != run->recording.end_sentence.empty()) return "an end that is not explained";
  for (const Rendering& rendering : renderings_of(*run))
    if (const std::string harm = harm_in(rendering); !harm.empty()) return rendering.name + ": " + harm;
  return {};
}

void expect_every_prefix_is_sound(const std::string& bytes) {
  std::size_t prefixes = 0;
  for (std::size_t length = 0; length < bytes.size(); length += kStep, ++prefixes)
    ASSERT_EQ(wrong_with(bytes.substr(0, length)), "") << length;
  fmt::print("  {} prefixes of {} bytes\n", prefixes, bytes.size());
}

TEST(DamagedRecordings, EveryPrefixLoadsOrExplainsItself) {
  ASSERT_GT(recording().size(), 1000U);
  expect_every_prefix_is_sound(recording());
}

// As `memswell run` wrote it.
TEST(DamagedRecordings, EveryPrefixOfARealOneLoadsOrExplainsItself) {
  std::ifstream file(MEMSWELL_CORPUS "/recording/endings", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  ASSERT_GT(bytes.size(), 4000U);
  expect_every_prefix_is_sound(bytes);
}

TEST(DamagedRecordings, APrefixWithItsHeadSaysWhatCommandItWasOf) {
  std::size_t loaded = 0;
  for (std::size_t length = 0; length < recording().size(); length += 7) {
    const auto run = report_of(recording().substr(0, length));
    if (run && !run->command.empty()) ++loaded;
  }
  EXPECT_GT(loaded, recording().size() / 7 / 3);  // from the end of the first of three chunks on
}

TEST(DamagedRecordings, AnyByteMayBeAnother) {
  std::mt19937 random(1);
  for (std::size_t offset = 0; offset < recording().size(); offset += kStep) {
    std::string bytes = recording();
    bytes[offset] = static_cast<char>(random());
    ASSERT_EQ(wrong_with(bytes), "") << offset;
    ASSERT_EQ(wrong_with(repaired(bytes)), "") << offset;
  }
  fmt::print("  {} bytes replaced, each with the old and with a right checksum\n", (recording().size() + kStep - 1) / kStep);
}

TEST(DamagedRecordings, ColumnsMayHoldAnything) {
  std::mt19937 random(2);
  const std::vector<Columns> sound = columns_of(recording());
  for (int round = 0; round < 1500; round += static_cast<int>(kStep)) {
    std::vector<Columns> forged = sound;
    auto& column = forged[random() % forged.size()][random() % trace::disk::kColumns];
    if (column.empty()) column.push_back(0);
    for (auto times = 1 + random() % 3; times != 0; --times)
      column[random() % column.size()] = static_cast<std::uint8_t>(random());
    ASSERT_EQ(wrong_with(sealed(forged)), "") << round;
  }
  fmt::print("  {} recordings with forged columns\n", (1500 + kStep - 1) / kStep);
}

TEST(DamagedRecordings, TheirMendingChangesNothingThatIsSound) { EXPECT_EQ(repaired(recording()), recording()); }

}  // namespace
}  // namespace memswell::hostile
