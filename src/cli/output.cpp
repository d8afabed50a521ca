#include "cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/unique_fd.h"

namespace memswell::cli {
namespace {

constexpr std::size_t kWidthOfAFile = 120;
constexpr std::size_t kLeastWidth = 60;

bool colours_off = false;

bool colours_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");  // https://no-color.org
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::strcmp(term, "dumb") == 0;
  return !colours_off && !dumb && (no_colour == nullptr || *no_colour == '\0');
}

report::Terminal terminal_at(int fd) {
  if (::isatty(fd) == 0) return {.width = kWidthOfAFile, .colours = false, .interactive = false};
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return {.width = known ? std::max<std::size_t>(size.ws_col, kLeastWidth) : 80,
          .colours = colours_wanted(),
          .interactive = true};
}

// 0, or errno of the write that failed.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

report::Terminal standard_output() { return terminal_at(STDOUT_FILENO); }
report::Terminal standard_error() { return terminal_at(STDERR_FILENO); }
void switch_colours_off() { colours_off = true; }

Result<int> print(std::string_view text) {
  std::signal(SIGPIPE, SIG_IGN);
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return 0;
  return Error{fmt::format("the report could not be written to standard output: {}", std::strerror(error))};
}

namespace {

// As docs/recording-format.md says it begins.
bool is_recording(const std::string& path) {
  constexpr std::string_view kMagic = "\x89swell\r\n";
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char begin[kMagic.size()];
  return file && ::read(file.get(), begin, sizeof begin) == static_cast<ssize_t>(sizeof begin) &&
         std::string_view(begin, sizeof begin) == kMagic;
}

}  // namespace

void tell(std::string_view text) { write_all(STDERR_FILENO, text); }

Result<int> print_to(const std::string& path, bool force, std::string_view text) {
  if (path.empty()) return print(text);
  if (is_recording(path)) return Error{fmt::format("{} is a recording, which a report does not replace; choose another file", path)};
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL), 0666));
  if (!file && errno == EEXIST) return Error{fmt::format("{} exists already; replace it with --force", path)};
  if (!file) return Error{fmt::format("{} cannot be written: {}", path, std::strerror(errno))};
  if (const int error = write_all(file.get(), text); error != 0)
    return Error{fmt::format("{} cannot be written: {}", path, std::strerror(error))};
  return 0;
}

}  // namespace memswell::cli
