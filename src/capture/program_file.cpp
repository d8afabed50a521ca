#include "capture/program_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace memswell::capture {
namespace {

enum class Found : std::uint8_t { executable, not_executable, missing };

Found look_at(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return Found::missing;
  const bool runs = S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
  return runs ? Found::executable : Found::not_executable;
}

std::vector<std::string> search_path() {
  const char* value = std::getenv("PATH");
  std::string_view rest = value != nullptr ? value : "/bin:/usr/bin";
  std::vector<std::string> directories;
  for (;;) {
    const std::size_t colon = rest.find(':');
    const std::string_view directory = rest.substr(0, colon);
    directories.emplace_back(directory.empty() ? "." : directory);
    if (colon == std::string_view::npos) return directories;
    rest.remove_prefix(colon + 1);
  }
}

Error not_executable(const std::string& path) {
  return {"cannot run " + path + ": it is not an executable file.", ExitCode::not_executable};
}

}  // namespace

Result<std::string> find_program(const std::string& name) {
  if (name.empty()) return Error{"cannot run a program without a name.", ExitCode::not_found};
  if (name.find('/') != std::string::npos) {
    switch (look_at(name)) {
      case Found::executable: return name;
      case Found::not_executable: return not_executable(name);
      case Found::missing: return Error{"cannot run " + name + ": there is no such file.", ExitCode::not_found};
    }
  }
  std::string refused;
  for (const std::string& directory : search_path()) {
    const std::string path = directory + "/" + name;
    const Found found = look_at(path);
    if (found == Found::executable) return path;
    if (found == Found::not_executable && refused.empty()) refused = path;
  }
  if (!refused.empty()) return not_executable(refused);
  return Error{"cannot run " + name + ": no such program in PATH.", ExitCode::not_found};
}

Result<std::string> find_probe() {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0) return Error{"cannot find memswell's own files: /proc/self/exe cannot be read."};
  std::string path(self, static_cast<std::size_t>(length));
  path.resize(path.rfind('/'));
  path.resize(path.rfind('/'));
  path += "/lib/memswell/libmemswell.so";
  if (path.find_first_of(" :") != std::string::npos)
    return Error{"cannot preload " + path + ": the loader takes a space or colon in it for its end; install memswell elsewhere."};
  if (access(path.c_str(), R_OK) != 0)
    return Error{"cannot find the probe " + path + ": memswell is not installed completely."};
  return path;
}

}  // namespace memswell::capture
