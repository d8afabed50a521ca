#include "symbols/recording_names.h"

namespace memswell::symbols {

void RecordingNames::on(const trace::Module& module) { modules_.insert_or_assign(module.id, module); }

void RecordingNames::on(const trace::StackNode& node) {
  if (!named_.contains(node.frame)) lacking_.insert(node.frame);
}

void RecordingNames::on(const trace::FrameSymbols& symbols) {
  named_.insert(symbols.frame);
  lacking_.erase(symbols.frame);
}

const Names& RecordingNames::look_up(const SymbolizerOptions& options) {
  Symbolizer symbolizer(options);
  for (const auto& [id, module] : modules_) symbolizer.add(module);
  names_ = symbolizer.symbolize(std::vector<trace::Frame>(lacking_.begin(), lacking_.end()));
  found_.clear();
  for (std::size_t i = 0; i < names_.frames.size(); ++i) {
    if (!names_.frames[i].levels.empty()) found_.emplace(names_.frames[i].frame, i);
  }
  named_.insert(lacking_.begin(), lacking_.end());
  lacking_.clear();
  return names_;
}

const std::vector<trace::SourceFrame>* RecordingNames::find(const trace::Frame& frame) const {
  const auto at = found_.find(frame);
  return at == found_.end() ? nullptr : &names_.frames[at->second].levels;
}

}  // namespace memswell::symbols
