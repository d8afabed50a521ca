#include "capture/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace memswell::capture {
namespace {

// As part of a file's name: what is not printable ASCII could act on the terminal that lists the folder.
std::string harmless(std::string name) {
  for (char& c : name)
    if (c < ' ' || c > '~') c = '_';
  return name;
}

}  // namespace

Result<std::string> expand_output_name(const std::string& pattern, const std::string& program, std::uint32_t pid) {
  const std::string text = pattern.empty() ? "memswell.%e.%p.swell" : pattern;
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    const char letter = i + 1 < text.size() ? text[++i] : '\0';
    switch (letter) {
      case 'p': name += std::to_string(pid); break;
      case 'e': name += harmless(program.substr(program.rfind('/') + 1)); break;
      case '%': name += '%'; break;
      default:
        return Error{"-o " + pattern + ": after % may stand p (pid), e (program) or % (a percent sign).", ExitCode::usage};
    }
  }
  return name;
}

Result<UniqueFd> create_output_file(const std::string& path, Overwrite overwrite) {
  struct stat status;
  const bool exists = stat(path.c_str(), &status) == 0;
  const bool is_plain = !exists || S_ISREG(status.st_mode);
  const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_CREAT |
                    (is_plain ? (overwrite == Overwrite::yes ? O_TRUNC : O_EXCL) : 0);
  UniqueFd file(::open(path.c_str(), flags, 0666));
  if (file) return file;
  if (errno == EEXIST)
    return Error{"cannot write the recording " + path + ": it exists; choose another with -o, or overwrite it with --force."};
  return Error{"cannot write the recording " + path + ": " + std::strerror(errno) + "; choose another place with -o."};
}

}  // namespace memswell::capture
