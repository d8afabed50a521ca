#include "base/inherited.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <initializer_list>

namespace memswell {
namespace {

bool children_were_ignored = false;

}  // namespace

void put_inherited_right() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) >= 0) continue;
    static_cast<void>(!open("/dev/null", O_RDWR | O_CLOEXEC));  // gets the lowest number that is free: this one
  }
  struct sigaction action {};
  sigaction(SIGCHLD, nullptr, &action);
  children_were_ignored = action.sa_handler == SIG_IGN;
  signal(SIGCHLD, SIG_DFL);
}

void restore_inherited() {
  if (children_were_ignored) signal(SIGCHLD, SIG_IGN);
}

}  // namespace memswell
