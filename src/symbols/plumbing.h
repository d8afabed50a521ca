// Which functions are memory plumbing: everything that stands between the code that wants memory and the allocator.
// The site of a block is the innermost frame outside of it; the table of what is plumbing is plumbing_rules.cpp.
#pragma once

#include <optional>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace memswell::symbols {

enum class PlumbingKind {
  allocator,  // malloc and operator new themselves, however named, wrappers of the x*alloc kind
  runtime,    // libraries that allocate on behalf of their caller: libc, libstdc++, GLib, std::, Rust's core and alloc
  interpreter,  // the allocation layers of CPython, perl, V8, the JVM
  user,         // --skip
  profiler,     // frames of libmemswell.so, never shown
};

// `function` is demangled, `module` a path. Empty function: judged by the module alone. Neither: generated code, which
// has no name to give and is passed over too.
std::optional<PlumbingKind> plumbing_kind(std::string_view function, std::string_view module);
bool is_plumbing(std::string_view function, std::string_view module);

// The table and what the user adds to it. A function object: what analysis asks of each level of each frame.
class Plumbing {
 public:
  Plumbing() = default;
  // --skip REGEX (ECMAScript, found anywhere in the demangled name). Error: which one does not parse, and why.
  static Result<Plumbing> with_skips(std::span<const std::string> skips);

  std::optional<PlumbingKind> kind(std::string_view function, std::string_view module) const;
  bool operator()(std::string_view function, std::string_view module) const {
    return kind(function, module).has_value();
  }

 private:
  std::vector<std::regex> skips_;
};

}  // namespace memswell::symbols
