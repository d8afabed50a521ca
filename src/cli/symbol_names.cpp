#include "cli/symbol_names.h"

namespace memswell::cli {

std::vector<trace::ModuleSymbols> SymbolNames::prepare(std::span<const trace::Module> modules,
                                                       std::span<const trace::Frame> frames) {
  for (const trace::Module& module : modules) {
    if (module.id != ModuleId{}) symbolizer_.add(module);
  }
  symbols::Names named = symbolizer_.symbolize(frames);
  for (trace::FrameSymbols& frame : named.frames) names_[frame.frame] = std::move(frame.levels);
  return std::move(named.modules);
}

// Frames that came after prepare() belong to a recording that is still being written: they stay nameless this time.
std::vector<trace::SourceFrame> SymbolNames::lookup(const trace::Frame& frame, const trace::Module&) {
  const auto found = names_.find(frame);
  return found == names_.end() ? std::vector<trace::SourceFrame>{} : found->second;
}

}  // namespace memswell::cli
