// The names that a recording lacks: fed with its events (by the recorder as it writes, or by a reading of the file), it
// keeps the modules and the frames that no symbols have come for, and names them all in one batch when asked.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "symbols/symbolizer.h"
#include "trace/visitor.h"

namespace memswell::symbols {

class RecordingNames : public trace::Visitor {
 public:
  using trace::Visitor::on;
  void on(const trace::Module& module) override;
  void on(const trace::StackNode& node) override;
  void on(const trace::FrameSymbols& symbols) override;

  std::size_t lacking() const { return lacking_.size(); }

  // Names what is lacking now. Each frame is asked once, whether it has a name or not.
  const Names& look_up(const SymbolizerOptions& options);

  // From the last look_up; null: nothing was found, or the recording has the names.
  const std::vector<trace::SourceFrame>* find(const trace::Frame& frame) const;

 private:
  std::map<ModuleId, trace::Module> modules_;
  std::set<trace::Frame> lacking_;
  std::set<trace::Frame> named_;
  Names names_;
  std::map<trace::Frame, std::size_t> found_;  // index in names_.frames
};

}  // namespace memswell::symbols
