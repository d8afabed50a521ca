// What the analysis needs to be told about names: it includes nothing of the symbols room, the caller gives these.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/events.h"

namespace memswell::analysis {

// Names for frames that the recording has no symbols for. Implemented by the symbols room, given by the caller.
class Names {
 public:
  virtual ~Names() = default;

  // Once, before the first lookup: all modules, and every frame that will be asked for, so that they can be named in one
  // batch. Says what could be read of the modules that these frames lie in.
  virtual std::vector<trace::ModuleSymbols> prepare(std::span<const trace::Module>, std::span<const trace::Frame>) {
    return {};
  }

  // Innermost inlined level first; empty: unknown.
  virtual std::vector<trace::SourceFrame> lookup(const trace::Frame& frame, const trace::Module& module) = 0;
};

// Says whether a function is memory plumbing (malloc family, operator new, std:: allocators, …): sites are the
// innermost frame outside of it.
using SiteRule = std::function<bool(std::string_view function, std::string_view module_path)>;

}  // namespace memswell::analysis
