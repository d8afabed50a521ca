// /proc/PID/status as a value (proc(5); fs/proc/array.c and task_mem in fs/proc/task_mmu.c). Pure function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace memswell::smaps {

// Missing for kernel threads, zombies and thread-group leaders that have ended before their threads.
struct StatusMemory {
  Bytes peak_size_bytes = 0;        // VmPeak: address space
  Bytes size_bytes = 0;             // VmSize
  Bytes locked_bytes = 0;           // VmLck
  Bytes high_water_mark_bytes = 0;  // VmHWM: peak RSS since exec or the last reset
  Bytes rss_bytes = 0;              // VmRSS = the next three
  Bytes rss_anon_bytes = 0;
  Bytes rss_file_bytes = 0;
  Bytes rss_shmem_bytes = 0;
  Bytes data_bytes = 0;  // VmData: private writable address space
  Bytes stack_bytes = 0;
  Bytes executable_bytes = 0;
  Bytes library_bytes = 0;
  Bytes page_table_bytes = 0;  // VmPTE: the kernel's, not in RSS
  Bytes swap_bytes = 0;
  Bytes hugetlb_bytes = 0;  // not in RSS
  friend bool operator==(const StatusMemory&, const StatusMemory&) = default;
};

struct Status {
  std::string name;  // comm: at most 15 bytes, the kernel's escapes undone
  char state = '?';  // R S D T t Z X …
  std::int32_t tgid = 0;
  std::int32_t pid = 0;
  std::int32_t ppid = 0;
  std::int32_t tracer_pid = 0;      // 0: nobody traces it
  std::vector<std::uint32_t> uids;  // real, effective, saved, file system
  std::vector<std::uint32_t> gids;
  std::vector<std::int32_t> ns_pids;  // from the reader's pid namespace inwards
  std::uint32_t threads = 0;
  bool has_memory = false;
  StatusMemory memory;
  bool complete = false;  // the text was not cut

  bool is_zombie() const { return state == 'Z' || state == 'X'; }
  friend bool operator==(const Status&, const Status&) = default;
};

// A cut last line is left out and `complete` is false; an impossible value of a known key elsewhere is an error.
Result<Status> parse_status(std::string_view text);

}  // namespace memswell::smaps
