#include "capture/ring_reader.h"

#include <gtest/gtest.h>

#include "ring_producer.h"

namespace memswell::capture::test {
namespace {

using Outcome = RingReader::Outcome;

class RingReaderTest : public ::testing::Test {
 protected:
  Region region = *Region::create({});
  RingProducer producer{region, 0, 1};
  RingRecord record;

  Outcome read() {
    const std::uint64_t head = producer.ring.slot->head.load();
    return producer.ring.reader.read(producer.ring.position, head, record);
  }
};

TEST_F(RingReaderTest, FindsNothingInAnEmptyRing) { EXPECT_EQ(read(), Outcome::empty); }

TEST_F(RingReaderTest, DecodesAnAllocation) {
  producer.append({first_word(RecordKind::malloc, 0x7f12'3456'7890, 24), 77, stack_word(1000, 1, 2, 1), 0x401000});
  ASSERT_EQ(read(), Outcome::record);
  EXPECT_EQ(record.kind, RecordKind::malloc);
  EXPECT_EQ(record.address, 0x7f12'3456'7890u);
  EXPECT_EQ(record.stamp, 77u);
  EXPECT_EQ(record.requested, 1000u);
  EXPECT_EQ(record.usable, 1024u);
  EXPECT_EQ(record.level, 1);
  EXPECT_EQ(record.keep, 2u);
  EXPECT_EQ(record.push, 1u);
  EXPECT_EQ(producer.ring.reader.word(record.payload), 0x401000u);
  EXPECT_EQ(record.words, 4u);
}

TEST_F(RingReaderTest, TakesUsableAndRequestedFromWordsOfTheirOwn) {
  const Bytes requested = Bytes{1} << 40;
  producer.append({first_word(RecordKind::malloc, 0x1000, format::kSlackInWord), 1,
                   stack_word(format::kSizeInWord, 0, 0, 0), requested + 4096, requested});
  ASSERT_EQ(read(), Outcome::record);
  EXPECT_EQ(record.requested, requested);
  EXPECT_EQ(record.usable, requested + 4096);
  EXPECT_EQ(record.words, 5u);
}

TEST_F(RingReaderTest, TellsTheBlockThatAReallocReplaced) {
  producer.append({first_word(RecordKind::realloc_end, 0x2000, format::kSlackInWord), 1, stack_word(10, 0, 0, 0), 999, 0x1000});
  ASSERT_EQ(read(), Outcome::record);
  EXPECT_EQ(record.usable, 999u);
  EXPECT_EQ(record.extra[0], 0x1000u);
}

TEST_F(RingReaderTest, ReadsBothWordsOfAMovedMapping) {
  producer.append({first_word(RecordKind::remap, 0x2000), 1, stack_word(8192, 0, 0, 0), 0x1000, 4096});
  ASSERT_EQ(read(), Outcome::record);
  EXPECT_EQ(record.requested, 8192u);
  EXPECT_EQ(record.extra[0], 0x1000u);
  EXPECT_EQ(record.extra[1], 4096u);
}

TEST_F(RingReaderTest, ReadsTextToItsLength) {
  producer.append({first_word(RecordKind::mark_phase, 0), 1, 9, 0x6567'6e61'6863'7865, 0x72});
  ASSERT_EQ(read(), Outcome::record);
  EXPECT_EQ(producer.ring.reader.text(record), "exchanger");
  EXPECT_EQ(record.words, 5u);
}

TEST_F(RingReaderTest, ReadsAcrossTheRingsEnd) {
  producer.start_at(producer.ring.reader.capacity() - 2);
  producer.append({first_word(RecordKind::malloc, 0xabc0, 0), 5, stack_word(7, 0, 0, 2), 0x111111, 0x222222});
  ASSERT_EQ(read(), Outcome::record);
  EXPECT_EQ(record.requested, 7u);
  EXPECT_EQ(producer.ring.reader.word(record.payload + 1), 0x222222u);
}

TEST_F(RingReaderTest, CallsAnUnknownKindBroken) {
  producer.append({0xff, 1});
  EXPECT_EQ(read(), Outcome::broken);
}

TEST_F(RingReaderTest, CallsKindNoneBroken) {
  producer.append({0, 0});
  EXPECT_EQ(read(), Outcome::broken);
}

TEST_F(RingReaderTest, CallsAHeadBeyondTheCapacityBroken) {
  producer.ring.slot->head.store(producer.ring.reader.capacity() + 1);
  EXPECT_EQ(read(), Outcome::broken);
}

TEST_F(RingReaderTest, CallsAHeadBehindTheTailBroken) {
  producer.start_at(100);
  producer.ring.slot->head.store(50);
  EXPECT_EQ(read(), Outcome::broken);
}

TEST_F(RingReaderTest, CallsMorePcsThanWereWrittenBroken) {
  producer.append({first_word(RecordKind::malloc, 0x1000), 1, stack_word(1, 0, 0, 4095)});
  EXPECT_EQ(read(), Outcome::broken);
}

TEST_F(RingReaderTest, CallsATextLongerThanWhatWasWrittenBroken) {
  producer.append({first_word(RecordKind::mark_phase, 0), 1, 100, 0x41});
  EXPECT_EQ(read(), Outcome::broken);
}

TEST_F(RingReaderTest, CallsAnImpossibleTextLengthBroken) {
  producer.append({first_word(RecordKind::executing, 0), 1, ~std::uint64_t{0}, 0x41});
  EXPECT_EQ(read(), Outcome::broken);
}

TEST_F(RingReaderTest, CallsARecordCutBeforeItsExtraWordBroken) {
  producer.append({first_word(RecordKind::unmap, 0x1000), 1});
  EXPECT_EQ(read(), Outcome::broken);
}

}  // namespace
}  // namespace memswell::capture::test
