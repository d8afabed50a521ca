#include "trace/recording_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "tests/unit/trace/recording_fixture.h"
#include "tests/unit/trace/sample_events.h"
#include "trace/recording_format.h"

namespace memswell::trace {
namespace {

// Files cannot grow beyond `bytes` while it lives: write(2) then comes up short, and then fails with EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(RecordingWriter, RemembersThatTheDeviceIsFull) {
  RecordingWriter writer(UniqueFd(::open("/dev/full", O_WRONLY | O_CLOEXEC)));
  write_all(writer, nasty_events());
  writer.flush();
  ASSERT_NE(writer.failure(), nullptr);
  EXPECT_NE(writer.failure()->sentence.find("No space left on device"), std::string::npos);
  EXPECT_EQ(writer.bytes_written(), 0u);
}

TEST(RecordingWriter, KnowsWhatACrashWouldLose) {
  const TemporaryFile file;
  RecordingWriter writer(file.open_for_writing());
  EXPECT_EQ(writer.pending(), 0u);
  writer.write(process(0));
  writer.write(Sample{});
  EXPECT_EQ(writer.pending(), 2u);
  writer.flush();
  EXPECT_EQ(writer.pending(), 0u);
}

TEST(RecordingWriter, AFullDiskLeavesTheWholeChunksBefore) {
  const std::vector<AnyEvent> events = synthetic_program(9, 4000);
  const std::size_t half = events.size() / 2;
  const std::vector<AnyEvent> first(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(half));
  const TemporaryFile file;
  {
    RecordingWriter writer(file.open_for_writing());
    write_all(writer, first);
    writer.flush();
    const FileSizeLimit limit(writer.bytes_written() + 100);
    write_all(writer, {events.begin() + static_cast<std::ptrdiff_t>(half), events.end()});
    writer.flush();
    ASSERT_NE(writer.failure(), nullptr);
    EXPECT_EQ(writer.bytes_written(), file.content().size());
  }
  EXPECT_EQ(read_file(file.path()).lines, lines_of(first));
}

TEST(RecordingWriter, DropsEverythingAfterAFailure) {
  const TemporaryFile file;
  RecordingWriter writer(file.open_for_writing());
  {
    const FileSizeLimit limit(writer.bytes_written() + 10);
    write_all(writer, {ProcessBegin{}});
    writer.flush();
  }
  const std::string sentence = writer.failure()->sentence;
  write_all(writer, synthetic_program(9, 1000));
  writer.flush();
  EXPECT_EQ(writer.failure()->sentence, sentence);
  EXPECT_EQ(file.content().size(), sizeof(disk::FileHeader));
}

TEST(RecordingWriter, WritesIntoAPipeThatIsNotDrainedAtOnce) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(::fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  const UniqueFd from(ends[0]);
  const std::vector<AnyEvent> events = synthetic_program(4, 100'000);
  const std::string wanted = recording_of(events);
  std::thread recorder([&] {
    RecordingWriter writer{UniqueFd(ends[1])};
    write_all(writer, events);
  });
  std::string got(wanted.size() + 1, '\0');
  std::size_t size = 0;
  for (ssize_t n = 1; n > 0; size += static_cast<std::size_t>(n))
    n = ::read(from.get(), got.data() + size, got.size() - size);
  recorder.join();
  EXPECT_EQ(got.substr(0, size), wanted);
}

TEST(RecordingWriter, ClosesTheLastChunkAtItsEnd) {
  const TemporaryFile file;
  { RecordingWriter(file.open_for_writing()).write(RunEnd{1, true, ""}); }
  EXPECT_TRUE(read_file(file.path()).summary->complete);
}

TEST(RecordingWriter, WhatIsFlushedCanBeReadWhileTheRecordingGoesOn) {
  const TemporaryFile file;
  RecordingWriter writer(file.open_for_writing());
  write_all(writer, {ProcessBegin{}, Sample{}});
  writer.flush();
  write_all(writer, {Sample{}});
  const Reading reading = read_file(file.path());
  EXPECT_EQ(reading.lines, lines_of({ProcessBegin{}, Sample{}}));
  EXPECT_FALSE(reading.summary->complete);
}

}  // namespace
}  // namespace memswell::trace
