// MEMSWELL_CHECK: a broken invariant of our own ends the program with its place; never for bad input.
#pragma once

namespace memswell {

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace memswell

#define MEMSWELL_CHECK(expression) \
  (static_cast<bool>(expression) ? void() : ::memswell::check_failed(#expression, __FILE__, __LINE__))
