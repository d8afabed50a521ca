#include "check_walk.h"

#include "process.h"
#include "unwind_with_libunwind.h"

namespace memswell::probe {
namespace {

struct Comparison {
  const RememberedStack* stack;
  const CallSite* site;
  std::uint32_t left;  // frames not yet compared, the innermost is the next
  bool begun = false;
  bool differs = false;
};

bool compare_frame(void* context, const LibunwindFrame& f) {
  auto& c = *static_cast<Comparison*>(context);
  if (!c.begun) {
    if (f.pc != c.site->pc || f.sp != c.site->sp) return f.sp <= c.site->sp;
    c.begun = true;
  }
  if (c.left == 0) {
    c.differs = true;  // libunwind goes on
    return false;
  }
  const Frame& ours = c.stack->frames[c.left - 1];
  if (ours.pc < format::kFirstPc) {
    // Ours was cut on purpose; a walk that could not go on must be libunwind's end too.
    c.differs = ours.pc != static_cast<std::uint64_t>(format::WalkEnd::depth_limit);
    c.left = 0;
    return false;
  }
  --c.left;
  c.differs = (ours.pc & format::kPcMask) != f.pc;
  return !c.differs;
}

}  // namespace

void check_walk(const RememberedStack& stack, const CallSite& site, std::uint32_t level) {
  if (!libunwind_loaded() || process.sandboxed.load(std::memory_order_relaxed) != 0 || level != 0) return;
  ReadableRange range = stack.readable;
  Comparison c{&stack, &site, stack.count};
  walk_with_libunwind(range, compare_frame, &c);
  const bool marked = c.left == 1 && stack.frames[0].pc < format::kFirstPc;
  process.slot->walks_compared.fetch_add(1, std::memory_order_relaxed);
  if (c.differs || !c.begun || (c.left != 0 && !marked)) process.slot->walks_different.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace memswell::probe
