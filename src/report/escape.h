// Makes text from a recording harmless: names, paths and commands in it may come from another person's program.
// Everything that a report prints from a recording goes through one of these two.
#pragma once

#include <string>
#include <string_view>

namespace memswell::report {

// For text and every export: control characters, terminal escapes and directional overrides come out as "\x1b",
// "\n", "\u202e"; bytes that are not UTF-8 as "\xff". What is left is printable UTF-8 on one line.
std::string escaped(std::string_view text);

// For JSON, which escapes control characters itself: bytes that are not UTF-8 come out as "\xff", the rest unchanged.
std::string valid_utf8(std::string_view text);

}  // namespace memswell::report
