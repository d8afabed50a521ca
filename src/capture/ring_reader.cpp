#include "capture/ring_reader.h"

namespace memswell::capture {
namespace {

using format::RecordKind;

enum class Payload : std::uint8_t { unknown, none, stack, text };

struct Shape {
  Payload payload = Payload::unknown;
  std::uint8_t extras = 0;  // words of its own
};

constexpr std::array<Shape, 256> make_shapes() {
  std::array<Shape, 256> shapes{};
  const auto set = [&](RecordKind kind, Payload payload, std::uint8_t extras) {
    shapes[static_cast<std::uint8_t>(kind)] = {payload, extras};
  };
  set(RecordKind::malloc, Payload::stack, 0);
  set(RecordKind::calloc, Payload::stack, 0);
  set(RecordKind::aligned, Payload::stack, 0);
  set(RecordKind::realloc_end, Payload::stack, 1);
  set(RecordKind::operator_new, Payload::stack, 0);
  set(RecordKind::map, Payload::stack, 1);
  set(RecordKind::remap, Payload::stack, 2);
  set(RecordKind::free, Payload::none, 0);
  set(RecordKind::realloc_begin, Payload::none, 0);
  set(RecordKind::realloc_failed, Payload::none, 0);
  set(RecordKind::unmap, Payload::none, 1);
  set(RecordKind::advise, Payload::none, 1);
  set(RecordKind::heap_break, Payload::stack, 1);
  set(RecordKind::thread, Payload::none, 0);
  set(RecordKind::layout, Payload::none, 0);
  set(RecordKind::mark_phase, Payload::text, 0);
  set(RecordKind::mark_value, Payload::text, 1);
  set(RecordKind::block_used, Payload::none, 1);
  set(RecordKind::pool_free, Payload::none, 1);
  set(RecordKind::pool_alloc, Payload::none, 1);
  set(RecordKind::forking, Payload::none, 0);
  set(RecordKind::executing, Payload::text, 0);
  set(RecordKind::exiting, Payload::none, 0);
  set(RecordKind::exec_failed, Payload::none, 0);
  return shapes;
}

constexpr std::array<Shape, 256> kShapes = make_shapes();

constexpr std::uint64_t kSizeMask = (std::uint64_t{1} << format::kSizeBits) - 1;

}  // namespace

RingReader::Outcome RingReader::read_rest(std::uint64_t position, std::uint64_t available, RingRecord& record) const {
  const Shape shape = kShapes[static_cast<std::uint8_t>(record.kind)];
  std::uint64_t length = 2;

  if (shape.payload == Payload::none && shape.extras == 0) {
    record.words = length;
    return Outcome::record;
  }
  if (shape.payload == Payload::unknown) return Outcome::broken;

  bool usable_in_word = false;
  bool requested_in_word = false;
  if (shape.payload == Payload::stack) {
    if (available < 3) return Outcome::broken;
    const std::uint64_t third = word(position + length++);
    record.requested = third & kSizeMask;
    record.level = static_cast<std::uint8_t>(third >> format::kLevelShift & 3);
    record.keep = static_cast<std::uint32_t>(third >> format::kKeepShift) & format::kCountMask;
    record.push = static_cast<std::uint32_t>(third >> format::kPushShift) & format::kCountMask;
    usable_in_word = record.small == format::kSlackInWord;
    requested_in_word = record.requested == format::kSizeInWord;
    if (!usable_in_word && !requested_in_word && shape.extras == 0) {  // nearly all
      record.usable = record.requested + record.small;
      record.payload = position + 3;
      record.words = 3 + std::uint64_t{record.push};
      return record.words <= available ? Outcome::record : Outcome::broken;
    }
  }
  const std::uint64_t fixed = length + (usable_in_word ? 1 : 0) + (requested_in_word ? 1 : 0) + shape.extras +
                              (shape.payload == Payload::text ? 1 : 0);
  if (available < fixed) return Outcome::broken;
  const std::uint64_t usable_word = usable_in_word ? word(position + length++) : 0;
  if (requested_in_word) record.requested = word(position + length++);
  record.usable = usable_in_word ? usable_word : record.requested + record.small;
  for (std::uint8_t i = 0; i < shape.extras; ++i) record.extra[i] = word(position + length++);

  std::uint64_t payload_words = record.push;
  if (shape.payload == Payload::text) {
    const std::uint64_t bytes = word(position + length++);
    if (bytes > kTextLimitBytes) return Outcome::broken;
    record.text_bytes = static_cast<std::uint32_t>(bytes);
    payload_words = (bytes + 7) / 8;
  } else if (shape.payload == Payload::none) {
    payload_words = 0;
  }
  if (available - length < payload_words) return Outcome::broken;
  record.payload = position + length;
  record.words = length + payload_words;
  return Outcome::record;
}

std::string RingReader::text(const RingRecord& record) const {
  std::string text;
  text.reserve(record.text_bytes + 7);
  for (std::uint64_t i = 0; text.size() < record.text_bytes; ++i) {
    const std::uint64_t word_now = word(record.payload + i);
    for (int byte = 0; byte < 8; ++byte) text.push_back(static_cast<char>(word_now >> (8 * byte) & 0xff));
  }
  text.resize(record.text_bytes);
  return text;
}

}  // namespace memswell::capture
