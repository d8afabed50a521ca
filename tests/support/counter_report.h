// What libcounter.so counted, one entry a process image, in the order in which the images began.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memswell::tests {

struct Counted {
  int pid = 0;
  int ppid = 0;
  std::string executable;
  std::uint64_t calls = 0;
  std::uint64_t malloc_calls = 0;
  std::uint64_t calloc_calls = 0;
  std::uint64_t realloc_calls = 0;
  std::uint64_t aligned_calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t frees = 0;
  std::int64_t live_blocks = 0;
  std::int64_t live_bytes = 0;
  std::int64_t inherited_blocks = 0;
  std::int64_t inherited_bytes = 0;
  std::uint64_t overflows = 0;
};

// Makes the file that the counter writes into; name it in the environment variable COUNTER_FILE_VARIABLE.
void make_counter_file(const std::string& path);

std::vector<Counted> read_counter_file(const std::string& path);

}  // namespace memswell::tests
