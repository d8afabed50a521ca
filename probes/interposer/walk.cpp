#include "walk.h"

#include "append.h"
#include "check_walk.h"
#include "layout.h"
#include "process.h"
#include "readable.h"
#include "unwind_with_libunwind.h"

namespace memswell::probe {
namespace {

constexpr std::uint32_t kLeafOnlyLevel = format::kWalkLevels;

std::uintptr_t word_at(std::uintptr_t address) { return *reinterpret_cast<const std::uintptr_t*>(address); }

enum class Step { stepped, outermost, unreadable, no_data, needs_libunwind };

// Without unwind data a frame pointer is believed if it lies above, within 16 KiB: libunwind's rule (x86_64/Gstep.c).
[[gnu::noinline]] Step step_by_frame_pointer(ReadableRange& range, const Frame f, Frame& caller) {
  constexpr std::uintptr_t kReach = 0x4000;
  if (f.bp < f.sp || f.bp - f.sp > kReach || !readable(range, f.bp) || !readable(range, f.bp + 8)) return Step::no_data;
  caller = {word_at(f.bp + 8), f.bp + 16, word_at(f.bp), f.bp};
  return caller.pc == 0 ? Step::outermost : Step::stepped;
}

// A shape that rules can say, unpacked word by word: this is where a walk spends its time.
inline Step step_by_rule(ReadableRange& range, const StepRule& rule, Frame& f) {
  std::uintptr_t cfa = rule.cfa == StepRule::Cfa::sp ? f.sp : f.bp;
  cfa += static_cast<std::uintptr_t>(std::intptr_t{rule.cfa_offset});
  if (__builtin_expect(rule.cfa == StepRule::Cfa::at_bp, 0)) {
    if (!readable(range, cfa)) return Step::unreadable;
    cfa = word_at(cfa);
  }
  if (cfa <= f.sp || !readable(range, cfa - 8)) return Step::unreadable;
  std::uintptr_t bp = f.bp, slot = 0;
  if (rule.saved_bp != StepRule::SavedBp::same) {
    if (rule.saved_bp == StepRule::SavedBp::unknown) {
      bp = 0;
    } else {
      slot = rule.saved_bp == StepRule::SavedBp::at_cfa ? cfa : f.bp;
      slot += static_cast<std::uintptr_t>(std::intptr_t{rule.bp_offset});
      if (!readable(range, slot)) return Step::unreadable;
      bp = word_at(slot);
    }
  }
  f = {word_at(cfa - 8), cfa, bp, slot};
  return f.pc == 0 ? Step::outermost : Step::stepped;
}

inline Step step(ReadableRange& range, const RuleTable& rules, std::uint32_t layout, Frame& f) {
  const StepRule rule = StepRule::unpack(step_rule(rules, layout, f.pc, false));
  if (__builtin_expect(rule.kind == StepRule::Kind::step, 1)) return step_by_rule(range, rule, f);
  switch (rule.kind) {
    case StepRule::Kind::outermost: return Step::outermost;
    case StepRule::Kind::no_data: {
      Frame caller = f;  // of its own, so that `f` can stay in registers
      const Step done = step_by_frame_pointer(range, f, caller);
      f = caller;
      return done;
    }
    case StepRule::Kind::step:
    case StepRule::Kind::needs_libunwind:
    case StepRule::Kind::none: break;
  }
  return Step::needs_libunwind;
}

Frame mark(format::WalkEnd why) { return {static_cast<std::uintptr_t>(why), ~std::uintptr_t{0}, 0, 0}; }

bool is_mark(const Frame& f) { return f.pc < format::kFirstPc; }

bool same(const Frame& a, const Frame& b) { return a.pc == b.pc && a.sp == b.sp && a.bp == b.bp; }

// Do the slots of the frames outside of `inner` still hold what they held?
bool unchanged_outside(const RememberedStack& s, std::uint32_t inner) {
  if (inner == 0) return true;
  const Frame* outermost = s.frames + (is_mark(s.frames[0]) ? 1 : 0);
  for (const Frame* at = s.frames + inner; at-- > outermost;) {
    const Frame& f = *at;
    if (word_at(f.sp - 8) != f.pc) return false;
    if (f.bp_slot != 0 && word_at(f.bp_slot) != f.bp) return false;
  }
  return true;
}

// One walk: new frames gather at the upper end of the remembered stack's array, innermost at the very end, while the
// remembered frames are passed from the inside.
class Walk {
 public:
  Walk(RememberedStack& s, std::uint32_t layout, bool joinable)
      : s_(s), layout_(layout), rules_(rules_of(layout)), capacity_(process.header->max_depth + 2), next_(capacity_),
        remembered_(joinable ? s.count : 0), was_whole_(joinable ? s.count : 0), join_(s.join) {}

  std::uint32_t run(Frame f) {
    for (;;) {
      if (joined(f)) return finish_joined();
      if (new_frames() == process.header->max_depth) return finish(mark(format::WalkEnd::depth_limit), true, Join::same_leaf);
      push(f);
      switch (step(s_.readable, rules_, layout_, f)) {
        case Step::stepped: break;
        case Step::outermost: return finish({}, false, Join::any);
        case Step::unreadable: return finish(mark(format::WalkEnd::unreadable), true, Join::any);
        case Step::no_data: return finish(mark(format::WalkEnd::no_unwind_data), true, Join::any);
        case Step::needs_libunwind: return kNeedsLibunwind;
      }
    }
  }

  static constexpr std::uint32_t kNeedsLibunwind = ~std::uint32_t{0};

 private:
  std::uint32_t new_frames() const { return capacity_ - next_; }

  void push(const Frame& f) {
    // Word by word: a copy in wider words than it was made of waits until the store buffer is empty.
    Frame& place = s_.frames[--next_];
    place.pc = f.pc;
    place.sp = f.sp;
    place.bp = f.bp;
    place.bp_slot = f.bp_slot;
    if (remembered_ > next_) remembered_ = next_;  // overwritten
  }

  bool joined(const Frame& f) {
    while (remembered_ > 0 && s_.frames[remembered_ - 1].sp < f.sp) --remembered_;
    if (remembered_ == 0 || !same(s_.frames[remembered_ - 1], f)) return false;
    if (join_ == Join::same_leaf && (new_frames() != 0 || remembered_ != was_whole_)) return false;
    const std::uint32_t outermost = is_mark(s_.frames[0]) ? 1 : 0;
    if (outermost < remembered_ && s_.frames[outermost].sp > s_.readable.high) return false;
    if (unchanged_outside(s_, remembered_ - 1)) return true;
    remembered_ = 0;
    return false;
  }

  std::uint32_t finish_joined() {
    const std::uint32_t total = remembered_ + new_frames();
    const std::uint32_t limit = process.header->max_depth;
    if (join_ == Join::any && total > limit) return cut(total - limit);
    const std::uint32_t keep = remembered_;
    move_new_frames_to(keep);
    return keep;
  }

  // Too deep: the outermost frames go, a mark takes their place, and the recorder gets all of it anew.
  std::uint32_t cut(std::uint32_t excess) {
    const std::uint32_t kept = remembered_ - excess;
    for (std::uint32_t i = 0; i < kept; ++i) s_.frames[1 + i] = s_.frames[excess + i];
    s_.frames[0] = mark(format::WalkEnd::depth_limit);
    move_new_frames_to(1 + kept);
    s_.join = Join::same_leaf;
    return 0;
  }

  std::uint32_t finish(Frame end, bool with_mark, Join join) {
    if (with_mark) s_.frames[0] = end;
    move_new_frames_to(with_mark ? 1 : 0);
    s_.join = join;
    return 0;
  }

  void move_new_frames_to(std::uint32_t at) {
    const std::uint32_t n = new_frames();
    if (at != next_) {
      for (std::uint32_t i = 0; i < n; ++i) s_.frames[at + i] = s_.frames[next_ + i];
    }
    s_.count = at + n;
  }

  RememberedStack& s_;
  const std::uint32_t layout_;
  const RuleTable rules_;  // as the walk began; one that grew meanwhile is asked by the next walk
  const std::uint32_t capacity_;
  std::uint32_t next_;        // first new frame
  std::uint32_t remembered_;  // remembered frames not yet passed
  const std::uint32_t was_whole_;
  const Join join_;
};

struct LibunwindWalk {
  RememberedStack* stack;
  const CallSite* site;
  std::uint32_t layout;
  std::uint32_t next;
  bool begun;
};

// The frames of our own hook come first; the program's begin at the call site.
bool take_libunwind_frame(void* context, const LibunwindFrame& f) {
  auto& w = *static_cast<LibunwindWalk*>(context);
  if (!w.begun) {
    if (f.pc != w.site->pc || f.sp != w.site->sp) return f.sp <= w.site->sp;
    w.begun = true;
  }
  if (w.next == 1) return false;
  step_rule(rules_of(w.layout), w.layout, f.pc, f.exact);  // registers the module
  w.stack->frames[--w.next] = {f.exact ? f.pc | format::kExactPc : f.pc, f.sp, f.bp, 0};
  return true;
}

// The whole stack by libunwind.
[[gnu::noinline]] void walk_all_with_libunwind(RememberedStack& s, const CallSite& site, std::uint32_t layout) {
  const std::uint32_t capacity = process.header->max_depth + 2;
  LibunwindWalk w{&s, &site, layout, capacity - 1, false};
  w.next = capacity;
  LibunwindEnd end = LibunwindEnd::failed;
  if (libunwind_loaded() && process.sandboxed.load(std::memory_order_relaxed) == 0) {  // it makes system calls
    end = walk_with_libunwind(s.readable, take_libunwind_frame, &w);
  }
  if (!w.begun) end = LibunwindEnd::failed;
  if (!w.begun) s.frames[--w.next] = {site.pc, site.sp, site.bp, 0};
  std::uint32_t at = 0;
  if (end != LibunwindEnd::outermost) {
    s.frames[at++] = mark(end == LibunwindEnd::stopped ? format::WalkEnd::depth_limit : format::WalkEnd::no_unwind_data);
  }
  for (std::uint32_t i = w.next; i < capacity; ++i) s.frames[at++] = s.frames[i];
  s.count = at;
  s.join = Join::never;
}

// The level of nesting: a signal handler must not touch the stack that the code below it is just walking. A walk that
// was left by siglongjmp is recognised once the thread is above its frame again.
std::uint32_t free_level(ThreadState& t, std::uintptr_t sp) {
  for (std::uint32_t level = 0; level < format::kWalkLevels; ++level) {
    RememberedStack& s = t.stacks[level];
    const bool abandoned = sp >= s.walker && sp >= s.readable.low && sp < s.readable.high;
    if (s.walker == 0 || abandoned) return level;
  }
  return kLeafOnlyLevel;
}

}  // namespace

StackDifference walk_stack(ThreadState& t, const CallSite& site) {
  const std::uint32_t level = free_level(t, site.sp);
  const std::uint32_t layout = current_layout();
  if (level == kLeafOnlyLevel) return {nullptr, level, layout, 0};
  RememberedStack& s = t.stacks[level];
  s.walker = site.sp;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool joinable = s.valid != 0 && s.layout == layout && s.join != Join::never;
  s.valid = 0;
  s.layout = layout;
  begin_on_stack(s.readable, site.sp);
  std::uint32_t keep = Walk(s, layout, joinable).run({site.pc, site.sp, site.bp, 0});
  if (keep == Walk::kNeedsLibunwind) {
    walk_all_with_libunwind(s, site, layout);
    keep = 0;
  } else if (__builtin_expect(process.header->check_walks != 0, 0)) {
    check_walk(s, site, level);
  }
  return {&s, level, layout, keep};
}

void end_walk(const StackDifference& d) {
  if (d.stack != nullptr) d.stack->walker = 0;
}

}  // namespace memswell::probe
