#include "capture/run_info.h"

#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

namespace memswell::capture {
namespace {

// Variables that change what allocators do; nothing else of the environment enters a recording.
constexpr std::array<std::string_view, 11> kOfInterest = {
    "MALLOC_",  "GLIBC_TUNABLES=", "PYTHONMALLOC",   "LD_PRELOAD=", "LD_LIBRARY_PATH=", "G_SLICE=",
    "TCMALLOC_", "MIMALLOC_",      "GLIBCXX_FORCE_NEW=", "NODE_OPTIONS=", "JAVA_TOOL_OPTIONS="};

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "";
}

std::string working_directory() {
  char path[4096];
  return getcwd(path, sizeof path) != nullptr ? path : "";
}

std::vector<std::string> environment_of_interest() {
  std::vector<std::string> kept;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (std::any_of(kOfInterest.begin(), kOfInterest.end(), [&](auto prefix) { return text.starts_with(prefix); }))
      kept.emplace_back(text);
  }
  return kept;
}

std::uint64_t realtime_now() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

trace::RunInfo describe_run(const RecordOptions& options) {
  utsname names{};
  uname(&names);
  const auto page_bytes = static_cast<Bytes>(sysconf(_SC_PAGESIZE));
  return {.command = options.command,
          .working_directory = working_directory(),
          .started_unix_ns = realtime_now(),
          .kernel = names.release,
          .machine = cpu_model(),
          .libc = std::string("glibc ") + gnu_get_libc_version(),
          .page_bytes = page_bytes,
          .cpus = static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_ONLN)),
          .memory_bytes = static_cast<Bytes>(sysconf(_SC_PHYS_PAGES)) * page_bytes,
          .environment = environment_of_interest(),
          .huge_pages = first_line("/sys/kernel/mm/transparent_hugepage/enabled"),
          .sample_interval = options.interval,
          .max_depth = options.max_depth,
          .memswell_version = options.memswell_version};
}

}  // namespace memswell::capture
