#include "cli/repeated_runs.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

// Where the loader looks: LD_LIBRARY_PATH, beside the C library, the usual folders. dlopen would know them all, but
// allocators cannot be loaded into a running program (jemalloc: "cannot allocate memory in static TLS block").
std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) folders = parted(path, ':');
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(&std::getenv), &info) != 0 && info.dli_fname != nullptr) {
    const std::string libc(info.dli_fname);
    folders.push_back(libc.substr(0, libc.rfind('/')));
    folders.push_back("/usr" + folders.back());
  }
  for (const char* usual : {"/usr/local/lib", "/usr/lib64", "/usr/lib", "/lib64", "/lib"}) folders.emplace_back(usual);
  return folders;
}

std::optional<std::string> path_of(const std::string& library) {
  for (const std::string& folder : library_folders()) {
    const std::string path = folder + "/" + library;
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  return std::nullopt;
}

struct Column {
  std::string label;
  std::vector<std::string> environment;
};

// The loader would skip anything else with a line of its own, and the column would be glibc's.
bool is_elf_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  return file.read(magic, sizeof magic) && std::string_view(magic, sizeof magic) == "\x7f" "ELF";
}

Result<void> check_names(const std::vector<std::string>& allocators) {
  for (const std::string& allocator : allocators) {
    const bool path = allocator.find('/') != std::string::npos;
    if (path && !is_elf_file(allocator)) return Error{allocator + " is no library that can be loaded", ExitCode::usage};
    if (!path && find_known(allocator) == nullptr)
      return Error{fmt::format("'{}' is no allocator that memswell knows: glibc, jemalloc, mimalloc, tcmalloc, or the path "
                               "of a library with a / in it", allocator), ExitCode::usage};
  }
  return {};
}

// None: not installed here.
std::optional<Column> column_of(const std::string& allocator) {
  const char* preload = std::getenv("LD_PRELOAD");
  const std::string others = preload != nullptr && *preload != '\0' ? std::string(":") + preload : "";
  if (allocator.find('/') != std::string::npos) {
    const std::string path = std::filesystem::absolute(allocator);  // the program may change its directory
    return Column{allocator, {"LD_PRELOAD=" + path + others}};
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
    const bool again = std::ranges::find(columns, allocator, &Column::label) != columns.end();
    if (again) continue;
    if (auto column = column_of(allocator)) columns.push_back(std::move(*column));
    else log::note(allocator + " is not installed here: left out");
  }
  return columns;
}

Error in_column(const RepeatedRuns& request, const std::string& label, const Error& error) {
  return request.allocators.empty() ? error : Error{"with " + label + ": " + error.sentence, error.exit_code};
}

}  // namespace

std::vector<std::string> parted(std::string_view list, char separator) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(separator, begin), list.size());
    if (end > begin) out.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

Result<std::vector<LabelledRecording>> record_repeatedly(const RepeatedRuns& request) {
  if (const auto checked = check_names(request.allocators); !checked) return checked.error();
  if (const auto checked = check_directory(request.directory); !checked) return checked.error();
  const std::vector<Column> columns = columns_of(request);
  if (columns.empty()) return Error{"none of the allocators is installed here", ExitCode::usage};
  std::vector<LabelledRecording> recordings;
  for (std::uint64_t round = 1; round <= request.repeat; ++round) {
    for (const Column& column : columns) {
      const std::string label = column.label.substr(column.label.rfind('/') + 1);
      const std::string path = fmt::format("{}/memswell.compare.{}.{}.{}.swell", request.directory, label, round, ::getpid());
      if (standard_error().interactive) tell(fmt::format("{} run {} of {} …\n", label, round, request.repeat));
      const auto output = record_program({request.command, path, {}, column.environment});
      if (!output) return in_column(request, label, output.error());
      recordings.push_back({label, path});
    }
  }
  return recordings;
}

}  // namespace memswell::cli
