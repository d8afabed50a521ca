#include "capture/output_pump.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "capture/detached_process.h"
#include "capture/phase_lines.h"

namespace memswell::capture {
namespace {

bool write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EAGAIN) {  // the caller's stream may be non-blocking
      pollfd polled{fd, POLLOUT, 0};
      poll(&polled, 1, -1);
      continue;
    }
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

class Stream {
 public:
  Stream(UniqueFd from, int to, const std::regex& pattern) : from_(std::move(from)), to_(to), lines_(pattern) {
    fcntl(from_.get(), F_SETFL, O_NONBLOCK);
    struct stat status;
    if (fstat(from_.get(), &status) == 0) inode_ = status.st_ino;
  }

  int fd() const { return from_.get(); }
  bool is_open() const { return bool(from_); }

  // Passes on what is there.
  void pass(const ControlChannel& recorder) {
    std::array<char, 65536> bytes;
    while (from_) {
      const ssize_t received = read(from_.get(), bytes.data(), bytes.size());
      if (received < 0 && errno == EINTR) continue;
      if (received < 0 && errno == EAGAIN) return;
      if (received <= 0) return from_.reset();
      const std::string_view text(bytes.data(), static_cast<std::size_t>(received));
      // Where nobody reads any more, the program shall learn it as it would without us: SIGPIPE.
      if (!write_whole(to_, text)) return from_.reset();
      for (const std::string& name : lines_.take(text))
        recorder.send({.kind = Message::Kind::phase, .a = to_, .b = inode_, .text = name});
    }
  }

 private:
  UniqueFd from_;
  int to_;
  PhaseLines lines_;
  std::uint64_t inode_ = 0;
};

}  // namespace

void run_output_pump(PumpSetup setup) {
  detach_process("memswell-output", {setup.out.get(), setup.err.get(), setup.recorder.fd(), setup.launcher.fd()},
                 StandardStreams::keep);
  const Result<std::regex> pattern = compile_phase_pattern(setup.pattern);
  if (!pattern) _exit(1);
  std::array streams = {Stream(std::move(setup.out), STDOUT_FILENO, *pattern),
                        Stream(std::move(setup.err), STDERR_FILENO, *pattern)};
  while (streams[0].is_open() || streams[1].is_open()) {
    std::array<pollfd, 3> polled = {pollfd{streams[0].fd(), POLLIN, 0}, pollfd{streams[1].fd(), POLLIN, 0},
                                    pollfd{setup.launcher.fd(), POLLIN, 0}};
    poll(polled.data(), polled.size(), -1);
    for (Stream& stream : streams) stream.pass(setup.recorder);
    if (polled[2].revents == 0) continue;
    const auto word = setup.launcher.receive(0);
    if (word && word->kind == Message::Kind::first_ended) setup.launcher.send({.kind = Message::Kind::flushed});
    if (word && word->kind == Message::Kind::closed) setup.launcher.close();
  }
  setup.launcher.send({.kind = Message::Kind::flushed});
  _exit(0);
}

}  // namespace memswell::capture
