#include "capture/detached_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>

namespace memswell::capture {
namespace {

// Limits of file size and processor time are the program's; here a write that fails is enough.
constexpr int kIgnoredSignals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE, SIGTSTP,
                                   SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGXFSZ, SIGXCPU};

void close_all_but(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned next = STDERR_FILENO + 1;
  for (const int fd : kept) {
    if (fd < 0) continue;
    const auto number = static_cast<unsigned>(fd);
    if (number > next) close_range(next, number - 1, 0);
    next = std::max(next, number + 1);
  }
  close_range(next, ~0u, 0);
}

void leave_standard_streams() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  if (null > STDERR_FILENO) close(null);
}

}  // namespace

void detach_process(const char* name, std::vector<int> kept, StandardStreams streams) {
  setsid();
  prctl(PR_SET_NAME, name);
  for (const int number : kIgnoredSignals) signal(number, SIG_IGN);
  close_all_but(std::move(kept));
  if (streams == StandardStreams::leave) leave_standard_streams();
}

}  // namespace memswell::capture
