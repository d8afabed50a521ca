#include "capture/program_wait.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace memswell::capture {
namespace {

constexpr std::array kForwarded = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
constexpr std::array kIgnored = {SIGINT, SIGQUIT};

volatile sig_atomic_t relay_target = 0;
struct sigaction saved_actions[kForwarded.size() + kIgnored.size()];

void forward(int number, siginfo_t* info, void*) {
  const int error = errno;
  if (info->si_code <= 0 && relay_target > 0) kill(relay_target, number);  // sent by kill(2), not by the terminal
  errno = error;
}

// The system call gives the rusage that glibc's waitid leaves out, and WNOWAIT keeps the pid from being reused.
int wait_id(pid_t pid, siginfo_t& info, int options, rusage* usage) {
  long result;
  do result = syscall(SYS_waitid, P_PID, pid, &info, options, usage);
  while (result != 0 && errno == EINTR);
  return static_cast<int>(result);
}

bool is_terminal_stop(int number) { return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU; }

// Only with a terminal whose foreground we are will somebody continue the whole group.
bool in_terminal_foreground() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (tcgetpgrp(fd) == getpgrp()) return true;
  return false;
}

void stop_with(pid_t program) {
  kill(getpid(), SIGSTOP);
  kill(program, SIGCONT);
}

int wait_status_of(const siginfo_t& info) {
  if (info.si_code == CLD_EXITED) return (info.si_status & 0xff) << 8;
  return (info.si_status & 0x7f) | (info.si_code == CLD_DUMPED ? 0x80 : 0);
}

}  // namespace

SignalRelay::SignalRelay(pid_t program) {
  relay_target = program;
  std::size_t slot = 0;
  struct sigaction action {};
  action.sa_sigaction = forward;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int number : kForwarded) {
    sigaction(number, nullptr, &saved_actions[slot]);
    // What the caller has set to be ignored (nohup) is ignored by the program too.
    if (saved_actions[slot].sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
    ++slot;
  }
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (const int number : kIgnored) sigaction(number, &ignore, &saved_actions[slot++]);
}

SignalRelay::~SignalRelay() {
  std::size_t slot = 0;
  for (const int number : kForwarded) sigaction(number, &saved_actions[slot++], nullptr);
  for (const int number : kIgnored) sigaction(number, &saved_actions[slot++], nullptr);
  relay_target = 0;
}

ProgramEnd wait_for_program(pid_t program) {
  for (;;) {
    siginfo_t info{};
    rusage usage{};
    if (wait_id(program, info, WEXITED | WSTOPPED | WNOWAIT, &usage) != 0) return {};
    if (info.si_code != CLD_STOPPED && info.si_code != CLD_TRAPPED)
      return {wait_status_of(info), static_cast<Bytes>(usage.ru_maxrss) * 1024};
    wait_id(program, info, WSTOPPED, nullptr);
    if (is_terminal_stop(info.si_status) && in_terminal_foreground()) stop_with(program);
  }
}

void collect_program(pid_t program) {
  siginfo_t info{};
  wait_id(program, info, WEXITED, nullptr);
}

}  // namespace memswell::capture
