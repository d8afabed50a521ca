#include "symbols/name_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/unique_fd.h"
#include "symbols/module_reader.h"

namespace memswell::symbols {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShortestBuildId = 8;  // shorter ones (ld --build-id=0x…) are made by hand and may repeat
constexpr std::string_view kSuffix = ".names";

std::string absolute_from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value && value[0] == '/' ? value : "";
}

std::optional<std::string> read_own_file(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!fd || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
    return std::nullopt;
  if (status.st_size < 0 || static_cast<Bytes>(status.st_size) > NameCache::kMostBytesOfOne) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t got = pread(fd.get(), bytes.data(), bytes.size(), 0);
  if (got != static_cast<ssize_t>(bytes.size())) return std::nullopt;
  return bytes;
}

// Written beside its place and moved there, so that readers see all of it or nothing. mkostemp makes it 0600.
void write_atomically(const std::string& path, const std::string& bytes) {
  std::string temporary = path + ".XXXXXX";
  const UniqueFd fd(mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd) return;
  const bool written = write(fd.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  if (!written || rename(temporary.c_str(), path.c_str()) != 0) unlink(temporary.c_str());
}

// Names of a build-id never become wrong, only poorer than what could be had now: when a file came where none was, or
// changed. What is gone since then does not matter.
bool could_tell_more(const NameTable& table, const std::string& module_path, const BuildId& id) {
  for (const FileState& then : table.consulted) {
    const FileState now = state_of(then.path);
    const bool gone = now.size_bytes == 0;
    const bool is_module = &then == &table.consulted.front();
    if (now == then || gone) continue;
    if (!is_module || why_not_recorded_file(then.path, id).empty()) return true;
  }
  const bool same_path = !table.consulted.empty() && table.consulted.front().path == module_path;
  return !same_path && why_not_recorded_file(module_path, id).empty();
}

}  // namespace

std::string default_cache_directory() {
  if (const auto cache = absolute_from_environment("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/memswell/symbols";
  const auto home = absolute_from_environment("HOME");
  return home.empty() ? "" : home + "/.cache/memswell/symbols";
}

std::string NameCache::file_of(const BuildId& id) const {
  if (directory_.empty() || id.size() < kShortestBuildId) return {};
  return directory_ + "/" + hex(id) + std::string(kSuffix);
}

std::optional<NameTable> NameCache::load(const std::string& module_path, const BuildId& id) const {
  const std::string path = file_of(id);
  const auto bytes = path.empty() ? std::nullopt : read_own_file(path);
  auto table = bytes ? NameTable::decode(*bytes) : std::nullopt;
  if (!table || table->build_id != id || could_tell_more(*table, module_path, id)) return std::nullopt;
  return table;
}

void NameCache::store(const NameTable& table) const {
  const std::string path = file_of(table.build_id);
  if (path.empty() || table.size() == 0) return;
  const std::string bytes = table.encode();
  if (bytes.size() > kMostBytesOfOne) return;
  std::error_code failed;
  if (fs::create_directories(directory_, failed); failed) return;
  make_room();
  write_atomically(path, bytes);
}

// The oldest go first, down to half, so that the directory is not listed and sorted for nothing each time.
void NameCache::make_room() const {
  struct Entry {
    fs::file_time_type time;
    Bytes bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  Bytes total = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory_, failed)) {
    const Bytes bytes = entry.file_size(failed);
    if (failed || entry.path().filename().string().find(kSuffix) == std::string::npos) continue;
    entries.push_back({entry.last_write_time(failed), bytes, entry.path()});
    total += bytes;
  }
  if (total <= kMostBytesOfAll) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const auto& entry : entries) {
    if (total <= kMostBytesOfAll / 2) break;
    if (fs::remove(entry.path, failed)) total -= entry.bytes;
  }
}

}  // namespace memswell::symbols
