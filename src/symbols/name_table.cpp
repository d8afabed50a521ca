#include "symbols/name_table.h"

#include <sys/stat.h>
#include <xxhash.h>

#include "symbols/byte_stream.h"

namespace memswell::symbols {
namespace {

constexpr std::string_view kMagic = "MSWNAMES";
constexpr std::uint32_t kVersion = 1;  // raise it when the layout or the meaning of names changes
constexpr std::size_t kHeaderBytes = 8 + 4 + 8;

constexpr std::uint8_t kHasSymbolTable = 1;
constexpr std::uint8_t kHasDebugInfo = 2;

std::string with_header(const std::string& payload) {
  ByteWriter out;
  for (const char letter : kMagic) out.put(letter);
  out.put(kVersion);
  out.put(static_cast<std::uint64_t>(XXH3_64bits(payload.data(), payload.size())));
  return out.take() + payload;
}

std::optional<std::string_view> checked_payload(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) return std::nullopt;
  ByteReader header(bytes.substr(kMagic.size()));
  if (header.get<std::uint32_t>() != kVersion) return std::nullopt;
  const auto checksum = header.get<std::uint64_t>();
  const std::string_view payload = bytes.substr(kHeaderBytes);
  if (XXH3_64bits(payload.data(), payload.size()) != checksum) return std::nullopt;
  return payload;
}

void put_state(ByteWriter& out, const FileState& state) {
  out.put_text(state.path);
  out.put(state.size_bytes);
  out.put(state.modified_ns);
}

FileState get_state(ByteReader& in) {
  FileState state;
  state.path = in.get_text();
  state.size_bytes = in.get<std::uint64_t>();
  state.modified_ns = in.get<std::int64_t>();
  return state;
}

}  // namespace

FileState state_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {path, 0, 0};
  return {path, static_cast<std::uint64_t>(status.st_size),
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

std::uint32_t NameTable::intern(const std::string& text) {
  const auto [entry, added] = string_ids_.try_emplace(text, static_cast<std::uint32_t>(strings_.size()));
  if (added) strings_.push_back(text);
  return entry->second;
}

void NameTable::add(Address address, std::span<const trace::SourceFrame> levels) {
  std::vector<Level> interned;
  interned.reserve(levels.size());
  for (const auto& level : levels) interned.push_back({intern(level.function), intern(level.file), level.line});
  levels_.insert_or_assign(address, std::move(interned));
}

void NameTable::add(const NameTable& other) {
  for (const auto& [address, unused] : other.levels_) {
    if (!contains(address)) add(address, other.find(address));
  }
}

std::vector<trace::SourceFrame> NameTable::find(Address address) const {
  std::vector<trace::SourceFrame> found;
  const auto entry = levels_.find(address);
  if (entry == levels_.end()) return found;
  found.reserve(entry->second.size());
  for (const Level& level : entry->second)
    found.push_back({strings_[level.function], strings_[level.file], level.line});
  return found;
}

std::string NameTable::encode() const {
  ByteWriter out;
  out.put_text({reinterpret_cast<const char*>(build_id.data()), build_id.size()});
  out.put(static_cast<std::uint8_t>((symbol_table ? kHasSymbolTable : 0) | (debug_info ? kHasDebugInfo : 0)));
  out.put_text(note);
  out.put(static_cast<std::uint32_t>(consulted.size()));
  for (const auto& state : consulted) put_state(out, state);
  out.put(static_cast<std::uint32_t>(strings_.size()));
  for (const auto& text : strings_) out.put_text(text);
  out.put(static_cast<std::uint32_t>(levels_.size()));
  for (const auto& [address, levels] : levels_) {
    out.put(address);
    out.put(static_cast<std::uint32_t>(levels.size()));
    for (const Level& level : levels) {
      out.put(level.function);
      out.put(level.file);
      out.put(level.line);
    }
  }
  return with_header(out.take());
}

bool NameTable::decode_levels(ByteReader& in) {
  for (auto left = in.get_count(12); left > 0; --left) {
    const auto address = in.get<std::uint64_t>();
    std::vector<Level> levels(in.get_count(sizeof(Level)));
    for (Level& level : levels) {
      level = {in.get<std::uint32_t>(), in.get<std::uint32_t>(), in.get<std::uint32_t>()};
      if (level.function >= strings_.size() || level.file >= strings_.size()) return false;
    }
    levels_.insert_or_assign(address, std::move(levels));
  }
  return !in.failed() && in.at_end();
}

std::optional<NameTable> NameTable::decode(std::string_view bytes) {
  const auto payload = checked_payload(bytes);
  if (!payload) return std::nullopt;
  ByteReader in(*payload);
  NameTable table;
  const std::string_view id = in.get_text();
  table.build_id.assign(id.begin(), id.end());
  const auto flags = in.get<std::uint8_t>();
  table.symbol_table = (flags & kHasSymbolTable) != 0;
  table.debug_info = (flags & kHasDebugInfo) != 0;
  table.note = in.get_text();
  for (auto left = in.get_count(20); left > 0; --left) table.consulted.push_back(get_state(in));
  for (auto left = in.get_count(4); left > 0; --left) table.intern(std::string(in.get_text()));
  if (in.failed() || !table.decode_levels(in)) return std::nullopt;
  return table;
}

}  // namespace memswell::symbols
