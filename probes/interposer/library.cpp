// The library's beginning and end. Nothing here keeps state of its own: the first hook may have come long before.
#include <link.h>

#include "handshake.h"
#include "layout.h"
#include "process.h"
#include "record.h"
#include "symbol_lookup.h"
#include "unwind_with_libunwind.h"

namespace memswell::probe {
namespace {

// What libunwind brought along is memswell's own, unless the program has it too.
void add_own_modules_after(const link_map* last) {
  for (const link_map* m = last->l_next; m != nullptr; m = m->l_next) {
    const auto* elf = reinterpret_cast<const ElfW(Ehdr)*>(m->l_addr);
    const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(m->l_addr + elf->e_phoff);
    std::uintptr_t end = 0;
    for (int i = 0; i < elf->e_phnum; ++i) {
      if (segments[i].p_type == PT_LOAD) end = m->l_addr + segments[i].p_vaddr + segments[i].p_memsz;
    }
    if (end != 0) add_own_range(m->l_addr, (end + format::kPageBytes - 1) & ~(format::kPageBytes - 1));
  }
}

[[gnu::constructor]] void library_begins() {
  begin_image();
  if (process.slot == nullptr) return;
  const link_map* last = first_module();
  while (last->l_next != nullptr) last = last->l_next;
  if (load_libunwind()) {
    add_own_modules_after(last);
  } else {
    set_flag(format::ProcessFlag::no_libunwind);
  }
}

// Late, but not last: libraries that this one needs (libc) end after it, and so do those that were loaded before.
[[gnu::destructor]] void library_ends() {
  ThreadState* t = current_thread();
  if (t == nullptr) return;
  {
    const InHook inside(*t);
    constexpr auto kEnd = static_cast<std::uintptr_t>(format::ExitKind::library_end);
    record_plain(*t, format::RecordKind::exiting, reinterpret_cast<void*>(kEnd));
  }
  wait_for_snapshot(*t);
}

}  // namespace
}  // namespace memswell::probe
