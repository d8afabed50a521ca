// A program that enters seccomp forbids itself system calls, and with them us: from then on the hooks make none.
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "export.h"
#include "process.h"
#include "real_functions.h"
#include "symbol_lookup.h"

namespace memswell::probe {
namespace {

void entered_sandbox() {
  process.sandboxed.store(1, std::memory_order_relaxed);
  set_flag(format::ProcessFlag::seccomp);
}

}  // namespace
}  // namespace memswell::probe

using namespace memswell::probe;  // the hooks are C functions

MEMSWELL_EXPORT int prctl(int option, ...) {
  using Function = int (*)(int, unsigned long, unsigned long, unsigned long, unsigned long);
  static Function real_prctl = nullptr;
  if (real_prctl == nullptr) real_prctl = next_function<Function>("prctl");
  va_list list;
  va_start(list, option);
  unsigned long a[4];
  for (unsigned long& value : a) value = va_arg(list, unsigned long);
  va_end(list);
  const int result = real_prctl(option, a[0], a[1], a[2], a[3]);
  if (option == PR_SET_SECCOMP && result == 0) entered_sandbox();
  return result;
}

MEMSWELL_EXPORT long syscall(long number, ...) {
  using Function = long (*)(long, long, long, long, long, long, long);
  static Function real_syscall = nullptr;
  if (real_syscall == nullptr) real_syscall = next_function<Function>("syscall");
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& value : a) value = va_arg(list, long);
  va_end(list);
  const long result = real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  constexpr long kGetActionAvailable = 2;  // SECCOMP_GET_ACTION_AVAIL and above ask, they set nothing
  if (number == SYS_seccomp && result >= 0 && a[0] < kGetActionAvailable) entered_sandbox();
  return result;
}
