// Which processes, threads, modules and stacks a recording has introduced so far. The reader refuses events that speak
// of others, or that skip numbers, so that who reads may use ids as indices without fear of a forged one; and stacks deeper than can be recorded, so that
// trees of them can be walked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "trace/events.h"
#include "trace/fold_events.h"
#include "trace/recording_format.h"

namespace memswell::trace {

class IdCensus {
 public:
  template <class Event>
  bool admits(const Event& event) {
    if constexpr (std::is_same_v<Event, ProcessBegin>) {
      return event.process.value == processes_++ && (!event.has_parent || event.parent.value < event.process.value);
    } else if constexpr (std::is_same_v<Event, Module>) {
      return event.id.value == ++modules_;
    } else if constexpr (std::is_same_v<Event, ThreadBegin>) {
      return event.thread.value == threads_++ && event.process.value < processes_;
    } else if constexpr (std::is_same_v<Event, StackNode>) {
      return event.id.value == depths_.size() && event.parent.value < event.id.value && knows(event.frame.module) &&
             stands_on(event.parent);
    } else if constexpr (std::is_same_v<Event, FrameSymbols>) {
      return event.levels.size() <= disk::kMostInlined && knows(event.frame.module);
    } else {
      return knows_all_of(event);
    }
  }

  bool knows(ProcessIndex process) const { return process.value < processes_; }
  bool knows(ThreadIndex thread) const { return thread.value < threads_; }
  bool knows(ModuleId module) const { return module.value <= modules_; }
  bool knows(StackId stack) const { return stack.value < depths_.size(); }

 private:
  // One frame more; false: more than a stack can have.
  bool stands_on(StackId parent) {
    const std::uint16_t depth = depths_[parent.value];
    depths_.push_back(static_cast<std::uint16_t>(depth + 1));
    return depth < disk::kDeepestStack;
  }
  template <class Event>
  bool knows_all_of(const Event& event) const {
    bool known = true;
    if constexpr (requires { event.process; }) known = knows(event.process);
    if constexpr (requires { event.announced_by; }) known = known && knows(event.announced_by);
    if constexpr (requires { event.thread; }) known = known && knows(event.thread);
    if constexpr (requires { event.module; }) known = known && knows(event.module);
    if constexpr (requires { event.frame; }) known = known && knows(event.frame.module);
    if constexpr (requires { event.stack; }) known = known && knows(event.stack);
    if constexpr (std::is_same_v<Event, FoldedCalls>)
      known = known && std::ranges::all_of(event.stacks, [this](const FoldedStack& each) { return knows(each.stack); });
    return known;
  }

  std::uint32_t processes_ = 0;
  std::uint32_t threads_ = 0;
  std::uint32_t modules_ = 0;
  std::vector<std::uint16_t> depths_{0};  // by stack
};

}  // namespace memswell::trace
