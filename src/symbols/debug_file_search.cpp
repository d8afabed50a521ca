#include "symbols/debug_file_search.h"

#include <elfutils/libdwelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include <filesystem>

#include "symbols/debuginfod.h"

namespace memswell::symbols {
namespace {

std::string build_id_path(const std::string& directory, const BuildId& id) {
  const std::string text = hex(id);
  return directory + "/.build-id/" + text.substr(0, 2) + "/" + text.substr(2) + ".debug";
}

struct DebugLink {
  std::string name;
  GElf_Word checksum = 0;
};

std::optional<DebugLink> debug_link(const ElfFile& module) {
  DebugLink link;
  const char* name = dwelf_elf_gnu_debuglink(module.handle(), &link.checksum);
  if (!name || name[0] == '\0') return std::nullopt;
  link.name = name;
  return link;
}

std::vector<std::string> link_candidates(const std::string& module_path, const std::string& name,
                                         const std::vector<std::string>& directories) {
  if (name.front() == '/') return {name};
  const std::string folder = std::filesystem::path(module_path).parent_path().string();
  std::vector<std::string> candidates{folder + "/" + name, folder + "/.debug/" + name};
  for (const auto& directory : directories) candidates.push_back(directory + folder + "/" + name);
  return candidates;
}

// The CRC-32 of the whole file is what .gnu_debuglink records; zlib's is the same polynomial.
bool checksum_matches(const ElfFile& file, GElf_Word expected) {
  struct stat status {};
  if (fstat(file.fd(), &status) != 0 || status.st_size <= 0) return false;
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* map = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.fd(), 0);
  if (map == MAP_FAILED) return false;
  const auto checksum = crc32_z(0, static_cast<const Bytef*>(map), bytes);
  munmap(map, bytes);
  return checksum == expected;
}

bool belongs(const ElfFile& file, const BuildId& module_id, const std::optional<DebugLink>& link) {
  const BuildId id = file.build_id();
  if (!module_id.empty() && !id.empty()) return id == module_id;
  return link && checksum_matches(file, link->checksum);
}

}  // namespace

std::optional<DebugFile> find_debug_file(const std::string& module_path, const ElfFile& module,
                                         const DebugFileSearch& search, std::vector<std::string>& tried) {
  const BuildId id = module.build_id();
  const auto link = debug_link(module);
  std::vector<std::string> candidates;
  if (id.size() > 1) {
    for (const auto& directory : search.directories) candidates.push_back(build_id_path(directory, id));
  }
  if (link) {
    for (auto& path : link_candidates(module_path, link->name, search.directories)) candidates.push_back(path);
  }
  for (const auto& path : candidates) {
    tried.push_back(path);
    std::error_code ignored;
    if (std::filesystem::equivalent(path, module_path, ignored)) continue;  // a link to itself
    auto file = ElfFile::open(path);
    if (file && belongs(*file, id, link)) return DebugFile{path, std::move(*file)};
  }
  if (!search.debuginfod || id.empty()) return std::nullopt;
  const auto path = ask_debuginfod(id);
  if (!path) return std::nullopt;
  tried.push_back(*path);
  auto file = ElfFile::open(*path);
  if (file && belongs(*file, id, std::nullopt)) return DebugFile{*path, std::move(*file)};
  return std::nullopt;
}

}  // namespace memswell::symbols
