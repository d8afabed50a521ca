#include "capture/stack_interner.h"

namespace memswell::capture {

bool StackInterner::apply(RingStacks& stacks, const RingRecord& record, const RingReader& ring, Layout& layout, StackId& top) {
  if (record.level >= format::kStackLevels || (record.level == format::kWalkLevels && record.keep != 0)) return false;
  std::vector<StackId>& stack = stacks.levels[record.level];
  if (record.push == 0 && record.keep == stack.size() && !stack.empty()) {  // the same stack again
    top = stack.back();
    return true;
  }
  if (record.keep > stack.size()) return false;
  stack.resize(record.keep);
  top = stack.empty() ? StackId{} : stack.back();
  for (std::uint32_t i = 0; i < record.push; ++i) {
    top = step(top, ring.word(record.payload + i), layout);
    stack.push_back(top);
  }
  return true;
}

StackId StackInterner::step(StackId parent, std::uint64_t pc, Layout& layout) {
  const std::uint64_t key = (pc ^ std::uint64_t{parent.value} << 20) * 0x9e37'79b9'7f4a'7c15;
  Step& recent = recent_[(key >> 40) % kRecent];
  if (recent.pc == pc && recent.parent == parent.value && recent.layout == layout.number()) return recent.child;
  const FrameIndex frame = layout.frame_of(pc);
  const StackId found = child(parent, frame);
  // A pc outside of all modules may lie in one that is yet to come.
  if (frames_.frame(frame).module != ModuleId{}) recent = {pc, parent.value, layout.number(), found};
  return found;
}

StackId StackInterner::child(StackId parent, FrameIndex frame) {
  const std::uint64_t key = std::uint64_t{parent.value} << 32 | frame;
  const auto [place, is_new] = nodes_.try_emplace(key, static_cast<std::uint32_t>(nodes_.size() + 1));
  const StackId id{place->second};
  if (is_new) writer_.write(trace::StackNode{id, parent, frames_.frame(frame)});
  return id;
}

}  // namespace memswell::capture
