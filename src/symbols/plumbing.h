// Which functions are memory plumbing: everything that stands between the code that wants memory and the allocator.
// The site of a block is the innermost frame outside of it; the table of what is plumbing is plumbing_rules.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/events.h"

namespace memswell::symbols {

enum class PlumbingKind {
  allocator,  // malloc and operator new themselves, however named, wrappers of the x*alloc kind
  runtime,    // libraries that allocate on behalf of their caller: libc, libstdc++, GLib, std::, Rust's core and alloc
  interpreter,  // the allocation layers of CPython, perl, V8, the JVM
  user,         // --skip
  profiler,     // frames of libmemswell.so, never shown
};

// `function` is demangled, `module` a path. Empty function: judged by the module alone.
std::optional<PlumbingKind> plumbing_kind(std::string_view function, std::string_view module);
bool is_plumbing(std::string_view function, std::string_view module);

// One frame of a stack with its names, as symbolize() gave them.
struct NamedFrame {
  std::span<const trace::SourceFrame> levels;  // innermost first; empty: no name
  std::string_view module;                     // path; empty: generated code
};

// A level of a frame of a stack. Frames without levels count as one nameless level 0.
struct Site {
  std::size_t frame = 0;
  std::size_t level = 0;
  friend bool operator==(const Site&, const Site&) = default;
};

class Plumbing {
 public:
  Plumbing() = default;
  // --skip REGEX (ECMAScript, found anywhere in the demangled name). Error: which one does not parse, and why.
  static Result<Plumbing> with_skips(std::span<const std::string> skips);

  std::optional<PlumbingKind> kind(std::string_view function, std::string_view module) const;

  // `stack` innermost first. Generated code without a module is passed over too, as it has no name to give. If all is
  // plumbing: the innermost named level that is not the allocator itself, else the innermost named, else the innermost.
  // Empty: the stack has no frame of the program's.
  std::optional<Site> site_of(std::span<const NamedFrame> stack) const;

 private:
  std::vector<std::regex> skips_;
};

}  // namespace memswell::symbols
