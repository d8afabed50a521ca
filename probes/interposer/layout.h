// The process's modules and the step rules learned for addresses in them (format.h, "layouts"). Lock-free: a signal
// handler may interrupt any of it.
#pragma once

#include "process.h"
#include "step_rule.h"

namespace memswell::probe {

// Page + 1 of the layout to use for a walk that begins now, 0 if the region has no room for one.
std::uint32_t current_layout();

// The rule for the frame that returns to `pc` (exact: is interrupted at `pc`). Learned and remembered at first sight;
// its module is registered before the rule can be seen.
StepRule step_rule(std::uint32_t layout, std::uintptr_t pc, bool exact);

// The loader has freed something: modules may be gone. The next walk looks whether they are.
inline void modules_may_have_changed() { process.modules_changed.store(1, std::memory_order_relaxed); }

inline bool in_loader(std::uintptr_t pc) { return pc - process.loader_begin < process.loader_end - process.loader_begin; }

// fork: the child goes on with this layout.
void share_layout(std::uint32_t layout);
void leave_layout(std::uint32_t layout);

}  // namespace memswell::probe
