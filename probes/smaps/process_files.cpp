#include "probes/smaps/process_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>

#include "probes/smaps/stat_parser.h"

namespace memswell::smaps {
namespace {

constexpr std::size_t kFirstBytes = 16 * 1024;
constexpr std::size_t kRoomForOneRead = 4096;  // the kernel hands out /proc texts in pieces of about a page

bool means_gone(int error) { return error == ENOENT || error == ESRCH; }

}  // namespace

ReadBuffer::Read ReadBuffer::read_all(int fd) {
  if (memory_.empty()) memory_.resize(kFirstBytes);
  std::size_t used = 0;
  for (;;) {
    if (memory_.size() - used < kRoomForOneRead) memory_.resize(memory_.size() * 2);
    const auto got = ::pread(fd, memory_.data() + used, memory_.size() - used, static_cast<off_t>(used));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {{}, errno};
    if (got == 0) return {{memory_.data(), used}, 0};
    used += static_cast<std::size_t>(got);
  }
}

Result<std::optional<ProcessFiles>> ProcessFiles::open(std::int32_t pid) {
  const auto path = "/proc/" + std::to_string(pid);
  UniqueFd directory(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (directory) return std::optional(ProcessFiles(pid, std::move(directory)));
  if (means_gone(errno)) return std::optional<ProcessFiles>();
  return Error{"cannot open " + path + ": " + std::strerror(errno)};
}

Error ProcessFiles::failure(const char* what, const char* name, int error) const {
  std::string sentence =
      std::string("cannot ") + what + " /proc/" + std::to_string(pid_) + "/" + name + ": " + std::strerror(error);
  if (error == EACCES || error == EPERM) sentence += " (it belongs to another user, or has made itself undumpable)";
  return {std::move(sentence)};
}

Result<std::optional<UniqueFd>> ProcessFiles::open_file(const char* name, int flags) const {
  UniqueFd fd(::openat(reading_from(), name, flags | O_CLOEXEC));
  if (fd) return std::optional(std::move(fd));
  if (means_gone(errno)) return std::optional<UniqueFd>();
  return failure("open", name, errno);
}

Result<std::optional<std::string_view>> ProcessFiles::read(const char* name, ReadBuffer& buffer) const {
  const auto fd = open_file(name, O_RDONLY);
  if (!fd) return fd.error();
  if (!*fd) return std::optional<std::string_view>();
  const auto read = buffer.read_all((*fd)->get());
  if (read.error == 0) return std::optional(read.text);
  if (means_gone(read.error)) return std::optional<std::string_view>();
  return failure("read", name, read.error);
}

Result<std::optional<std::string>> ProcessFiles::read_link(const char* name) const {
  std::string target(PATH_MAX, '\0');
  const auto length = ::readlinkat(reading_from(), name, target.data(), target.size());
  if (length >= 0) {
    target.resize(static_cast<std::size_t>(length));
    return std::optional(std::move(target));
  }
  if (means_gone(errno)) return std::optional<std::string>();
  return failure("read the link", name, errno);
}

bool ProcessFiles::move_to_living_thread() {
  UniqueFd list(::openat(directory_.get(), "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(list ? ::fdopendir(list.get()) : nullptr, &::closedir);
  if (!threads) return false;
  const int task = list.release();  // the stream's now
  ReadBuffer buffer;
  while (const dirent* entry = ::readdir(threads.get())) {
    if (entry->d_name[0] == '.') continue;
    UniqueFd thread(::openat(task, entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd file(::openat(thread.get(), "statm", O_RDONLY | O_CLOEXEC));
    if (!file) continue;
    const auto read = buffer.read_all(file.get());
    const auto statm = parse_statm(read.text, 1);
    if (read.error != 0 || !statm || statm->size_bytes == 0) continue;
    thread_directory_ = std::move(thread);
    return true;
  }
  return false;
}

}  // namespace memswell::smaps
