// Texts of /proc kept in tests/fixtures/proc.
#pragma once

#include <string>
#include <string_view>

namespace memswell::smaps::test {

std::string fixture(std::string_view name);

// The text with the first occurrence of `from` replaced; the test stops if there is none.
std::string with(std::string text, std::string_view from, std::string_view to);

}  // namespace memswell::smaps::test
