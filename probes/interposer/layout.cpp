#include "layout.h"

#include <elf.h>

#include "call_frame_info.h"
#include "memory.h"
#include "module_headers.h"
#include "page_pool.h"
#include "unwind_tables.h"

namespace memswell::probe {
namespace {

constexpr std::uint32_t kFirstRulesLog2 = 10;    // 1024 entries, 16 KiB; perl needs 430, CPython 6,000
constexpr std::uint32_t kLargestRulesLog2 = 18;  // 4 MiB; cc1plus needs 77,000

std::uint32_t pages_of_rules(std::uint32_t log2) {
  return static_cast<std::uint32_t>((sizeof(format::RuleEntry) << log2) / format::kPageBytes);
}

std::uint32_t new_layout() {
  constexpr auto kPages =
      static_cast<std::uint32_t>((sizeof(format::LayoutHeader) + format::kPageBytes - 1) / format::kPageBytes);
  const std::uint32_t page = claim_pages(kPages);
  if (page == kNoPages) return 0;
  const std::uint32_t rules = claim_pages(pages_of_rules(kFirstRulesLog2));
  if (rules == kNoPages) {
    release_pages(page, kPages);
    return 0;
  }
  format::LayoutHeader& layout = layout_at(page + 1);
  layout.pages = kPages;
  layout.users.store(1, std::memory_order_relaxed);
  layout.rules.store((rules + 1) << 8 | kFirstRulesLog2, std::memory_order_release);
  return page + 1;
}

bool insert_rule(RuleTable table, std::uint64_t pc, std::uint64_t rule) {
  const std::uint64_t first = RuleTable::hash(pc);
  for (std::uint64_t i = first; i < first + RuleTable::kMostProbes; ++i) {
    format::RuleEntry& e = table.entries[i & table.mask];
    std::uint64_t seen = e.pc.load(std::memory_order_relaxed);
    if (seen == pc) return false;
    if (seen == 0 && e.pc.compare_exchange_strong(seen, pc)) {
      e.rule.store(rule, std::memory_order_release);
      return true;
    }
    if (seen == pc) return false;
  }
  return false;
}

// A table twice as large. Rules that other threads insert meanwhile are learned again.
void grow_rules(format::LayoutHeader& layout, std::uint32_t word) {
  const std::uint32_t log2 = (word & 0xff) + 1;
  if (log2 > kLargestRulesLog2) return;
  const std::uint32_t retired = layout.retired_count.load(std::memory_order_relaxed);
  if (retired >= 13) return;
  const std::uint32_t page = claim_pages(pages_of_rules(log2));
  if (page == kNoPages) return;
  const std::uint32_t grown = (page + 1) << 8 | log2;
  const RuleTable from = RuleTable::of(word), to = RuleTable::of(grown);
  std::uint32_t filled = 0;
  for (std::uint64_t i = 0; i <= from.mask; ++i) {
    const std::uint64_t rule = from.entries[i].rule.load(std::memory_order_acquire);
    if (rule != 0 && insert_rule(to, from.entries[i].pc.load(std::memory_order_relaxed), rule)) ++filled;
  }
  if (layout.rules.compare_exchange_strong(word, grown)) {
    layout.rules_filled.store(filled, std::memory_order_relaxed);
    layout.retired[layout.retired_count.fetch_add(1) % 13].store(word, std::memory_order_release);
  } else {
    release_pages(page, pages_of_rules(log2));
  }
}

void remember_rule(format::LayoutHeader& layout, std::uint64_t pc, std::uint64_t rule) {
  const std::uint32_t word = layout.rules.load(std::memory_order_acquire);
  const RuleTable table = RuleTable::of(word);
  const std::uint32_t filled = layout.rules_filled.fetch_add(1, std::memory_order_relaxed);
  if (filled > table.mask / 8 * 7) {
    layout.rules_filled.fetch_sub(1, std::memory_order_relaxed);
    return;  // could not grow: learned anew each time
  }
  if (!insert_rule(table, pc, rule)) layout.rules_filled.fetch_sub(1, std::memory_order_relaxed);
  if (filled > table.mask / 3 * 2) grow_rules(layout, word);
}

// The build-id in the module's mapped notes.
void copy_build_id(const ModuleOfPc& m, format::ModuleEntry& entry) {
  const ModuleHeaders headers = module_headers(m);
  for (std::size_t i = 0; i < headers.count; ++i) {
    if (headers.segments[i].p_type != PT_NOTE) continue;
    std::uintptr_t at = m.bias + headers.segments[i].p_vaddr;
    const std::uintptr_t end = at + headers.segments[i].p_memsz;
    while (at + sizeof(Elf64_Nhdr) <= end) {
      const auto* note = reinterpret_cast<const Elf64_Nhdr*>(at);
      const std::uintptr_t name = at + sizeof *note;
      const std::uintptr_t content = name + ((note->n_namesz + 3) & ~3u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && content + note->n_descsz <= end) {
        const std::size_t n = note->n_descsz < sizeof entry.build_id ? note->n_descsz : sizeof entry.build_id;
        copy_bytes(entry.build_id, reinterpret_cast<const void*>(content), n);
        entry.build_id_length = static_cast<std::uint16_t>(n);
        return;
      }
      at = content + ((note->n_descsz + 3) & ~3u);
    }
  }
}

// Does every module of the layout still lie where it lay? The loader also frees for other reasons: threads end, searches.
bool still_true(const format::LayoutHeader& layout) {
  const std::uint32_t count = layout.modules.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count && i < format::kLayoutModules; ++i) {
    const format::ModuleEntry& entry = layout.module[i];
    const std::uint64_t end = entry.end.load(std::memory_order_acquire);
    if (end == 0) continue;
    ModuleOfPc m;
    if (!find_module(entry.begin, m) || m.begin != entry.begin || m.end != end || m.bias != entry.load_bias) return false;
    format::ModuleEntry now{};
    copy_build_id(m, now);
    if (!equal_bytes(now.build_id, entry.build_id, sizeof now.build_id)) return false;
  }
  return true;
}

bool registered(const format::LayoutHeader& layout, const ModuleOfPc& m) {
  const std::uint32_t count = layout.modules.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < count && i < format::kLayoutModules; ++i) {
    if (layout.module[i].begin == m.begin && layout.module[i].end.load(std::memory_order_acquire) == m.end) return true;
  }
  return false;
}

void register_module(format::LayoutHeader& layout, const ModuleOfPc& m) {
  if (registered(layout, m)) return;
  const std::uint32_t i = layout.modules.fetch_add(1);
  if (i >= format::kLayoutModules) {
    layout.modules.store(format::kLayoutModules);
    return;
  }
  format::ModuleEntry& entry = layout.module[i];
  entry.begin = m.begin;
  entry.load_bias = m.bias;
  const std::size_t length = text_length(m.path);
  const std::uint32_t at = layout.strings_used.fetch_add(static_cast<std::uint32_t>(length) + 1);
  if (length < 4096 && at + length + 1 <= format::kLayoutStringBytes) {
    copy_bytes(layout.strings + at, m.path, length);
    entry.path_offset = at;
    entry.path_length = static_cast<std::uint16_t>(length);
  }
  copy_build_id(m, entry);
  entry.end.store(m.end, std::memory_order_release);
}

}  // namespace

std::uint32_t look_at_layout() {
  const bool first = process.layout == 0;
  if (process.modules_changed.exchange(0) == 0 && !first) return process.layout;
  const std::uint32_t before = process.layout;
  if (!first && still_true(layout_at(before))) return before;
  const std::uint32_t layout = new_layout();
  if (layout == 0) {
    process.modules_changed.store(1, std::memory_order_relaxed);
    return 0;
  }
  process.layout = layout;
  forget_unwind_tables();
  process.slot->layout.store(layout, std::memory_order_release);
  if (before != 0) leave_layout(before);
  return layout;
}

std::uint64_t learn_rule(std::uint32_t layout, std::uintptr_t pc, bool exact) {
  ModuleOfPc module;
  StepRule rule;
  if (!find_module(pc, module)) {
    rule.kind = StepRule::Kind::no_data;
    return rule.packed();  // generated code comes and goes: never remembered
  }
  rule = learn_step_rule(module, exact ? pc : pc - 1);
  touched_unwind_tables(module);
  if (layout != 0) {
    register_module(layout_at(layout), module);
    remember_rule(layout_at(layout), RuleTable::key(pc, exact), rule.packed());
  }
  return rule.packed();
}

void share_layout(std::uint32_t layout) {
  if (layout != 0) layout_at(layout).users.fetch_add(1);
}

void leave_layout(std::uint32_t layout) {
  if (layout != 0) layout_at(layout).users.fetch_sub(1);
}

}  // namespace memswell::probe
