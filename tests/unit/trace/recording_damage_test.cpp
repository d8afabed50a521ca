// Recordings cut anywhere, damaged anywhere, or no recordings at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/unit/trace/recording_fixture.h"
#include "tests/unit/trace/sample_events.h"
#include "trace/chunk_checksum.h"
#include "trace/recording_format.h"

namespace memswell::trace {
namespace {

struct Chunked {
  std::string bytes;
  std::vector<std::size_t> ends;                // of the file header and of each chunk
  std::vector<std::vector<std::string>> lines;  // delivered up to each of them
};

std::vector<AnyEvent> small_program() {
  std::vector<AnyEvent> events{process(0), ThreadBegin{}, Module{{1}, "/bin/true", {0xab}}};
  for (std::uint32_t i = 1; i <= 4; ++i) events.push_back(StackNode{{i}, {i - 1}, {{1}, FrameKind::call, 0x1000 * i}});
  for (std::uint32_t i = 0; i < 60; ++i) {
    events.push_back(Allocation{{}, {}, 90 * i, 0x1000 + 64 * i, 3 * i, 60, {i % 5}, AllocationKind::malloc, 0});
    if (i % 3 == 2) events.push_back(Release{{}, {}, 90 * i, 0x1000 + 64 * (i - 1), Release::Kind::free});
    if (i % 10 == 9) events.push_back(Sample{{0}, 90 * i, 1 << 20, 4096 * i, 0, 0, 0});
  }
  return events;
}

// Five chunks of a small program, with what a reader gives up to the end of each.
const Chunked& chunked() {
  static const Chunked instance = [] {
    const std::vector<AnyEvent> events = small_program();
    Chunked made;
    made.lines.emplace_back();
    made.bytes = recording_of([&](RecordingWriter& writer) {
      for (std::size_t done = 0; done < events.size();) {
        const std::size_t next = std::min(events.size(), done + events.size() / 5 + 1);
        write_all(writer, {events.begin() + static_cast<std::ptrdiff_t>(done),
                           events.begin() + static_cast<std::ptrdiff_t>(next)});
        writer.flush();
        made.lines.push_back(lines_of({events.begin(), events.begin() + static_cast<std::ptrdiff_t>(next)}));
        done = next;
      }
    });
    made.ends = chunk_ends(made.bytes);
    return made;
  }();
  return instance;
}

// Lines up to the last whole chunk before `offset`.
const std::vector<std::string>& lines_before(std::size_t offset) {
  const auto& ends = chunked().ends;
  const auto after = std::upper_bound(ends.begin(), ends.end(), offset);
  return chunked().lines[static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - ends.begin() - 1, 0))];
}

TEST(RecordingDamage, EveryPrefixLoadsUpToItsLastWholeChunk) {
  ASSERT_EQ(chunked().ends.size(), 6u);
  for (std::size_t length = sizeof(disk::FileHeader::magic); length <= chunked().bytes.size(); ++length) {
    const Reading reading = read_bytes(chunked().bytes.substr(0, length));
    ASSERT_TRUE(reading.summary) << length;
    ASSERT_EQ(reading.lines, lines_before(length)) << length;
    ASSERT_FALSE(reading.summary->complete);
    ASSERT_FALSE(reading.summary->end_sentence.empty());
  }
}

TEST(RecordingDamage, PrefixesTooShortToBeKnownAreRefused) {
  for (std::size_t length = 0; length < sizeof(disk::FileHeader::magic); ++length) {
    const Reading reading = read_bytes(chunked().bytes.substr(0, length));
    ASSERT_FALSE(reading.summary) << length;
    EXPECT_EQ(reading.summary.error().exit_code, ExitCode::unreadable_recording);
  }
}

TEST(RecordingDamage, OneWrongBitAnywhereEndsTheReadingAtItsChunk) {
  for (std::size_t offset = sizeof(disk::FileHeader); offset < chunked().bytes.size(); ++offset) {
    std::string bytes = chunked().bytes;
    bytes[offset] = static_cast<char>(bytes[offset] ^ (1 << offset % 8));
    const Reading reading = read_bytes(bytes);
    ASSERT_TRUE(reading.summary) << offset;
    ASSERT_EQ(reading.lines, lines_before(offset)) << offset;
    ASSERT_FALSE(reading.summary->complete) << offset;
  }
}

TEST(RecordingDamage, OneWrongBitInTheHeaderIsRefused) {
  for (std::size_t offset = 0; offset < sizeof(disk::FileHeader); ++offset) {
    std::string bytes = chunked().bytes;
    bytes[offset] = static_cast<char>(bytes[offset] ^ 0x10);
    const Reading reading = read_bytes(bytes);
    ASSERT_FALSE(reading.summary) << offset;
    EXPECT_EQ(reading.summary.error().exit_code, ExitCode::unreadable_recording);
  }
}

TEST(RecordingDamage, SaysWhereAndWhyItEnds) {
  const auto& [bytes, ends, lines] = chunked();
  EXPECT_EQ(
      read_bytes(bytes.substr(0, ends[2] + 40)).summary->end_sentence,
      "After " + std::to_string(ends[2]) + " bytes the recording ends within a chunk; everything before is here.");
  std::string wrong = bytes;
  wrong[ends[3] + 50] ^= 1;
  EXPECT_EQ(read_bytes(wrong).summary->end_sentence,
            "After " + std::to_string(ends[3]) +
                " bytes the recording is damaged there: a checksum does not match; everything before is here.");
}

TEST(RecordingDamage, ALostChunkIsNoticed) {
  const auto& [bytes, ends, lines] = chunked();
  const Reading reading = read_bytes(bytes.substr(0, ends[2]) + bytes.substr(ends[3]));
  EXPECT_EQ(reading.lines, lines[2]);
  EXPECT_NE(reading.summary->end_sentence.find("damaged"), std::string::npos);
}

TEST(RecordingDamage, WhatIsWrittenBehindItIsNotRead) {
  const Reading reading = read_bytes(chunked().bytes + std::string(100'000, '\0'));
  EXPECT_EQ(reading.lines, chunked().lines.back());
}

TEST(RecordingDamage, ARecordingOfANewerVersionIsRefusedWithItsVersion) {
  disk::FileHeader header{disk::kMagic, disk::kVersion + 1, disk::kTimeShift, 0, 0};
  std::string bytes(sizeof(header), '\0');
  std::memcpy(bytes.data(), &header, sizeof(header));  // of another checksum, perhaps
  const TemporaryFile file(bytes);
  const Reading reading = read_file(file.path());
  ASSERT_FALSE(reading.summary);
  EXPECT_EQ(reading.summary.error().exit_code, ExitCode::unreadable_recording);
  EXPECT_EQ(reading.summary.error().sentence,
            file.path() + " was made by a newer memswell (its format is 4, this one reads up to 3): use that one");
}

TEST(RecordingDamage, WhatIsNoRecordingIsRefused) {
  const TemporaryFile file("#!/bin/sh\necho this is a script, and long enough to hold a header\n");
  EXPECT_EQ(read_file(file.path()).summary.error().sentence, file.path() + " is not a memswell recording");
  EXPECT_EQ(read_file("/").summary.error().exit_code, ExitCode::unreadable_recording);
  EXPECT_EQ(read_file("/nonexistent/x.swell").summary.error().sentence,
            "cannot open the recording /nonexistent/x.swell: No such file or directory");
}

}  // namespace
}  // namespace memswell::trace
