#include "probes/smaps/program_lookup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/unique_fd.h"

namespace memswell::smaps {
namespace {

constexpr std::size_t kHeadBytes = 256;                     // BINPRM_BUF_SIZE
constexpr std::size_t kDeepestScript = 5;                   // fs/exec.c, exec_binprm
constexpr std::string_view kPathIfUnset = "/bin:/usr/bin";  // confstr(_CS_PATH) of glibc
constexpr std::string_view kElfMagic = "\177ELF";
constexpr std::string_view kBlanks = " \t";

// 0: may be executed; else errno.
int why_not_executable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return EACCES;
  return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

Error cannot_run(std::string_view name, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return {"cannot run " + std::string(name) + ": " + (missing ? "no such program" : std::strerror(error)),
          missing ? ExitCode::not_found : ExitCode::not_executable};
}

Result<std::string> read_head(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string head(kHeadBytes, '\0');
  const auto got = fd ? ::read(fd.get(), head.data(), head.size()) : -1;
  if (got < 0) return Error{"cannot read " + path + ": " + std::strerror(errno)};
  head.resize(static_cast<std::size_t>(got));
  return head;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

Result<std::string> find_program(std::string_view name, std::optional<std::string_view> search_path) {
  if (name.empty()) return cannot_run("\"\"", ENOENT);
  if (name.find('/') != std::string_view::npos) {
    const int error = why_not_executable(std::string(name));
    if (error != 0) return cannot_run(name, error);
    return std::string(name);
  }
  int worst = ENOENT;
  auto rest = search_path.value_or(kPathIfUnset);
  for (bool more = true; more;) {
    const auto colon = rest.find(':');
    const auto directory = rest.substr(0, colon);
    more = colon != std::string_view::npos;
    rest.remove_prefix(more ? colon + 1 : rest.size());
    // An empty entry is the current directory.
    const auto path = std::string(directory) + (directory.empty() ? "./" : "/") + std::string(name);
    const int error = why_not_executable(path);
    if (error == 0) return path;
    if (error == EACCES) worst = EACCES;
  }
  return cannot_run(name, worst);
}

std::optional<ScriptLine> parse_script_line(std::string_view head) {
  head = head.substr(0, kHeadBytes);
  if (!head.starts_with("#!")) return std::nullopt;
  auto line = head.substr(2, head.find('\n') == std::string_view::npos ? head.size() : head.find('\n') - 2);
  line = trimmed(line.substr(0, line.find('\0')));
  if (line.empty()) return std::nullopt;
  const auto end = line.find_first_of(kBlanks);
  const auto argument = end == std::string_view::npos ? std::string_view{} : trimmed(line.substr(end));
  return ScriptLine{std::string(line.substr(0, end)), std::string(argument)};
}

Result<ProgramImage> follow_scripts(const std::string& path) {
  ProgramImage image{path, {}};
  for (std::size_t depth = 0; depth <= kDeepestScript; ++depth) {
    const auto head = read_head(image.path);
    if (!head) return head.error();
    if (head->starts_with(kElfMagic)) return image;
    image.scripts.push_back(image.path);
    const auto line = parse_script_line(*head);
    image.path = line ? line->interpreter : "/bin/sh";
  }
  return Error{path + " is a script whose interpreters are scripts more than " + std::to_string(kDeepestScript) +
                   " deep: the kernel will not run it",
               ExitCode::not_executable};
}

}  // namespace memswell::smaps
