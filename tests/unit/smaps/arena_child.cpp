#include "tests/unit/smaps/arena_child.h"

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <csignal>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace memswell::smaps::test {

Arena::Arena(std::size_t bytes, std::size_t alignment) : mapped_(bytes + alignment) {
  void* memory = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory for the arena");
  memory_ = static_cast<char*>(memory);
  const auto address = reinterpret_cast<std::uintptr_t>(memory_);
  base_ = memory_ + ((address + alignment - 1) / alignment * alignment - address);
}

Arena::~Arena() { ::munmap(memory_, mapped_); }

// A sanitizer's shadow of these pages would be growth of its own.
[[gnu::no_sanitize("address", "thread")]] void Arena::write(std::size_t first, std::size_t pages) const {
  for (std::size_t i = first; i < first + pages; ++i) *static_cast<volatile char*>(page(i)) = 1;
}

[[gnu::no_sanitize("address", "thread")]] void Arena::read(std::size_t first, std::size_t pages) const {
  for (std::size_t i = first; i < first + pages; ++i) static_cast<void>(*static_cast<volatile char*>(page(i)));
}

void track_writes(void* memory, std::size_t bytes) {
  constexpr int kUserModeOnly = 1;
  constexpr std::uint64_t kUnpopulatedAndAsync = (1 << 13) | (1 << 15);  // UFFD_FEATURE_WP_UNPOPULATED, WP_ASYNC
  const auto fd = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly));
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = kUnpopulatedAndAsync;
  uffdio_register range{};
  range.range = {reinterpret_cast<std::uintptr_t>(memory), bytes};
  range.mode = UFFDIO_REGISTER_MODE_WP;
  if (::ioctl(fd, UFFDIO_API, &api) != 0 || ::ioctl(fd, UFFDIO_REGISTER, &range) != 0) ::_exit(1);
}

ArenaChild::ArenaChild(std::vector<Step> steps) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no socket pair");
  parent_end_.reset(ends[0]);
  child_end_.reset(ends[1]);
  pid_ = ::fork();
  if (pid_ == 0) run(steps);
  child_end_.reset();
  wait_until_done();
}

void ArenaChild::run(const std::vector<Step>& steps) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  parent_end_.reset();
  char byte = 0;
  for (const auto& step : steps) {
    step();
    if (::write(child_end_.get(), &byte, 1) != 1 || ::read(child_end_.get(), &byte, 1) != 1) ::_exit(1);
  }
  for (;;) ::pause();
}

ArenaChild::ArenaChild(FirstThread) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("no socket pair");
  parent_end_.reset(ends[0]);
  child_end_.reset(ends[1]);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::thread([this] {
      char byte = 0;
      if (::write(child_end_.get(), &byte, 1) == 1 && ::read(child_end_.get(), &byte, 1) == 1) {
        ::execl("/bin/sleep", "sleep", "1000", nullptr);
      }
      ::_exit(1);
    }).detach();
    ::syscall(SYS_exit, 0);
  }
  child_end_.reset();
  char byte = 0;
  if (::read(parent_end_.get(), &byte, 1) != 1) throw std::runtime_error("the child has died");
  wait_for_state('Z');
}

void ArenaChild::run_sleep() {
  char byte = 0;
  if (::write(parent_end_.get(), &byte, 1) != 1) throw std::runtime_error("the child has died");
  // The socket is closed by the exec.
  if (::read(parent_end_.get(), &byte, 1) != 0) throw std::runtime_error("the child did not run sleep");
  wait_for_state('S');
}

void ArenaChild::wait_until_done() {
  char byte = 0;
  if (::read(parent_end_.get(), &byte, 1) != 1) throw std::runtime_error("the child has died");
  // The byte comes from within write(2): wait until the child sleeps in its read(2), where it touches no memory.
  wait_for_state('S');
}

void ArenaChild::wait_for_state(char state) const {
  const auto path = "/proc/" + std::to_string(pid_) + "/stat";
  for (char seen = 0; seen != state;) {
    char text[256] = {};
    const UniqueFd stat(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (::read(stat.get(), text, sizeof text - 1) <= 0) throw std::runtime_error("the child has died");
    const std::string_view line = text;
    seen = line.substr(line.rfind(')') + 2).front();
  }
}

void ArenaChild::next_step() {
  const char byte = 0;
  if (::write(parent_end_.get(), &byte, 1) != 1) throw std::runtime_error("the child has died");
  wait_until_done();
}

void ArenaChild::kill_and_leave() {
  ::kill(pid_, SIGKILL);
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
}

void ArenaChild::kill_and_collect() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

}  // namespace memswell::smaps::test
