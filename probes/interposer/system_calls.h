// System calls without libc: the program may define its own write(), errno stays untouched, and no wrapper can be
// interposed. Results are the kernel's: −errno on failure.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

namespace memswell::probe {

inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <class T>
long as_word(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

// The time stamp counter, read after everything before it has been done.
inline std::uint64_t read_tsc() {
  std::uint32_t low, high;
  asm volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
  return std::uint64_t{high} << 32 | low;
}

inline std::uintptr_t thread_pointer() {
  std::uintptr_t value;
  asm("mov %%fs:0, %0" : "=r"(value));
  return value;
}

}  // namespace memswell::probe
