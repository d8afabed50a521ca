// dlopen. The real one looks at its return address to find the caller's search path, so the hook is a jump; only
// RTLD_DEEPBIND needs work: it makes a library bind malloc past us, and is mended in the library's own tables.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>

#include "export.h"
#include "layout.h"
#include "memory.h"
#include "process.h"
#include "real_functions.h"
#include "symbol_lookup.h"
#include "system_calls.h"

namespace memswell::probe {
namespace {

constexpr const char* kFamily[] = {
    "malloc", "calloc", "realloc", "reallocarray", "free", "free_sized", "free_aligned_sized", "posix_memalign",
    "aligned_alloc", "memalign", "valloc", "pvalloc", "mmap", "mmap64", "munmap", "mremap", "madvise",
    "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"};

bool in_family(const char* name) {
  for (const char* member : kFamily) {
    if (equal_text(name, member)) return true;
  }
  return false;
}

struct Relocations {
  const Elf64_Rela* entries = nullptr;
  std::size_t bytes = 0;
};

struct Dynamic {
  const Elf64_Sym* symbols = nullptr;
  const char* strings = nullptr;
  Relocations data, calls;
};

Dynamic dynamic_of(const link_map* m) {
  Dynamic d;
  for (const Elf64_Dyn* e = m->l_ld; e->d_tag != DT_NULL; ++e) {
    switch (e->d_tag) {
      case DT_SYMTAB: d.symbols = reinterpret_cast<const Elf64_Sym*>(e->d_un.d_ptr); break;
      case DT_STRTAB: d.strings = reinterpret_cast<const char*>(e->d_un.d_ptr); break;
      case DT_RELA: d.data.entries = reinterpret_cast<const Elf64_Rela*>(e->d_un.d_ptr); break;
      case DT_RELASZ: d.data.bytes = e->d_un.d_val; break;
      case DT_JMPREL: d.calls.entries = reinterpret_cast<const Elf64_Rela*>(e->d_un.d_ptr); break;
      case DT_PLTRELSZ: d.calls.bytes = e->d_un.d_val; break;
      default: break;
    }
  }
  return d;
}

// The table may have been made read-only after relocation (RELRO): opened for the write, closed as it was.
bool is_read_only(const link_map* m, std::uintptr_t address) {
  const auto* elf = reinterpret_cast<const Elf64_Ehdr*>(m->l_addr);
  const auto* segments = reinterpret_cast<const Elf64_Phdr*>(m->l_addr + elf->e_phoff);
  for (int i = 0; i < elf->e_phnum; ++i) {
    const std::uintptr_t begin = m->l_addr + segments[i].p_vaddr;
    if (segments[i].p_type == PT_GNU_RELRO && address >= begin && address < begin + segments[i].p_memsz) return true;
  }
  return false;
}

void write_slot(const link_map* m, std::uintptr_t address, void* value) {
  const long page = static_cast<long>(address & ~(format::kPageBytes - 1));
  const bool closed = is_read_only(m, address);
  if (closed && system_call(SYS_mprotect, page, format::kPageBytes, PROT_READ | PROT_WRITE) < 0) return;
  *reinterpret_cast<void**>(address) = value;
  if (closed) system_call(SYS_mprotect, page, format::kPageBytes, PROT_READ);
}

void bind_to_us(const link_map* m, const Dynamic& d, const Relocations& r) {
  for (std::size_t i = 0; i < r.bytes / sizeof(Elf64_Rela); ++i) {
    const Elf64_Rela& e = r.entries[i];
    const auto type = ELF64_R_TYPE(e.r_info);
    if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) continue;
    const Elf64_Sym& symbol = d.symbols[ELF64_R_SYM(e.r_info)];
    const char* name = d.strings + symbol.st_name;
    if (symbol.st_shndx != SHN_UNDEF || !in_family(name)) continue;
    if (void* ours = find_in_module(own_module(), name)) write_slot(m, m->l_addr + e.r_offset, ours);
  }
}

using DlopenFunction = void* (*)(const char*, int);

}  // namespace

extern "C" {
[[gnu::visibility("hidden")]] DlopenFunction memswell_real_dlopen;
[[gnu::visibility("hidden")]] void memswell_find_dlopen() {
  find_real_functions();
  memswell_real_dlopen = reinterpret_cast<DlopenFunction>(find_next("dlopen"));
}

[[gnu::visibility("hidden")]] void* memswell_dlopen_deep(const char* file, int mode) {
  const link_map* last = first_module();
  while (last->l_next != nullptr) last = last->l_next;
  void* handle = memswell_real_dlopen(file, mode);
  if (handle == nullptr || process.slot == nullptr) return handle;
  for (const link_map* m = last->l_next; m != nullptr; m = m->l_next) {
    const Dynamic d = dynamic_of(m);
    if (d.symbols == nullptr || d.strings == nullptr) continue;
    bind_to_us(m, d, d.data);
    bind_to_us(m, d, d.calls);
  }
  modules_may_have_changed();
  return handle;
}
}

}  // namespace memswell::probe

asm(R"(
  .text
  .globl dlopen
  .type dlopen, @function
dlopen:
  .cfi_startproc
  cmpq $0, memswell_real_dlopen(%rip)
  je 2f
1:
  test $8, %esi
  jnz memswell_dlopen_deep
  jmp *memswell_real_dlopen(%rip)
2:
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call memswell_find_dlopen
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
  jmp 1b
  .cfi_endproc
  .size dlopen, . - dlopen
)");
