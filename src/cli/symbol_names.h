// Joins the symbols room to the analysis: names every frame of a recording in one batch.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/names.h"
#include "symbols/symbolizer.h"

namespace memswell::cli {

class SymbolNames : public analysis::Names {
 public:
  explicit SymbolNames(symbols::SymbolizerOptions options) : symbolizer_(std::move(options)) {}

  std::vector<trace::ModuleSymbols> prepare(std::span<const trace::Module> modules,
                                            std::span<const trace::Frame> frames) override;
  std::vector<trace::SourceFrame> lookup(const trace::Frame& frame, const trace::Module& module) override;

 private:
  symbols::Symbolizer symbolizer_;
  std::map<trace::Frame, std::vector<trace::SourceFrame>> names_;
};

}  // namespace memswell::cli
