#include "tests/support/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace memswell::tests {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(30);
constexpr int kSliceMs = 100;

[[noreturn]] void become_shell(const char* slave_name) {
  ::setsid();
  const int slave = ::open(slave_name, O_RDWR);  // the first terminal that a session's leader opens is its own
  for (const int fd : {0, 1, 2}) ::dup2(slave, fd);
  ::close_range(3, ~0U, 0);
  ::setenv("PS1", "ready> ", 1);
  ::setenv("HISTFILE", "/dev/null", 1);
  ::execlp("bash", "bash", "--norc", "--noprofile", "--noediting", "-i", nullptr);
  ::_exit(127);
}

}  // namespace

Terminal::Terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) throw std::runtime_error("no terminal could be made");
  const std::string slave = ::ptsname(master_);
  resize(24, 80);
  shell_ = ::fork();
  if (shell_ == 0) become_shell(slave.c_str());
  if (!sees("ready> ")) throw std::runtime_error("no shell in the terminal: " + seen_);
}

// Closing a terminal hangs up on all that run in it.
Terminal::~Terminal() {
  ::close(master_);
  ::kill(shell_, SIGHUP);
  ::kill(shell_, SIGKILL);
  ::waitpid(shell_, nullptr, 0);
}

void Terminal::type(const std::string& line) {
  const std::string keys = line + "\r";
  if (::write(master_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) throw std::runtime_error("cannot type");
}

void Terminal::press(char key) {
  if (::write(master_, &key, 1) != 1) throw std::runtime_error("cannot press a key");
}

void Terminal::resize(int rows, int columns) {
  const winsize size{static_cast<unsigned short>(rows), static_cast<unsigned short>(columns), 0, 0};
  ::ioctl(master_, TIOCSWINSZ, &size);
}

bool Terminal::read_more() {
  pollfd event{master_, POLLIN, 0};
  if (::poll(&event, 1, kSliceMs) <= 0) return true;
  char bytes[4096];
  const ssize_t count = ::read(master_, bytes, sizeof bytes);
  if (count <= 0) return false;
  seen_.append(bytes, static_cast<std::size_t>(count));
  return true;
}

bool Terminal::sees(const std::string& text) {
  const auto deadline = Clock::now() + kPatience;
  do {
    const std::size_t found = seen_.find(text, looked_at_);
    if (found != std::string::npos) {
      looked_at_ = found + text.size();
      return true;
    }
  } while (read_more() && Clock::now() < deadline);
  return false;
}

}  // namespace memswell::tests
