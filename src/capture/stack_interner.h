// From stack differences in ring records to nodes of the recording's stack trie, each new node written once and before
// the event that uses it.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstdint>
#include <vector>

#include "capture/layout.h"
#include "capture/ring_reader.h"
#include "trace/recording_writer.h"

namespace memswell::capture {

// The current stacks of one ring, one a level (ordinary code, signal handlers), outermost frame first.
struct RingStacks {
  std::array<std::vector<StackId>, format::kStackLevels> levels;
};

class StackInterner {
 public:
  explicit StackInterner(trace::RecordingWriter& writer) : writer_(writer), recent_(kRecent) {}

  // The stack of `record`, whose pcs are read from `ring`, into `top`. False: the record keeps more frames than there are, or
  // has an impossible level.
  bool apply(RingStacks& stacks, const RingRecord& record, const RingReader& ring, Layout& layout, StackId& top);

  // The stack that is nothing but a mark.
  StackId mark(trace::FrameKind kind) { return child({}, frames_.index_of({.module = {}, .kind = kind, .offset = 0})); }

  FrameTable& frames() { return frames_; }
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }

 private:
  // Steps from a stack to a deeper one that were taken lately: the tables behind them are larger than the caches.
  struct Step {
    std::uint64_t pc = 0;
    std::uint32_t parent = 0;
    std::uint32_t layout = 0;
    StackId child;
  };
  static constexpr std::size_t kRecent = 8192;

  StackId step(StackId parent, std::uint64_t pc, Layout& layout);
  StackId child(StackId parent, FrameIndex frame);

  struct KeyHash {
    std::size_t operator()(std::uint64_t key) const noexcept {
      const std::uint64_t mixed = key * 0x9e37'79b9'7f4a'7c15;
      return mixed ^ mixed >> 32;
    }
  };

  trace::RecordingWriter& writer_;
  FrameTable frames_;
  std::vector<Step> recent_;
  tsl::robin_map<std::uint64_t, std::uint32_t, KeyHash> nodes_;  // parent << 32 | frame -> id
};

}  // namespace memswell::capture
