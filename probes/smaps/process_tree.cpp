#include "probes/smaps/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "probes/smaps/stat_parser.h"
#include "probes/smaps/text_cursor.h"

namespace memswell::smaps {
namespace {

using Directory = std::unique_ptr<DIR, int (*)(DIR*)>;

Directory open_directory(UniqueFd fd) {
  Directory directory(fd ? ::fdopendir(fd.get()) : nullptr, &::closedir);
  if (directory) fd.release();
  return directory;
}

std::optional<std::int32_t> next_number(DIR* directory) {
  while (const dirent* entry = ::readdir(directory)) {
    std::string_view name = entry->d_name;
    const auto number = take_number<std::int32_t>(name);
    if (number && name.empty()) return number;
  }
  return std::nullopt;
}

Result<std::vector<std::int32_t>> from_children_files(const ProcessFiles& files) {
  auto task = files.open_file("task", O_RDONLY | O_DIRECTORY);
  if (!task) return task.error();
  std::vector<std::int32_t> pids;
  if (!*task) return pids;
  const auto threads = open_directory(std::move(**task));
  ReadBuffer buffer;
  while (threads) {
    const auto tid = next_number(threads.get());
    if (!tid) break;
    const auto name = "task/" + std::to_string(*tid) + "/children";
    const auto text = files.read(name.c_str(), buffer);
    if (!text) return text.error();
    if (!*text) continue;  // the thread has ended
    const auto children = parse_children(**text);
    pids.insert(pids.end(), children.begin(), children.end());
  }
  std::ranges::sort(pids);
  return pids;
}

Result<std::vector<std::int32_t>> from_scan_of_all(std::int32_t parent) {
  const auto processes = open_directory(UniqueFd(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (!processes) return Error{std::string("cannot open /proc: ") + std::strerror(errno)};
  std::vector<std::int32_t> pids;
  ReadBuffer buffer;
  while (const auto pid = next_number(processes.get())) {
    const UniqueFd fd(
        ::openat(::dirfd(processes.get()), (std::to_string(*pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) continue;
    const auto read = buffer.read_all(fd.get());
    const auto stat = parse_stat(read.text);
    if (read.error == 0 && stat && stat->ppid == parent) pids.push_back(*pid);
  }
  std::ranges::sort(pids);
  return pids;
}

}  // namespace

std::vector<std::int32_t> parse_children(std::string_view text) {
  std::vector<std::int32_t> pids;
  // Without the blank behind it a pid may have lost digits.
  while (const auto pid = take_number<std::int32_t>(text)) {
    if (!take_char(text, ' ')) break;
    pids.push_back(*pid);
  }
  return pids;
}

ChildrenFrom children_source() {
  static const bool has_file = ::access("/proc/thread-self/children", R_OK) == 0;
  return has_file ? ChildrenFrom::children_files : ChildrenFrom::scan_of_all;
}

Result<std::vector<std::int32_t>> child_pids(const ProcessFiles& files, ChildrenFrom from) {
  return from == ChildrenFrom::children_files ? from_children_files(files) : from_scan_of_all(files.pid());
}

Result<std::vector<std::int32_t>> descendant_pids(std::int32_t pid, ChildrenFrom from) {
  std::vector<std::int32_t> found = {pid};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto files = ProcessFiles::open(found[i]);
    if (!files) return files.error();
    if (!*files) continue;
    auto children = child_pids(**files, from);
    if (!children) return children.error();
    // A pid that was given away during the walk could lead in a circle.
    std::erase_if(*children, [&](std::int32_t child) { return std::ranges::find(found, child) != found.end(); });
    found.insert(found.end(), children->begin(), children->end());
  }
  found.erase(found.begin());
  std::ranges::sort(found);
  return found;
}

}  // namespace memswell::smaps
