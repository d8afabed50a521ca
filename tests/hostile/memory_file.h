// A file that lives in memory, for readers that take a path: thousands are read in a run.
#pragma once

#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace memswell::hostile {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = {});

  const std::string& path() const { return path_; }
  UniqueFd open_for_writing() const;
  std::string content() const;

 private:
  UniqueFd memory_;
  std::string path_;
};

}  // namespace memswell::hostile
