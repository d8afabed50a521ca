#include "symbols/isolated_work.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include "base/under_sanitizer.h"
#include "base/unique_fd.h"

namespace memswell::symbols {
namespace {

using Clock = std::chrono::steady_clock;

void limit(int resource, std::uint64_t most) {
  struct rlimit now {};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &now) != 0) return;
  now.rlim_cur = std::min<rlim_t>(most, now.rlim_max);
  setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
}

// The child starts from the caller's handlers and descriptors: a fault must end it at once, quietly and without a core.
void prepare_child(const WorkLimits& limits, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (const int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGXCPU, SIGPIPE})
    signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(limits.cpu.count()));
  if constexpr (!kUnderSanitizer) {  // its report on stderr is what one runs it for
    limit(RLIMIT_DATA, limits.data_bytes);
    if (const int null = open("/dev/null", O_RDWR | O_CLOEXEC); null >= 0) dup2(null, STDERR_FILENO);
  }
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

[[noreturn]] void be_child(const Work& work, int fd, const WorkLimits& limits, pid_t parent) {
  prepare_child(limits, parent);
  bool done = false;
  try {
    done = write_all(fd, work());
  } catch (...) {  // std::bad_alloc at the limit of memory; libraries below throw nothing else
  }
  _exit(done ? 0 : 1);  // neither destructors nor buffers of the parent's are ours to run or flush
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("reading it crashed ({})", strsignal(WTERMSIG(status)));
  return "reading it ran out of memory";
}

class Child {
 public:
  Child(std::size_t index, const Work& work, const WorkLimits& limits)
      : index_(index), deadline_(Clock::now() + limits.wall) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    UniqueFd writing(ends[1]);
    reading_.reset(ends[0]);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) be_child(work, writing.get(), limits, parent);
    if (pid_ < 0) reading_.reset();
  }

  std::size_t index() const { return index_; }
  int fd() const { return reading_.get(); }
  bool running() const { return static_cast<bool>(reading_); }
  Clock::time_point deadline() const { return deadline_; }

  void receive(const WorkLimits& limits) {
    std::array<char, 65536> buffer;
    const ssize_t got = read(fd(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return;
    if (got > 0 && bytes_.size() + static_cast<std::size_t>(got) <= limits.result_bytes) {
      bytes_.append(buffer.data(), static_cast<std::size_t>(got));
    } else {
      if (got > 0) stop("reading it gave more than can be true");
      reading_.reset();
    }
  }
  void stop(std::string why) {
    kill(pid_, SIGKILL);
    stopped_ = std::move(why);
    reading_.reset();
  }
  Result<std::string> take() {
    if (pid_ < 0) return Error{"no process could be started to read it"};
    int status = 0;
    pid_t ended = 0;
    do ended = waitpid(pid_, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (!stopped_.empty()) return Error{stopped_};
    if (ended == pid_ && status != 0) return Error{how_it_ended(status)};
    return std::move(bytes_);  // somebody else may have reaped it: the bytes carry a checksum of their own
  }

 private:
  std::size_t index_;
  Clock::time_point deadline_;
  UniqueFd reading_;
  pid_t pid_ = -1;
  std::string bytes_;
  std::string stopped_;
};

void wait_for_bytes(std::vector<Child>& children, const WorkLimits& limits) {
  std::vector<pollfd> polled;
  for (const auto& child : children) polled.push_back({child.fd(), POLLIN, 0});
  poll(polled.data(), polled.size(), 1000);
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (polled[i].revents != 0) {
      children[i].receive(limits);
    } else if (Clock::now() > children[i].deadline()) {
      children[i].stop("reading it took too long");
    }
  }
}

}  // namespace

std::vector<Result<std::string>> run_isolated(const std::vector<Work>& works, const WorkLimits& limits) {
  const unsigned at_once = limits.at_once ? limits.at_once : std::max(1u, std::thread::hardware_concurrency());
  std::vector<Result<std::string>> results(works.size(), Error{"not started"});
  std::vector<Child> children;
  std::size_t next = 0;
  while (next < works.size() || !children.empty()) {
    while (next < works.size() && children.size() < at_once) {
      children.emplace_back(next, works[next], limits);
      ++next;
    }
    wait_for_bytes(children, limits);
    std::erase_if(children, [&](Child& child) {
      if (child.running()) return false;
      results[child.index()] = child.take();
      return true;
    });
  }
  return results;
}

}  // namespace memswell::symbols
