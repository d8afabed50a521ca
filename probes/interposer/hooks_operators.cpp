// operator new and delete. Where the C++ library defines them they call malloc and free, which are hooked already: then
// each form below is one jump. Where the allocator's own library defines them (jemalloc, tcmalloc, mimalloc), its
// malloc is never called: then they are recorded here. A library that passes them on ends in malloc after all, once.
#include "export.h"
#include "layout.h"
#include "real_functions.h"
#include "record.h"
#include "release_watch.h"
#include "symbol_lookup.h"
#include "usable_size.h"

namespace memswell::probe {
namespace {

using format::RecordKind;
using Function = void* (*)(std::uintptr_t, std::uintptr_t, std::uintptr_t);

struct Operator {
  const char* name;
  Function real;      // the next definition
  Function counting;  // what records and then calls it
};

template <int I>
void* counting_new(std::uintptr_t a, std::uintptr_t b, std::uintptr_t c);
template <int I>
void* counting_delete(std::uintptr_t a, std::uintptr_t b, std::uintptr_t c);

#define MEMSWELL_NEW(I, name) Operator{name, nullptr, counting_new<I>}
#define MEMSWELL_DELETE(I, name) Operator{name, nullptr, counting_delete<I>}

// In the order of the exported functions below.
Operator operators[] = {
    MEMSWELL_NEW(0, "_Znwm"), MEMSWELL_NEW(1, "_Znam"),
    MEMSWELL_NEW(2, "_ZnwmRKSt9nothrow_t"), MEMSWELL_NEW(3, "_ZnamRKSt9nothrow_t"),
    MEMSWELL_NEW(4, "_ZnwmSt11align_val_t"), MEMSWELL_NEW(5, "_ZnamSt11align_val_t"),
    MEMSWELL_NEW(6, "_ZnwmSt11align_val_tRKSt9nothrow_t"), MEMSWELL_NEW(7, "_ZnamSt11align_val_tRKSt9nothrow_t"),
    MEMSWELL_DELETE(8, "_ZdlPv"), MEMSWELL_DELETE(9, "_ZdaPv"),
    MEMSWELL_DELETE(10, "_ZdlPvm"), MEMSWELL_DELETE(11, "_ZdaPvm"),
    MEMSWELL_DELETE(12, "_ZdlPvRKSt9nothrow_t"), MEMSWELL_DELETE(13, "_ZdaPvRKSt9nothrow_t"),
    MEMSWELL_DELETE(14, "_ZdlPvSt11align_val_t"), MEMSWELL_DELETE(15, "_ZdaPvSt11align_val_t"),
    MEMSWELL_DELETE(16, "_ZdlPvmSt11align_val_t"), MEMSWELL_DELETE(17, "_ZdaPvmSt11align_val_t"),
    MEMSWELL_DELETE(18, "_ZdlPvSt11align_val_tRKSt9nothrow_t"), MEMSWELL_DELETE(19, "_ZdaPvSt11align_val_tRKSt9nothrow_t"),
};

template <int I>
void* counting_new(std::uintptr_t size, std::uintptr_t b, std::uintptr_t c) {
  const CallSite site = MEMSWELL_CALL_SITE();
  ThreadState* t = current_thread();
  if (t != nullptr) t->asked_block = nullptr;
  void* p = operators[I].real(size, b, c);  // may throw, or run a new_handler that allocates: no state is held here
  if (t != nullptr && p != nullptr && t->asked_block != p) {
    const InHook inside(*t);
    record_block(*t, RecordKind::operator_new, p, size, usable_size(*t, p, size), site);
  }
  return p;
}

template <int I>
void* counting_delete(std::uintptr_t block, std::uintptr_t b, std::uintptr_t c) {
  ThreadState* t = block == 0 ? nullptr : current_thread();
  if (t != nullptr && thread_local_state.own_free != block) {
    watch_release(*t, reinterpret_cast<void*>(block));
    const InHook inside(*t);
    record_plain(*t, RecordKind::free, reinterpret_cast<void*>(block));
    thread_local_state.own_free = block;
  }
  operators[I].real(block, b, c);
  thread_local_state.own_free = 0;
  return nullptr;
}

}  // namespace

// Where each exported operator jumps: at first to its resolver.
extern "C" [[gnu::visibility("hidden")]] Function memswell_operator_target[20];
extern "C" [[gnu::visibility("hidden")]] Function memswell_resolve_operator(std::uint64_t index);

Function memswell_resolve_operator(std::uint64_t index) {
  find_real_functions();
  Operator& o = operators[index];
  const link_map* module = nullptr;
  void* found = find_next(o.name, &module);
  if (found == nullptr) {  // only in a module that is not in the global scope
    for (const link_map* m = first_module(); m != nullptr && found == nullptr; m = m->l_next) {
      if (m != own_module() && (found = find_in_module(m, o.name)) != nullptr) module = m;
    }
  }
  if (found == nullptr) __builtin_trap();  // nobody defines it: the caller could not have been linked
  o.real = reinterpret_cast<Function>(found);
  memswell_operator_target[index] = module == real.allocator ? o.counting : o.real;
  return memswell_operator_target[index];
}

}  // namespace memswell::probe

// Each export is a jump through its slot. The slot's first value keeps the arguments, finds the real function, and jumps.
#define MEMSWELL_OPERATOR(index, name)                    \
  asm(".text\n.globl " name "\n.type " name ", @function\n" name ":\n" \
      "  jmp *memswell_operator_target+8*" #index "(%rip)\n"          \
      ".size " name ", . - " name "\n"                                \
      "1:\n  mov $" #index ", %eax\n  jmp memswell_operator_first_call\n" \
      ".pushsection .data.memswell_operators, \"aw\"\n  .quad 1b\n.popsection\n");

asm(R"(
  .pushsection .data.memswell_operators, "aw"
  .balign 8
  .hidden memswell_operator_target
  .globl memswell_operator_target
memswell_operator_target:
  .popsection
  .text
memswell_operator_first_call:
  .cfi_startproc
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  push %rdx
  .cfi_adjust_cfa_offset 8
  mov %rax, %rdi
  call memswell_resolve_operator
  pop %rdx
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
)");

MEMSWELL_OPERATOR(0, "_Znwm")
MEMSWELL_OPERATOR(1, "_Znam")
MEMSWELL_OPERATOR(2, "_ZnwmRKSt9nothrow_t")
MEMSWELL_OPERATOR(3, "_ZnamRKSt9nothrow_t")
MEMSWELL_OPERATOR(4, "_ZnwmSt11align_val_t")
MEMSWELL_OPERATOR(5, "_ZnamSt11align_val_t")
MEMSWELL_OPERATOR(6, "_ZnwmSt11align_val_tRKSt9nothrow_t")
MEMSWELL_OPERATOR(7, "_ZnamSt11align_val_tRKSt9nothrow_t")
MEMSWELL_OPERATOR(8, "_ZdlPv")
MEMSWELL_OPERATOR(9, "_ZdaPv")
MEMSWELL_OPERATOR(10, "_ZdlPvm")
MEMSWELL_OPERATOR(11, "_ZdaPvm")
MEMSWELL_OPERATOR(12, "_ZdlPvRKSt9nothrow_t")
MEMSWELL_OPERATOR(13, "_ZdaPvRKSt9nothrow_t")
MEMSWELL_OPERATOR(14, "_ZdlPvSt11align_val_t")
MEMSWELL_OPERATOR(15, "_ZdaPvSt11align_val_t")
MEMSWELL_OPERATOR(16, "_ZdlPvmSt11align_val_t")
MEMSWELL_OPERATOR(17, "_ZdaPvmSt11align_val_t")
MEMSWELL_OPERATOR(18, "_ZdlPvSt11align_val_tRKSt9nothrow_t")
MEMSWELL_OPERATOR(19, "_ZdaPvSt11align_val_tRKSt9nothrow_t")
