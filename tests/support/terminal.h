// A terminal with an interactive bash in it, as a person has: what is typed, which keys are pressed, what is to be seen.
// The shell makes a process group of each command and hands it the terminal, so job control is real.
#pragma once

#include <sys/types.h>

#include <string>

namespace memswell::tests {

class Terminal {
 public:
  Terminal();  // throws if no pseudo terminal can be made
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& line);  // and Enter
  void press(char key);                // '\x03' is Ctrl-C, '\x1a' Ctrl-Z
  void resize(int rows, int columns);

  // Reads until TEXT has been written since the last time. False: not within 30 seconds.
  bool sees(const std::string& text);
  // All that was ever to be seen; for messages.
  const std::string& seen() const { return seen_; }

 private:
  bool read_more();

  int master_ = -1;
  pid_t shell_ = -1;
  std::string seen_;
  std::size_t looked_at_ = 0;
};

}  // namespace memswell::tests
