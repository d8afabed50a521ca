#include "probes/smaps/smaps_parser.h"

#include <optional>

#include "probes/smaps/text_cursor.h"

namespace memswell::smaps {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::string_view kEscapedNewline = "\\012";

std::optional<Permissions> take_permissions(std::string_view& text) {
  if (text.size() < 4) return std::nullopt;
  constexpr std::string_view kLetters = "rwx";
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    if (text[i] != kLetters[i] && text[i] != '-') return std::nullopt;
  }
  if (text[3] != 'p' && text[3] != 's') return std::nullopt;
  const Permissions perms{text[0] == 'r', text[1] == 'w', text[2] == 'x', text[3] == 's'};
  text.remove_prefix(4);
  return perms;
}

void set_name(MappingRange& range, std::string_view name) {
  if (name.ends_with(kDeleted)) {
    range.deleted = true;
    name.remove_suffix(kDeleted.size());
  }
  range.name = name;
  for (auto at = range.name.find(kEscapedNewline); at != std::string::npos;
       at = range.name.find(kEscapedNewline, at + 1)) {
    range.name.replace(at, kEscapedNewline.size(), "\n");
  }
}

// "7f01c2a00000-7f01c2a21000 rw-p 00002000 fe:00 247134       /usr/lib/libc.so.6"
bool parse_range(std::string_view line, MappingRange& range) {
  const auto begin = take_number<Address>(line, 16);
  if (!begin || !take_char(line, '-')) return false;
  const auto end = take_number<Address>(line, 16);
  if (!end || *end < *begin || !take_char(line, ' ')) return false;
  const auto perms = take_permissions(line);
  if (!perms || !take_char(line, ' ')) return false;
  const auto offset = take_number<Bytes>(line, 16);
  if (!offset || !take_char(line, ' ')) return false;
  const auto major = take_number<std::uint32_t>(line, 16);
  if (!major || !take_char(line, ':')) return false;
  const auto minor = take_number<std::uint32_t>(line, 16);
  if (!minor || !take_char(line, ' ')) return false;
  const auto inode = take_number<std::uint64_t>(line);
  if (!inode || (!line.empty() && line.front() != ' ')) return false;
  skip_blanks(line);
  range = {*begin, *end, *perms, *offset, *major, *minor, *inode, {}, false};
  set_name(range, line);
  return true;
}

bool begins_like_a_range(std::string_view line) {
  // Keys of fields begin with a capital letter, the kernel's hexadecimal digits are small.
  return !line.empty() &&
         ((line.front() >= '0' && line.front() <= '9') || (line.front() >= 'a' && line.front() <= 'f'));
}

// The rows come in the order of the table: looking begins at the row after the last one found.
const CounterRow* find_row(std::string_view key, std::size_t& cursor) {
  const auto rows = counter_rows();
  for (std::size_t tried = 0; tried < rows.size(); ++tried) {
    const auto& row = rows[(cursor + tried) % rows.size()];
    if (row.key != key) continue;
    cursor = (cursor + tried + 1) % rows.size();
    return &row;
  }
  return nullptr;
}

bool is_known_without_row(std::string_view key) {
  return key == "KernelPageSize" || key == "MMUPageSize" || key == "THPeligible" || key == "ProtectionKey" ||
         key == "VmFlags";
}

struct FieldCursor {
  std::size_t row = 0;
  bool flags_seen = false;  // VmFlags closes each mapping, since Linux 3.8
};

bool apply_flag_field(Mapping& mapping, const KeyedLine& field, FieldCursor& cursor) {
  auto value = field.value;
  skip_blanks(value);
  if (field.key == "THPeligible") {
    mapping.thp_eligible = value.starts_with('1');
  } else if (field.key == "KernelPageSize") {
    const auto bytes = parse_kilobytes(value);
    if (!bytes) return false;
    mapping.kernel_page_bytes = *bytes;
  } else if (field.key == "VmFlags") {
    while (value.ends_with(' ')) value.remove_suffix(1);
    mapping.vm_flags = value;
    cursor.flags_seen = true;
  }
  return true;
}

// False: the line is no field, or a known field with an impossible value.
bool apply_field(Mapping& mapping, std::string_view line, FieldCursor& cursor) {
  const auto field = split_key(line);
  if (!field) return false;
  if (is_known_without_row(field->key)) return apply_flag_field(mapping, *field, cursor);
  const auto* row = find_row(field->key, cursor.row);
  if (row == nullptr) return true;
  const auto bytes = parse_kilobytes(field->value);
  if (!bytes) return false;
  mapping.*row->member = *bytes;
  return true;
}

Error unreadable_line(std::string_view file, std::size_t number, std::string_view line) {
  return {std::string(file) + " line " + std::to_string(number) + " is not understood: \"" +
          std::string(line.substr(0, 80)) + "\""};
}

}  // namespace

std::string Permissions::text() const {
  return {read ? 'r' : '-', write ? 'w' : '-', execute ? 'x' : '-', shared ? 's' : 'p'};
}

bool Mapping::has_flag(std::string_view two_letters) const {
  for (std::size_t at = 0; at + 2 <= vm_flags.size(); at += 3) {
    if (std::string_view(vm_flags).substr(at, 2) == two_letters) return true;
  }
  return false;
}

Result<SmapsText> parse_smaps(std::string_view text) {
  SmapsText smaps;
  FieldCursor cursor{0, true};
  std::size_t number = 0;
  while (const auto line = take_line(text)) {
    ++number;
    if (begins_like_a_range(line->text)) {
      Mapping mapping;
      const bool understood = parse_range(line->text, mapping);
      if (!understood && line->whole) return unreadable_line("smaps", number, line->text);
      cursor = {};
      // A cut header may have lost half its name, and no field follows it.
      if (line->whole) smaps.mappings.push_back(std::move(mapping));
      continue;
    }
    const bool applied = !smaps.mappings.empty() && apply_field(smaps.mappings.back(), line->text, cursor);
    if (!applied && line->whole) return unreadable_line("smaps", number, line->text);
  }
  smaps.complete = cursor.flags_seen;
  return smaps;
}

Result<MapsText> parse_maps(std::string_view text) {
  MapsText maps;
  std::size_t number = 0;
  while (const auto line = take_line(text)) {
    ++number;
    MappingRange range;
    const bool understood = parse_range(line->text, range);
    if (!understood && line->whole) return unreadable_line("maps", number, line->text);
    maps.complete = line->whole;
    if (line->whole) maps.ranges.push_back(std::move(range));
  }
  return maps;
}

Result<MemoryCounters> parse_smaps_rollup(std::string_view text) {
  Mapping sum;
  FieldCursor cursor;
  bool last_field_seen = false;  // "Locked" is the last one in every kernel so far (4.14 to 6.18)
  const auto header = take_line(text);
  if (!header || !header->whole || !parse_range(header->text, sum)) {
    return Error{"smaps_rollup has no [rollup] line: the process has no memory of its own (any more)"};
  }
  for (std::size_t number = 2; const auto line = take_line(text); ++number) {
    const bool applied = apply_field(sum, line->text, cursor);
    if (!applied && line->whole) return unreadable_line("smaps_rollup", number, line->text);
    if (applied && line->text.starts_with("Locked:")) last_field_seen = true;
  }
  if (!last_field_seen) return Error{"smaps_rollup is cut off: the process ended while it was read"};
  return static_cast<const MemoryCounters&>(sum);
}

MemoryCounters total(std::span<const Mapping> mappings) {
  MemoryCounters sum;
  for (const auto& mapping : mappings) sum += mapping;
  return sum;
}

}  // namespace memswell::smaps
