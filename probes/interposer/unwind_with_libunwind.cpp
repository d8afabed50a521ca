#include "unwind_with_libunwind.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libunwind.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "call_frame_info.h"
#include "memory.h"
#include "process.h"
#include "readable.h"
#include "real_functions.h"
#include "symbol_lookup.h"
#include "system_calls.h"

namespace memswell::probe {
namespace {

// Debian's libunwind.a is not position independent, and linking the library would put its _Unwind_* before libgcc's.
// The library for "remote" unwinding takes our accessors in place of its own, which lock and read through a pipe.
struct Library {
  decltype(&unw_create_addr_space) create_address_space;
  decltype(&unw_set_caching_policy) set_caching_policy;
  decltype(&unw_init_remote) init_remote;
  decltype(&unw_step) step;
  decltype(&unw_get_reg) get_register;
  decltype(&unw_is_signal_frame) is_signal_frame;
  int (*search_unwind_table)(unw_addr_space_t, unw_word_t, unw_dyn_info_t*, unw_proc_info_t*, int, void*);
  unw_addr_space_t space;
};

Library library;

// Registers at the start of a walk, by DWARF number.
struct Context {
  std::uintptr_t registers[17];
  ReadableRange* range;
};

int find_procedure(unw_addr_space_t space, unw_word_t pc, unw_proc_info_t* info, int need_unwind_info, void* context) {
  ModuleOfPc module;
  if (!find_module(pc, module) || module.eh_frame_header == nullptr || find_frame_description(module, pc) == nullptr) {
    return -UNW_ENOINFO;
  }
  const std::uint8_t* header = module.eh_frame_header;
  std::uint32_t count;
  copy_bytes(&count, header + 8, sizeof count);
  unw_dyn_info_t table{};
  table.start_ip = module.begin;
  table.end_ip = module.end;
  table.format = UNW_INFO_FORMAT_REMOTE_TABLE;
  table.u.rti.segbase = reinterpret_cast<unw_word_t>(header);
  table.u.rti.table_data = reinterpret_cast<unw_word_t>(header) + 12;
  table.u.rti.table_len = count * 8 / sizeof(unw_word_t);
  return library.search_unwind_table(space, pc, &table, info, need_unwind_info, context);
}

void put_procedure(unw_addr_space_t, unw_proc_info_t*, void*) {}

int no_dynamic_list(unw_addr_space_t, unw_word_t*, void*) { return -UNW_ENOINFO; }

bool in_loaded_module(std::uintptr_t address) {
  ModuleOfPc module;
  return find_module(address, module) && address + 8 <= module.end;
}

int access_memory(unw_addr_space_t, unw_word_t address, unw_word_t* value, int write, void* context) {
  if (write != 0) return -UNW_EINVAL;
  auto& range = *static_cast<Context*>(context)->range;
  const std::uintptr_t last = address + 7;
  const bool stack = address >= range.low && last < range.high;
  if (!stack && !in_loaded_module(address) && !(page_readable(address) && page_readable(last))) return -UNW_EINVAL;
  copy_bytes(value, reinterpret_cast<const void*>(address), sizeof *value);
  return 0;
}

int access_register(unw_addr_space_t, unw_regnum_t number, unw_word_t* value, int write, void* context) {
  if (write != 0 || number < 0 || number > UNW_X86_64_RIP) return -UNW_EBADREG;
  *value = static_cast<Context*>(context)->registers[number];
  return 0;
}

int access_float(unw_addr_space_t, unw_regnum_t, unw_fpreg_t*, int, void*) { return -UNW_EBADREG; }
int resume(unw_addr_space_t, unw_cursor_t*, void*) { return -UNW_EINVAL; }
int procedure_name(unw_addr_space_t, unw_word_t, char*, size_t, unw_word_t*, void*) { return -UNW_ENOINFO; }

unw_accessors_t accessors = {find_procedure, put_procedure, no_dynamic_list, access_memory,
                             access_register, access_float, resume, procedure_name};

template <class F>
bool find(F& function, void* handle, const char* name, void* (*symbol)(void*, const char*)) {
  function = reinterpret_cast<F>(symbol(handle, name));
  return function != nullptr;
}

// While the loader works for us, its allocations come from our arena.
struct Serving {
  Serving() { thread_local_state.serving = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }
  ~Serving() { thread_local_state.serving = 0; }
};

bool load(const char* name) {
  auto open = reinterpret_cast<void* (*)(const char*, int)>(find_in_libc("dlopen"));
  auto symbol = reinterpret_cast<void* (*)(void*, const char*)>(find_in_libc("dlsym"));
  if (open == nullptr || symbol == nullptr) return false;
  void* handle = open(name, RTLD_NOW | RTLD_LOCAL);
  return handle != nullptr && find(library.create_address_space, handle, "_Ux86_64_create_addr_space", symbol) &&
         find(library.set_caching_policy, handle, "_Ux86_64_set_caching_policy", symbol) &&
         find(library.init_remote, handle, "_Ux86_64_init_remote", symbol) &&
         find(library.step, handle, "_Ux86_64_step", symbol) &&
         find(library.get_register, handle, "_Ux86_64_get_reg", symbol) &&
         find(library.is_signal_frame, handle, "_Ux86_64_is_signal_frame", symbol) &&
         find(library.search_unwind_table, handle, "_Ux86_64_dwarf_search_unwind_table", symbol);
}

}  // namespace

namespace {

constexpr std::uint64_t kFewestDescriptors = 64;  // a program with fewer has none to spare

std::uint64_t descriptor_limit() {
  rlimit limit{};
  return system_call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, as_word(&limit)) < 0 ? 0 : limit.rlim_cur;
}

// libunwind opens a pipe when it is first used, and keeps it. While this lives the low numbers are taken, so that the pipe
// gets high ones: the program's first open must return what it would return alone.
class LowDescriptorsTaken {
 public:
  explicit LowDescriptorsTaken(std::uint64_t limit) {
    const long target = limit < kMost ? static_cast<long>(limit) - 8 : kMost - 8;
    const long first = system_call(SYS_memfd_create, as_word("memswell"), MFD_CLOEXEC);
    for (long fd = first; fd >= 0 && count_ < kMost; fd = system_call(SYS_fcntl, first, F_DUPFD_CLOEXEC, 0)) {
      taken_[count_++] = static_cast<int>(fd);
      if (fd >= target) break;
    }
  }
  ~LowDescriptorsTaken() {
    while (count_ > 0) system_call(SYS_close, taken_[--count_]);
  }
  LowDescriptorsTaken(const LowDescriptorsTaken&) = delete;
  LowDescriptorsTaken& operator=(const LowDescriptorsTaken&) = delete;

 private:
  static constexpr int kMost = 256;
  int taken_[kMost];
  int count_ = 0;
};

}  // namespace

bool libunwind_loaded() { return library.space != nullptr; }

bool load_libunwind() {
  const Serving serving;
  const std::uint64_t limit = descriptor_limit();
  if (limit < kFewestDescriptors || !load("libunwind-x86_64.so.8")) return false;
  library.space = library.create_address_space(&accessors, 0);
  if (library.space == nullptr) return false;
  const LowDescriptorsTaken taken(limit);
  library.set_caching_policy(library.space, UNW_CACHE_NONE);
  return true;
}

LibunwindEnd walk_with_libunwind(ReadableRange& range, bool (*take)(void*, const LibunwindFrame&), void* context) {
  Context start{{}, &range};
  asm volatile(
      "mov %%rbx, 24(%0)\n mov %%rbp, 48(%0)\n mov %%rsp, 56(%0)\n"
      "mov %%r12, 96(%0)\n mov %%r13, 104(%0)\n mov %%r14, 112(%0)\n mov %%r15, 120(%0)\n"
      "lea 0(%%rip), %%rax\n mov %%rax, 128(%0)\n" ::"r"(start.registers)
      : "rax", "memory");
  unw_cursor_t cursor;
  if (library.init_remote(&cursor, library.space, &start) < 0) return LibunwindEnd::failed;
  bool exact = false;
  for (;;) {
    const bool signal = library.is_signal_frame(&cursor) > 0;
    const int stepped = library.step(&cursor);
    if (stepped == 0) return LibunwindEnd::outermost;
    if (stepped < 0) return LibunwindEnd::failed;
    exact = signal;
    unw_word_t pc = 0, sp = 0, bp = 0;
    if (library.get_register(&cursor, UNW_REG_IP, &pc) < 0 || pc == 0) return LibunwindEnd::outermost;
    library.get_register(&cursor, UNW_REG_SP, &sp);
    library.get_register(&cursor, UNW_X86_64_RBP, &bp);
    if (!take(context, {pc, sp, bp, exact})) return LibunwindEnd::stopped;
  }
}

}  // namespace memswell::probe
