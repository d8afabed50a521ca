// Runs a command to its end and keeps what it said. Nothing is inherited but what is asked for; a command that takes
// longer than its limit is killed with everything in its process group, and the result says so.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace memswell::tests {

struct Command {
  std::vector<std::string> argv = {};                   // argv[0] is looked up in PATH
  std::map<std::string, std::string> environment = {};  // added to the test's own
  std::string working_directory = {};                   // empty: the test's own
  std::string input = {};                               // its standard input
  std::chrono::seconds limit{120};
};

struct Finished {
  int exit_code = -1;  // -1: it did not exit
  int signal = 0;      // the signal that ended it, or 0
  bool timed_out = false;
  std::string out;
  std::string err;
};

Finished run(const Command& command);

// A fresh folder, removed with all that it holds at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace memswell::tests
