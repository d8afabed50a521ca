// The process's modules and the step rules learned for addresses in them (format.h, "layouts"). Lock-free: a signal
// handler may interrupt any of it.
#pragma once

#include "page_pool.h"
#include "process.h"
#include "step_rule.h"

namespace memswell::probe {

// A table of step rules in the region: open addressing by pc.
struct RuleTable {
  format::RuleEntry* entries;
  std::uint64_t mask;

  static constexpr std::uint64_t kMostProbes = 64;

  // `word`: as LayoutHeader::rules.
  static RuleTable of(std::uint32_t word) {
    return {static_cast<format::RuleEntry*>(page_address((word >> 8) - 1)), (std::uint64_t{1} << (word & 0xff)) - 1};
  }
  static std::uint64_t key(std::uintptr_t pc, bool exact) { return exact ? pc | std::uint64_t{1} << 63 : pc; }
  // Call sites that lie near each other share a cache line: a walk through 77,000 sites of cc1plus waits for memory, not
  // for instructions.
  static std::uint64_t hash(std::uint64_t key) {
    constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15u;
    return ((key >> 8) * kGolden >> 32) << 2 | (key >> 6 & 3);
  }
  // The packed rule, 0: not there.
  std::uint64_t find(std::uint64_t key) const {
    const std::uint64_t first = hash(key);
    for (std::uint64_t i = first; i < first + kMostProbes; ++i) {
      const format::RuleEntry& e = entries[i & mask];
      const std::uint64_t seen = e.pc.load(std::memory_order_acquire);
      if (__builtin_expect(seen == key, 1)) return e.rule.load(std::memory_order_acquire);
      if (seen == 0) return 0;
    }
    return 0;
  }
};

inline format::LayoutHeader& layout_at(std::uint32_t layout) {
  return *static_cast<format::LayoutHeader*>(page_address(layout - 1));
}

std::uint32_t look_at_layout();

// Page + 1 of the layout to use for a walk that begins now, 0 if the region has no room for one.
inline std::uint32_t current_layout() {
  const std::uint32_t layout = process.layout;
  if (__builtin_expect(layout != 0 && process.modules_changed.load(std::memory_order_relaxed) == 0, 1)) return layout;
  return look_at_layout();
}

// The rules known for a layout; none if it is 0.
inline RuleTable rules_of(std::uint32_t layout) {
  static constinit format::RuleEntry none{};
  if (layout == 0) return {&none, 0};
  return RuleTable::of(layout_at(layout).rules.load(std::memory_order_acquire));
}

// The rule for the frame that returns to `pc` (exact: is interrupted at `pc`), packed. Learned and remembered at first
// sight; its module is registered before the rule can be seen.
std::uint64_t learn_rule(std::uint32_t layout, std::uintptr_t pc, bool exact);

inline std::uint64_t step_rule(const RuleTable& rules, std::uint32_t layout, std::uintptr_t pc, bool exact) {
  const std::uint64_t rule = rules.find(RuleTable::key(pc, exact));
  return __builtin_expect(rule != 0, 1) ? rule : learn_rule(layout, pc, exact);
}

// The loader has freed something: modules may be gone. The next walk looks whether they are.
inline void modules_may_have_changed() { process.modules_changed.store(1, std::memory_order_relaxed); }

inline bool in_loader(std::uintptr_t pc) { return pc - process.loader_begin < process.loader_end - process.loader_begin; }
// Where a library that is not the C library defines malloc: is this its code?
inline bool in_allocator(std::uintptr_t pc) {
  return pc - process.allocator_begin < process.allocator_end - process.allocator_begin;
}

// fork: the child goes on with this layout.
void share_layout(std::uint32_t layout);
void leave_layout(std::uint32_t layout);

}  // namespace memswell::probe
