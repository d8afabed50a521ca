// The names of some addresses of one module, and how they came about: what a worker hands back and what the cache
// keeps. The bytes are versioned and checksummed, and decode() believes none of them before it has checked it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "symbols/build_id.h"
#include "trace/events.h"

namespace memswell::symbols {

// A file as it was when names were read. Size 0 and time 0: it was not there.
struct FileState {
  std::string path;
  std::uint64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  friend bool operator==(const FileState&, const FileState&) = default;
};

FileState state_of(const std::string& path);

class NameTable {
 public:
  BuildId build_id;
  bool symbol_table = false;
  bool debug_info = false;
  std::string note;
  std::vector<FileState> consulted;  // the module first, then every place where debug information was looked for

  // Addresses as looked up, that is of the call, not the return address. No levels: looked up, and has no name.
  void add(Address address, std::span<const trace::SourceFrame> levels);
  void add(const NameTable& other);  // what is new in `other`
  bool contains(Address address) const { return levels_.contains(address); }
  std::vector<trace::SourceFrame> find(Address address) const;
  std::size_t size() const { return levels_.size(); }

  std::string encode() const;
  static std::optional<NameTable> decode(std::string_view bytes);

 private:
  struct Level {
    std::uint32_t function;
    std::uint32_t file;
    std::uint32_t line;
  };
  std::uint32_t intern(const std::string& text);
  bool decode_levels(class ByteReader& in);

  std::vector<std::string> strings_;
  std::unordered_map<std::string, std::uint32_t> string_ids_;
  std::map<Address, std::vector<Level>> levels_;
};

}  // namespace memswell::symbols
