#include "probes/smaps/settings.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "base/unique_fd.h"
#include "probes/smaps/process_files.h"

namespace memswell::smaps {
namespace {

constexpr std::string_view kLibraryDirectories =
    "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu:/lib64:/usr/"
    "lib64:"
    "/usr/local/lib:/lib:/usr/lib";

std::optional<std::string> find_in(std::string_view directories, const std::string& file_name) {
  while (!directories.empty()) {
    const auto colon = directories.find(':');
    const auto path = std::string(directories.substr(0, colon)) + "/" + file_name;
    if (::access(path.c_str(), R_OK) == 0) return path;
    directories.remove_prefix(colon == std::string_view::npos ? directories.size() : colon + 1);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> read_setting(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  ReadBuffer buffer;
  const auto read = buffer.read_all(fd.get());
  if (read.error != 0) return std::nullopt;
  return std::string(read.text.ends_with('\n') ? read.text.substr(0, read.text.size() - 1) : read.text);
}

std::string chosen_in_brackets(std::string_view text) {
  const auto open = text.find('[');
  const auto close = text.find(']', open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos) return std::string(text);
  return std::string(text.substr(open + 1, close - open - 1));
}

std::optional<std::string> find_library(const std::string& file_name) {
  const char* asked = std::getenv("LD_LIBRARY_PATH");
  if (asked != nullptr) {
    if (auto path = find_in(asked, file_name)) return path;
  }
  return find_in(kLibraryDirectories, file_name);
}

bool is_switched_on(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

}  // namespace memswell::smaps
