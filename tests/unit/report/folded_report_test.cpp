// A recording whose oldest part was folded says what the whole one says.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "analysis/analyse.h"
#include "analysis/fold.h"
#include "report/json_report.h"
#include "tests/unit/report/program_by_dice.h"

namespace memswell::report {
namespace {

using test::ProgramByDice;

// In memory.
class File {
 public:
  File() : memory_(::memfd_create("recording", MFD_CLOEXEC)) {}
  std::string path() const { return "/proc/self/fd/" + std::to_string(memory_.get()); }
  UniqueFd open() const { return UniqueFd(::open(path().c_str(), O_RDWR | O_CLOEXEC)); }
  std::uint64_t bytes() const {
    struct stat status{};
    ::fstat(memory_.get(), &status);
    return static_cast<std::uint64_t>(status.st_size);
  }
  void append(const File& from, std::uint64_t offset) {
    std::string rest(from.bytes() - offset, '\0');
    ASSERT_EQ(::pread(from.memory_.get(), rest.data(), rest.size(), static_cast<off_t>(offset)), static_cast<ssize_t>(rest.size()));
    ASSERT_EQ(::pwrite(memory_.get(), rest.data(), rest.size(), static_cast<off_t>(bytes())), static_cast<ssize_t>(rest.size()));
  }

 private:
  UniqueFd memory_;
};

// What stands before each border, folded in turn.
void fold_at(const std::vector<trace::Border>& borders, File& recording) {
  std::int64_t moved = 0;
  for (const trace::Border& border : borders) {
    const trace::Border here{border.offset + static_cast<std::uint64_t>(moved), border.sequence};
    File folded;
    const auto done = analysis::fold({recording.open(), "recording", here, 300'000'000, folded.open(), 1 << 20});
    ASSERT_TRUE(done) << done.error().sentence;
    moved += static_cast<std::int64_t>(folded.bytes()) - static_cast<std::int64_t>(here.offset);
    folded.append(recording, here.offset);
    std::swap(recording, folded);
  }
}

analysis::RunReport analysed(const File& file) {
  auto run = analysis::analyse(file.path(), {});
  EXPECT_TRUE(run) << run.error().sentence;
  return *std::move(run);
}

struct Twice {
  analysis::RunReport whole;
  analysis::RunReport folded;
  std::uint64_t whole_bytes = 0;
  std::uint64_t folded_bytes = 0;
};

// The same program, recorded twice: once left alone, once folded before each of these operations.
Twice record_twice(ProgramByDice::Shape shape, std::vector<int> at) {
  const File plain;
  {
    trace::RecordingWriter writer(plain.open());
    ProgramByDice(writer, shape).run();
  }
  File folded;
  std::vector<trace::Border> borders;
  {
    trace::RecordingWriter writer(folded.open());
    shape.between = [&](trace::RecordingWriter& out, int operation) {
      if (std::ranges::find(at, operation) != at.end()) borders.push_back(out.begin_anew());
    };
    ProgramByDice(writer, shape).run();
  }
  fold_at(borders, folded);
  return {analysed(plain), analysed(folded), plain.bytes(), folded.bytes()};
}

std::string json_without_fold(analysis::RunReport run) {
  run.recording.folded.reset();
  return json_report(run);
}

TEST(FoldedReport, IsThatOfTheWholeRecording) {
  const Twice twice = record_twice({}, {10'000});
  ASSERT_TRUE(twice.folded.recording.folded);
  EXPECT_EQ(twice.folded.recording.folded->folds, 1u);
  EXPECT_GT(twice.folded.recording.folded->events, 5'000u);
  EXPECT_EQ(json_without_fold(twice.folded), json_without_fold(twice.whole));
}

TEST(FoldedReport, IsThatOfTheWholeRecordingAfterManyFolds) {
  const Twice twice = record_twice({.seed = 7}, {1'000, 2'500, 6'700, 7'000, 11'111, 15'000, 19'999});
  EXPECT_EQ(twice.folded.recording.folded->folds, 7u);
  EXPECT_EQ(json_without_fold(twice.folded), json_without_fold(twice.whole));
}

}  // namespace
}  // namespace memswell::report
