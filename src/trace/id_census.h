// Which processes, threads, modules and stacks a recording has introduced so far. The reader refuses events that speak
// of others, or that skip numbers, so that who reads may use ids as indices without fear of a forged one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "trace/events.h"
#include "trace/fold_events.h"

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
      return event.id.value == ++stacks_ && event.parent.value < event.id.value && knows(event.frame.module);
    } else {
      return knows_all_of(event);
    }
  }

  bool knows(ProcessIndex process) const { return process.value < processes_; }
  bool knows(ThreadIndex thread) const { return thread.value < threads_; }
  bool knows(ModuleId module) const { return module.value <= modules_; }
  bool knows(StackId stack) const { return stack.value <= stacks_; }

 private:
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
  std::uint32_t stacks_ = 0;
};

}  // namespace memswell::trace
