#include "cli/repeated_runs.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/log.h"
#include "cli/output.h"
#include "cli/recorded_program.h"

namespace memswell::cli {
namespace {

struct KnownAllocator {
  std::string_view name;
  std::vector<std::string> libraries;  // as the loader finds them, the first that is there; empty: nothing to preload
};

const KnownAllocator* find_known(std::string_view name) {
  static const std::vector<KnownAllocator> known{
      {"glibc", {}},
      {"jemalloc", {"libjemalloc.so.2", "libjemalloc.so"}},
      {"mimalloc", {"libmimalloc.so.2", "libmimalloc.so.2.0", "libmimalloc.so"}},
      {"tcmalloc", {"libtcmalloc_minimal.so.4", "libtcmalloc.so.4", "libtcmalloc_minimal.so"}},
  };
  const auto found = std::ranges::find(known, name, &KnownAllocator::name);
  return found != known.end() ? &*found : nullptr;
}

// The path of a library that the loader would find; loaded for a moment to learn it.
std::optional<std::string> path_of(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  std::optional<std::string> path;
  char origin[4096];
  if (::dlinfo(handle, RTLD_DI_ORIGIN, origin) == 0) path = std::string(origin) + "/" + library;
  ::dlclose(handle);
  return path;
}

struct Column {
  std::string label;
  std::vector<std::string> environment;
};

// None: not installed here.
std::optional<Column> column_of(const std::string& allocator) {
  const char* preload = std::getenv("LD_PRELOAD");
  const std::string others = preload != nullptr && *preload != '\0' ? std::string(":") + preload : "";
  if (allocator.find('/') != std::string::npos) {
    if (::access(allocator.c_str(), R_OK) != 0) return std::nullopt;
    return Column{allocator, {"LD_PRELOAD=" + allocator + others}};
  }
  const KnownAllocator* known = find_known(allocator);
  if (known == nullptr) return std::nullopt;
  if (known->libraries.empty()) return Column{allocator, {}};
  for (const std::string& library : known->libraries) {
    if (const auto path = path_of(library)) return Column{allocator, {"LD_PRELOAD=" + *path + others}};
  }
  return std::nullopt;
}

std::vector<Column> columns_of(const RepeatedRuns& request) {
  if (request.allocators.empty()) return {{request.command[0], {}}};
  std::vector<Column> columns;
  for (const std::string& allocator : request.allocators) {
    if (auto column = column_of(allocator)) columns.push_back(std::move(*column));
    else log::note(allocator + " is not installed here: left out");
  }
  return columns;
}

}  // namespace

Result<std::vector<LabelledRecording>> record_repeatedly(const RepeatedRuns& request) {
  const std::vector<Column> columns = columns_of(request);
  if (columns.empty()) return Error{"none of the allocators is installed here", ExitCode::usage};
  std::vector<LabelledRecording> recordings;
  for (std::uint64_t round = 1; round <= request.repeat; ++round) {
    for (const Column& column : columns) {
      const std::string label = column.label.substr(column.label.rfind('/') + 1);
      const std::string path = fmt::format("{}/memswell.compare.{}.{}.{}.swell", request.directory, label, round, ::getpid());
      if (standard_error().interactive) tell(fmt::format("{} run {} of {} …\n", label, round, request.repeat));
      const auto output = record_program({request.command, path, {}, column.environment});
      if (!output) return output.error();
      recordings.push_back({label, path});
    }
  }
  return recordings;
}

}  // namespace memswell::cli
