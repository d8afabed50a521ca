#include "tests/support/counter_report.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/interposer/counter_layout.h"

namespace memswell::tests {
namespace {

Counted from_record(const counter_record& record) {
  Counted counted;
  counted.pid = record.pid;
  counted.ppid = record.ppid;
  counted.executable = record.executable;
  counted.malloc_calls = record.calls[COUNTER_MALLOC];
  counted.calloc_calls = record.calls[COUNTER_CALLOC];
  counted.realloc_calls = record.calls[COUNTER_REALLOC];
  counted.aligned_calls = record.calls[COUNTER_ALIGNED];
  for (const std::uint64_t calls : record.calls) counted.calls += calls;
  counted.bytes = record.bytes;
  counted.frees = record.frees;
  counted.live_blocks = record.live_blocks;
  counted.live_bytes = record.live_bytes;
  counted.inherited_blocks = record.inherited_blocks;
  counted.inherited_bytes = record.inherited_bytes;
  counted.overflows = record.overflows;
  return counted;
}

}  // namespace

void make_counter_file(const std::string& path) {
  std::ofstream(path, std::ios::binary).close();
  std::filesystem::resize_file(path, COUNTER_FILE_BYTES);
  // Programs that drop their privileges go on counting.
  std::filesystem::permissions(path, std::filesystem::perms(0666));
}

std::vector<Counted> read_counter_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string pages(std::istreambuf_iterator<char>(in), {});
  std::vector<Counted> all;
  if (pages.size() != COUNTER_FILE_BYTES) return all;
  counter_header header;
  std::memcpy(&header, pages.data(), sizeof header);
  for (std::size_t n = 1; n <= std::min<std::size_t>(header.claimed, COUNTER_RECORDS); ++n) {
    counter_record record;
    std::memcpy(&record, pages.data() + n * COUNTER_RECORD_BYTES, sizeof record);
    all.push_back(from_record(record));
  }
  return all;
}

}  // namespace memswell::tests
