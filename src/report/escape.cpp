#include "report/escape.h"

#include <fmt/format.h>

#include <cstdint>

namespace memswell::report {
namespace {

struct Scalar {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: not UTF-8 here
};

struct LeadByte {
  std::uint8_t mask, pattern;
  std::size_t bytes;
  std::uint32_t smallest;  // anything below is an overlong form (RFC 3629)
};

constexpr LeadByte kLeadBytes[] = {
    {0x80, 0x00, 1, 0x0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};

Scalar decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  for (const LeadByte& lead : kLeadBytes) {
    if ((byte(0) & lead.mask) != lead.pattern) continue;
    if (lead.bytes > text.size()) return {};
    auto value = static_cast<std::uint32_t>(byte(0) & static_cast<std::uint8_t>(~lead.mask));
    for (std::size_t i = 1; i < lead.bytes; ++i) {
      if ((byte(i) & 0xc0) != 0x80) return {};
      value = value << 6 | (byte(i) & 0x3fu);
    }
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    if (value < lead.smallest || value > 0x10ffff || surrogate) return {};
    return {value, lead.bytes};
  }
  return {};
}

struct Range {
  std::uint32_t first, last;
};

// C1 controls act as escapes on some terminals; the others reorder or break the line (Unicode TR36).
constexpr Range kHarmful[] = {{0x80, 0x9f},     {0x200e, 0x200f}, {0x2028, 0x202e},
                              {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}};

bool harmful(std::uint32_t value) {
  for (const Range& range : kHarmful) {
    if (value >= range.first && value <= range.last) return true;
  }
  return false;
}

void append_escaped(std::string& out, Scalar scalar, std::string_view original) {
  switch (scalar.value) {
    case '\n': out += "\\n"; return;
    case '\t': out += "\\t"; return;
    case '\r': out += "\\r"; return;
    default: break;
  }
  if (scalar.value < 0x20 || scalar.value == 0x7f) {
    out += fmt::format("\\x{:02x}", scalar.value);
  } else if (harmful(scalar.value)) {
    out += fmt::format("\\u{:04x}", scalar.value);
  } else {
    out += original;
  }
}

template <class Append>
std::string rewritten(std::string_view text, Append append) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Scalar scalar = decode(text);
    if (scalar.bytes == 0) {
      out += fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    append(out, scalar, text.substr(0, scalar.bytes));
    text.remove_prefix(scalar.bytes);
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) { return rewritten(text, append_escaped); }

std::string valid_utf8(std::string_view text) {
  return rewritten(text, [](std::string& out, Scalar, std::string_view original) { out += original; });
}

}  // namespace memswell::report
