#include "symbols/debian_packages.h"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <unordered_map>

namespace memswell::symbols {
namespace {

namespace fs = std::filesystem;

// "libc6:amd64.list" -> "libc6"; the C library alone keeps the older kind of debug package.
std::string debug_package_of(const fs::path& list) {
  const std::string name = list.stem().string();
  const std::string package = name.substr(0, name.find(':'));
  return package == "libc6" ? "libc6-dbg" : package + "-dbgsym";
}

// A file may be listed below /lib while its path reads /usr/lib, or the other way, where the two are one directory.
std::vector<std::string> spellings(const std::string& path) {
  constexpr std::string_view kUsr = "/usr";
  if (path.starts_with("/usr/")) return {path, path.substr(kUsr.size())};
  return {path, std::string(kUsr) + path};
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::map<std::string, std::string> debug_packages(const std::vector<std::string>& paths, const std::string& lists) {
  std::map<std::string, std::string> found;
  std::unordered_map<std::string_view, const std::string*> wanted;
  std::vector<std::vector<std::string>> spelled;
  spelled.reserve(paths.size());
  for (const auto& path : paths) {
    for (const auto& spelling : spelled.emplace_back(spellings(path))) wanted.emplace(spelling, &path);
  }
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(lists, none)) {
    if (entry.path().extension() != ".list") continue;
    const std::string text = read_file(entry.path());
    for (std::string_view rest = text; !rest.empty();) {
      const auto line = rest.substr(0, rest.find('\n'));
      if (const auto owner = wanted.find(line); owner != wanted.end())
        found[*owner->second] = debug_package_of(entry.path());
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
  }
  return found;
}

}  // namespace memswell::symbols
