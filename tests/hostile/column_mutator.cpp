// How libFuzzer changes columns laid flat: one of them at a time, its length kept right, and in the column of records one
// record at a time. A byte put in anywhere would shift all that follows it, and the decoder would stop there.
#include <algorithm>
#include <cstdint>
#include <random>

#include "tests/hostile/forge.h"
#include "tests/hostile/target.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace memswell::hostile {
namespace {

using Bytes = std::vector<std::uint8_t>;
using trace::disk::Column;
using Random = std::minstd_rand;

constexpr std::size_t kMostGrowth = 64;
constexpr std::size_t kOps = static_cast<std::size_t>(Column::ops);
constexpr std::size_t kRecords = static_cast<std::size_t>(Column::records);

void mutate(Bytes& bytes) {
  const std::size_t size = bytes.size();
  bytes.resize(size + kMostGrowth);
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
}

// Lengths of one or two bytes, as those of a fuzzer's records are; the rest is left as one record.
std::vector<Bytes> records_of(const Bytes& column) {
  std::vector<Bytes> records;
  for (std::size_t at = 0; at < column.size();) {
    std::size_t length = column[at++];
    if (length >= 0x80 && at < column.size()) length = (length & 0x7f) | std::size_t{column[at++]} << 7;
    length = std::min(length, column.size() - at);
    const auto begin = column.begin() + static_cast<std::ptrdiff_t>(at);
    records.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
    at += length;
  }
  return records;
}

Bytes column_of(const std::vector<Bytes>& records) {
  Bytes column;
  for (const Bytes& record : records) {
    const std::size_t length = std::min<std::size_t>(record.size(), 0x3fff);
    if (length >= 0x80) column.push_back(static_cast<std::uint8_t>(length | 0x80));
    column.push_back(static_cast<std::uint8_t>(length >= 0x80 ? length >> 7 : length));
    column.insert(column.end(), record.begin(), record.begin() + static_cast<std::ptrdiff_t>(length));
  }
  return column;
}

// An operation without context, somewhere: Op::record is 0.
void add_record_operation(Bytes& ops, Random& random) {
  ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(random() % (ops.size() + 1)), std::uint8_t{0});
}

void mutate_records(Columns& chunk, Random& random) {
  std::vector<Bytes> records = records_of(chunk[kRecords]);
  if (records.empty()) records.emplace_back(1, std::uint8_t{0});
  Bytes& one = records[random() % records.size()];
  Bytes& other = records[random() % records.size()];
  switch (random() % 4) {
    case 0: std::swap(one, other); break;
    case 1: {
      const Bytes copy = one;
      records.insert(records.begin() + static_cast<std::ptrdiff_t>(random() % records.size()), copy);
      add_record_operation(chunk[kOps], random);
      break;
    }
    default: mutate(one);
  }
  chunk[kRecords] = column_of(records);
}

// Another operation, with a byte of each column that it may ask for.
void add_operation(Columns& chunk, Random& random) {
  chunk[kOps].push_back(static_cast<std::uint8_t>(random()));
  for (std::size_t i = 0; i < kRecords; ++i)
    if (i != kOps) chunk[i].push_back(static_cast<std::uint8_t>(random() % 4 == 0 ? random() : random() % 32));
}

std::string mutated(std::string_view flat_columns, Random& random) {
  std::vector<Columns> chunks = columns_of_flat(flat_columns);
  if (chunks.empty()) chunks.emplace_back();
  Columns& chunk = chunks[random() % chunks.size()];
  switch (random() % 8) {
    case 0: add_operation(chunk, random); break;
    case 1: chunks.push_back(Columns(chunk)); break;
    case 2:
    case 3:
    case 4: mutate_records(chunk, random); break;
    default: mutate(chunk[random() % kRecords]);
  }
  return flat(chunks);
}

}  // namespace
}  // namespace memswell::hostile

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  using namespace memswell::hostile;
  Random random(seed);
  if (size <= MEMSWELL_FUZZ_PREFIX || random() % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  if (MEMSWELL_FUZZ_PREFIX != 0 && random() % 8 == 0) data[0] = static_cast<std::uint8_t>(random());
  const std::string bytes = mutated(text_of(data, size).substr(MEMSWELL_FUZZ_PREFIX), random);
  if (bytes.size() + MEMSWELL_FUZZ_PREFIX > max_size) return size;
  std::copy(bytes.begin(), bytes.end(), data + MEMSWELL_FUZZ_PREFIX);
  return bytes.size() + MEMSWELL_FUZZ_PREFIX;
}
