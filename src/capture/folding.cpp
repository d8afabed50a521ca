#include "capture/folding.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/units.h"
#include "capture/detached_process.h"

namespace memswell::capture {
namespace {

constexpr Bytes kPlacesInAll = 16;   // borders, in the size of the bound
constexpr Bytes kKeptUnfolded = 8;   // this part of the bound is left event by event
constexpr Bytes kCaughtUp = 1 << 20; // so much the recorder copies itself

std::string link_of(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

std::uint64_t size_of(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// To the end of `to`. Empty: done; else why not.
std::string copy_bytes(int from, int to, std::uint64_t& offset, std::uint64_t end) {
  while (offset < end) {
    auto at = static_cast<off64_t>(offset);
    ssize_t copied = ::copy_file_range(from, &at, to, nullptr, end - offset, 0);
    if (copied < 0 && (errno == EINVAL || errno == ENOSYS || errno == EXDEV || errno == EOPNOTSUPP || errno == EPERM)) {
      char buffer[1 << 16];
      copied = ::pread(from, buffer, std::min<std::uint64_t>(sizeof buffer, end - offset), static_cast<off_t>(offset));
      if (copied > 0) copied = ::write(to, buffer, static_cast<std::size_t>(copied));
    }
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0) return std::strerror(errno);
    if (copied == 0) return "the recording has become shorter";
    offset += static_cast<std::uint64_t>(copied);
  }
  return {};
}

}  // namespace

Folding::Folding(trace::RecordingWriter& writer, const RecordOptions& options, std::string path)
    : writer_(writer), options_(options), path_(std::move(path)) {
  struct stat status{};
  if (options.max_recording == 0 || !options.fold) return;
  if (::fstat(writer_.file(), &status) != 0 || !S_ISREG(status.st_mode)) {
    note_once(fmt::format("--max-recording has no effect: {} is not a file", path_));
    return;
  }
  most_ = options.max_recording;
  next_fold_ = most_ / 2;
  writer_.on_full([this] { return make_room(); });
}

void Folding::note_once(std::string sentence) {
  if (!std::exchange(noted_, true)) notes_.push_back(std::move(sentence));
}

std::vector<std::string> Folding::take_notes() { return std::exchange(notes_, {}); }

void Folding::tick(Nanoseconds now) {
  if (most_ == 0 || writer_.failure() != nullptr) return;
  const Bytes size = writer_.bytes_written();
  const Bytes last = places_.empty() ? folded_end_ : places_.back().border.offset;
  if (size >= last + most_ / kPlacesInAll) places_.push_back({writer_.begin_anew(), now});
  if (child_ >= 0) return finish();
  if (size >= next_fold_) start(now);
}

// The new file lies in the recording's folder, without a name where the file system can do that: nothing is left of it if
// the recorder is killed.
bool Folding::open_new_file() {
  const std::size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  to_path_.clear();
  to_.reset(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!to_) {
    to_path_ = path_ + ".fold";
    ::unlink(to_path_.c_str());
    to_.reset(::open(to_path_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
  }
  struct stat status{};
  return to_ && ::fstat(from_.get(), &status) == 0 && ::fchmod(to_.get(), status.st_mode & 07777) == 0;
}

void Folding::start(Nanoseconds now) {
  const Bytes size = writer_.bytes_written();
  const auto newest_allowed = std::find_if(places_.rbegin(), places_.rend(), [&](const Place& place) {
    return place.border.offset + most_ / kKeptUnfolded <= size;
  });
  if (newest_allowed == places_.rend() || newest_allowed->border.offset <= folded_end_) {
    next_fold_ = size + most_ / kPlacesInAll;
    return;
  }
  folding_ = *newest_allowed;
  folding_.time = std::min(folding_.time, now);
  from_.reset(::open(link_of(writer_.file()).c_str(), O_RDONLY | O_CLOEXEC));
  int words[2];
  if (!from_ || !open_new_file() || ::pipe2(words, O_CLOEXEC) != 0) return fail(std::strerror(errno));
  told_.reset(words[0]);
  const UniqueFd tell(words[1]);
  std::fflush(nullptr);
  child_ = ::fork();
  if (child_ < 0) return fail(std::strerror(errno));
  if (child_ != 0) return;
  ::dup2(tell.get(), STDOUT_FILENO);
  run_child(folding_, from_);
}

// The recorder's own descriptors are closed: who waits for the recorder must not wait for this one.
void Folding::run_child(const Place& place, const UniqueFd& from) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpriority(PRIO_PROCESS, 0, 5);
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  detach_process("memswell-fold", {from.get(), to_.get()}, StandardStreams::keep);
  Outcome outcome;
  std::string failure;
  const Result<void> folded = options_.fold({.from = UniqueFd(::fcntl(from.get(), F_DUPFD_CLOEXEC, 3)),
                                             .path = path_,
                                             .border = place.border,
                                             .time = place.time,
                                             .to = UniqueFd(::fcntl(to_.get(), F_DUPFD_CLOEXEC, 3)),
                                             .max_bytes = most_});
  if (!folded) failure = folded.error().sentence;
  outcome.folded_bytes = size_of(to_.get());
  outcome.copied_to = place.border.offset;
  // What has come meanwhile; the recorder writes on, but more slowly than bytes are copied.
  for (int pass = 0; pass < 20 && failure.empty(); ++pass) {
    const std::uint64_t end = size_of(from.get());
    if (end < outcome.copied_to + kCaughtUp) break;
    failure = copy_bytes(from.get(), to_.get(), outcome.copied_to, end);
  }
  std::strncpy(outcome.failure, failure.c_str(), sizeof outcome.failure - 1);
  [[maybe_unused]] const ssize_t told = ::write(STDOUT_FILENO, &outcome, sizeof outcome);
  _exit(0);
}

void Folding::finish() {
  int status = 0;
  if (::waitpid(child_, &status, WNOHANG) != child_) return;
  child_ = -1;
  Outcome outcome;
  const bool told = ::read(told_.get(), &outcome, sizeof outcome) == static_cast<ssize_t>(sizeof outcome);
  outcome.failure[sizeof outcome.failure - 1] = '\0';
  if (!told) return fail("the process that folded ended early");
  if (outcome.failure[0] != '\0') return fail(outcome.failure);
  if (const std::string why = append_rest(outcome); !why.empty()) return fail(why);
  if (!take_name()) return fail(std::strerror(errno));
  switch_files(outcome);
}

std::string Folding::append_rest(const Outcome& outcome) {
  writer_.flush();
  if (writer_.failure() != nullptr) return "the recording could not be written";
  std::uint64_t offset = outcome.copied_to;
  if (std::string why = copy_bytes(from_.get(), to_.get(), offset, writer_.bytes_written()); !why.empty()) return why;
  const Bytes expected = outcome.folded_bytes + (writer_.bytes_written() - folding_.border.offset);
  if (size_of(to_.get()) != expected) return "the new file does not have the size that it should";
  struct stat ours{};
  struct stat named{};
  const bool same = ::fstat(writer_.file(), &ours) == 0 && ::stat(path_.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
                    ours.st_dev == named.st_dev;
  return same ? "" : "another file has the recording's name by now";
}

// In one step, so that there is a whole recording of that name at any moment.
bool Folding::take_name() {
  if (to_path_.empty()) {
    const std::string name = path_ + ".fold";
    ::unlink(name.c_str());
    if (::linkat(AT_FDCWD, link_of(to_.get()).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return false;
    to_path_ = name;
  }
  return ::rename(to_path_.c_str(), path_.c_str()) == 0;
}

void Folding::switch_files(const Outcome& outcome) {
  const Bytes before = folding_.border.offset;
  const Bytes size = outcome.folded_bytes + (writer_.bytes_written() - before);
  to_path_.clear();
  writer_.replace_file(std::move(to_), size);
  from_.reset();
  told_.reset();
  std::erase_if(places_, [&](const Place& place) { return place.border.offset <= before; });
  for (Place& place : places_) place.border.offset = place.border.offset - before + outcome.folded_bytes;
  folded_end_ = outcome.folded_bytes;
  // What cannot be folded is not read again and again for nothing.
  next_fold_ = folded_end_ <= most_ / 4 ? most_ / 2 : size + std::max(folded_end_, most_) / 4;
  if (folded_end_ <= most_ / 2) return;
  note_once(fmt::format("{} of the recording cannot be folded (live blocks, stacks, modules, snapshots of phases): it may grow "
                        "beyond --max-recording {}; nothing of it is lost",
                        format_bytes(folded_end_), format_bytes(most_)));
}

void Folding::fail(const std::string& why) {
  note_once(fmt::format("the recording could not be folded ({}) and may grow beyond --max-recording; nothing of it is lost", why));
  abandon();
  given_up_ = true;
  next_fold_ = writer_.bytes_written() + most_ / kKeptUnfolded;
}

// A program that writes faster than is folded ends with more than it should.
bool Folding::is_too_large() const {
  return most_ != 0 && !given_up_ && writer_.failure() == nullptr && writer_.bytes_written() > most_ && folded_end_ <= most_ / 4;
}

void Folding::abandon() {
  if (child_ >= 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  to_.reset();
  from_.reset();
  told_.reset();
  if (!to_path_.empty()) ::unlink(to_path_.c_str());
  to_path_.clear();
}

// The disk is full: a fold that is under way gives its room back.
bool Folding::make_room() {
  if (child_ < 0 && !to_) return false;
  fail(std::strerror(ENOSPC));
  return true;
}

}  // namespace memswell::capture
