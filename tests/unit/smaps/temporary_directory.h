// A directory of its own for a test, removed with all that is in it.
#pragma once

#include <string>
#include <string_view>

namespace memswell::smaps::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

  // Writes a file, with its directories; returns its path.
  std::string write(const std::string& name, std::string_view content, unsigned mode = 0644) const;

 private:
  std::string path_;
};

}  // namespace memswell::smaps::test
