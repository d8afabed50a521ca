// Reading the files of one process under /proc. The directory is opened once and kept, so that a pid that is given to
// another process meanwhile can never be mixed in: after the end of the process every read says "gone".
// Not thread-safe; one object a process and reading thread. Opening takes about 5 µs, a read of statm 2 µs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace memswell::smaps {

// Memory for texts of /proc that grows to the largest one seen and is used again.
class ReadBuffer {
 public:
  // Reads `fd` to its end, from its beginning; the text lives until the next call. The error is errno.
  struct Read {
    std::string_view text;
    int error = 0;
  };
  Read read_all(int fd);

 private:
  std::vector<char> memory_;
};

class ProcessFiles {
 public:
  // nullopt: there is no such process.
  static Result<std::optional<ProcessFiles>> open(std::int32_t pid);

  std::int32_t pid() const { return pid_; }

  // The whole file `name` ("smaps", "task/12/stat"). nullopt: the process is gone, or the kernel has no such file.
  // A zombie and a kernel thread have empty smaps and maps. The text lives until `buffer` is used again.
  Result<std::optional<std::string_view>> read(const char* name, ReadBuffer& buffer) const;

  // Opens `name` with `flags` of open(2), O_CLOEXEC added. nullopt as above. Files that show memory (maps, smaps,
  // pagemap) stay bound to the image of the moment: open them again after an exec.
  Result<std::optional<UniqueFd>> open_file(const char* name, int flags) const;

  // Target of the symbolic link `name` ("exe"), nullopt as above. " (deleted)" stays in it.
  Result<std::optional<std::string>> read_link(const char* name) const;

  // A process whose first thread has ended before the others shows no memory under /proc/PID, but does under
  // /proc/PID/task/TID: from here on reads go there. False: no thread with memory was found.
  bool move_to_living_thread();

 private:
  ProcessFiles(std::int32_t pid, UniqueFd directory) : pid_(pid), directory_(std::move(directory)) {}
  int reading_from() const { return thread_directory_ ? thread_directory_.get() : directory_.get(); }
  Error failure(const char* what, const char* name, int error) const;

  std::int32_t pid_;
  UniqueFd directory_;
  UniqueFd thread_directory_;  // set by move_to_living_thread
};

}  // namespace memswell::smaps
