// Names that were read once, kept in one file a build-id, so that the next look is instant. Only a cache: any doubt
// about a file (another version, a wrong checksum, another owner) and it is as if it were not there; a failure to write
// is silent.
#pragma once

#include <optional>
#include <string>

#include "base/ids.h"
#include "symbols/name_table.h"

namespace memswell::symbols {

// $XDG_CACHE_HOME/memswell/symbols, else ~/.cache/memswell/symbols (XDG Base Directory Specification); empty: no home.
std::string default_cache_directory();

class NameCache {
 public:
  static constexpr Bytes kMostBytesOfOne = 16 << 20;
  static constexpr Bytes kMostBytesOfAll = 256 << 20;

  explicit NameCache(std::string directory) : directory_(std::move(directory)) {}  // empty: switched off

  // What is known of the module, if nothing has come since that would tell more (a debug package installed, say).
  std::optional<NameTable> load(const std::string& module_path, const BuildId& id) const;
  void store(const NameTable& table) const;

 private:
  std::string file_of(const BuildId& id) const;
  void make_room() const;

  std::string directory_;
};

}  // namespace memswell::symbols
