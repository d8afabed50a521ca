// Small tables that guess the next value from the ones before: the next stack of a thread, the size that a stack asks
// for, the rounding of a size, the frame of a stack node. Writer and reader keep them alike.
#pragma once

#include <cstdint>

#include "trace/events.h"
#include "trace/recording_format.h"
#include "trace/zeroed_table.h"

namespace memswell::trace {

inline std::uint32_t scatter(std::uint64_t key, std::uint32_t table) {
  return static_cast<std::uint32_t>((key * 0x9e37'79b9'7f4a'7c15) >> 40) % table;
}

// What followed last time after the last two stacks, and after the last one.
class StackGuesses {
 public:
  struct History {
    StackId last;
    StackId before;
  };

  StackGuesses() : after_two_(disk::kStackTable), after_one_(disk::kStackTable) {}

  StackId after_two(History history) const { return after_two_[two(history)]; }
  StackId after_one(History history) const { return after_one_[one(history)]; }
  void learn(History& history, StackId next) {
    after_two_[two(history)] = next;
    after_one_[one(history)] = next;
    history = {next, history.last};
  }

 private:
  static std::uint32_t two(History h) {
    return scatter(std::uint64_t{h.last.value} << 32 | h.before.value, disk::kStackTable);
  }
  static std::uint32_t one(History h) { return scatter(h.last.value, disk::kStackTable); }

  ZeroedTable<StackId> after_two_;
  ZeroedTable<StackId> after_one_;
};

struct BlockSize {
  Bytes requested = 0;
  Bytes usable = 0;
  friend bool operator==(BlockSize, BlockSize) = default;
};

class SizeGuesses {
 public:
  SizeGuesses() : by_stack_(disk::kSizeTable), slack_(disk::kSizeTable) {}

  BlockSize by_stack(StackId stack) const { return by_stack_[stack.value % disk::kSizeTable]; }
  Bytes slack(Bytes requested) const { return slack_[requested % disk::kSizeTable]; }
  void learn(StackId stack, BlockSize size) {
    by_stack_[stack.value % disk::kSizeTable] = size;
    slack_[size.requested % disk::kSizeTable] = size.usable - size.requested;
  }

 private:
  ZeroedTable<BlockSize> by_stack_;
  ZeroedTable<Bytes> slack_;
};

// Frames seen before, each in the place that its value gives.
class FrameTable {
 public:
  FrameTable() : frames_(disk::kFrameTable) {}

  static std::uint32_t place(const Frame& frame) {
    return scatter(
        frame.offset * 8 + static_cast<std::uint64_t>(frame.kind) + (std::uint64_t{frame.module.value} << 48),
        disk::kFrameTable);
  }
  const Frame& operator[](std::uint32_t place) const { return frames_[place]; }
  void learn(const Frame& frame) { frames_[place(frame)] = frame; }

 private:
  ZeroedTable<Frame> frames_;
};

}  // namespace memswell::trace
