// Who does the next operation: threads in order of their last one, so that a switch costs three bits.
// Writer and reader keep it alike.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "trace/recording_format.h"

namespace memswell::trace {

struct Context {
  ProcessIndex process;
  ThreadIndex thread;
  friend bool operator==(Context, Context) = default;
};

class ThreadContexts {
 public:
  ThreadContexts() : processes_(kTable) {}

  Context current() const { return recent_[0]; }

  // kContextInColumn if it is not among the recent ones.
  std::uint8_t code_of(Context context) const {
    const auto found = std::find(recent_.begin(), recent_.end(), context);
    return static_cast<std::uint8_t>(found - recent_.begin());
  }

  // `code` below kRecentContexts.
  Context select(std::uint8_t code) {
    const Context chosen = recent_[code];
    std::copy_backward(recent_.begin(), recent_.begin() + code, recent_.begin() + code + 1);
    return recent_[0] = chosen;
  }

  void add(Context context) {
    std::copy_backward(recent_.begin(), recent_.end() - 1, recent_.end());
    recent_[0] = context;
    processes_[context.thread.value % kTable] = context.process;
  }

  // The process that a thread of this number was last seen in.
  ProcessIndex likely_process(ThreadIndex thread) const { return processes_[thread.value % kTable]; }

 private:
  static constexpr std::size_t kTable = 1024;

  std::array<Context, disk::kRecentContexts> recent_{};
  std::vector<ProcessIndex> processes_;
};

}  // namespace memswell::trace
