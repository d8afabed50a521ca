// Processes begin, become other programs, and end.
#include <alloca.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/types.h>
#include <unistd.h>

#include "child_environment.h"
#include "export.h"
#include "handshake.h"
#include "layout.h"
#include "program_kind.h"
#include "real_functions.h"
#include "record.h"
#include "sampling.h"
#include "symbol_lookup.h"
#include "system_calls.h"

extern "C" char** environ;

namespace memswell::probe {
namespace {

using format::ExecNote;
using format::ExitKind;
using format::RecordKind;

constexpr std::size_t kMostStackBytes = 256 * 1024;

// ---------------------------------------------------------------------------------------------------- fork

// Blocks that other threads are just making or freeing: the child cannot know their state.
void count_uncertain(ThreadState& mine) {
  auto* rings = reinterpret_cast<format::RingSlot*>(reinterpret_cast<char*>(process.header) + process.header->ring_offset);
  std::uint32_t uncertain = 0;
  const std::uint32_t high = process.header->rings_high.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < high && i < format::kRingSlots; ++i) {
    if (&rings[i] != mine.ring && rings[i].process_slot == process.slot_index &&
        rings[i].state.load(std::memory_order_relaxed) == format::SlotState::live &&
        rings[i].in_hook.load(std::memory_order_relaxed) != 0) {
      ++uncertain;
    }
  }
  process.fork_uncertain = uncertain;
}

void note_live() {
  if (process.header->sample_bytes == 0) return;
  const LiveSums live = live_sums(process.slot_index, *process.slot);
  process.fork_live_bytes = live.bytes;
  process.fork_live_blocks = live.blocks;
}

template <class Fork>
pid_t forked(Fork fork_now) {
  ThreadState* t = current_thread();
  if (t == nullptr) return fork_now();
  const std::uint32_t layout = process.layout;
  {
    const InHook inside(*t);
    const std::uint64_t words[] = {first_word(RecordKind::forking, 0), fresh_stamp(*t)};
    append_plain(*t, words, 2);
    process.fork_stamp.store(words[1], std::memory_order_relaxed);
    count_uncertain(*t);
    note_live();
    share_layout(layout);
  }
  const pid_t child = fork_now();
  if (child != 0) process.fork_stamp.store(0, std::memory_order_relaxed);
  if (child < 0) leave_layout(layout);
  return child;
}

// ---------------------------------------------------------------------------------------------------- exec

void record_exec(const char* path, ExecNote note, pid_t pid) {
  ThreadState* t = current_thread();
  if (t == nullptr) return;
  const InHook inside(*t);
  record_text(*t, RecordKind::executing, static_cast<std::uint64_t>(note), path, false, 0,
              static_cast<std::uintptr_t>(pid));
}

void record_exec_failed() {
  ThreadState* t = current_thread();
  if (t == nullptr) return;
  const InHook inside(*t);
  record_plain(*t, RecordKind::exec_failed, nullptr);
}

// A child of vfork runs on its parent's memory: the end of the program that it stands in for is not the parent's.
bool is_own_process() {
  return process.slot != nullptr && process.sandboxed.load(std::memory_order_relaxed) == 0 &&
         static_cast<std::uint32_t>(system_call(SYS_getpid)) == process.slot->pid;
}

ExecNote note_for(const char* path, bool search, char* const* environment) {
  if (process.slot == nullptr || process.sandboxed.load(std::memory_order_relaxed) != 0) return ExecNote::recorded;
  if (environment == nullptr || !has_preload(environment)) return ExecNote::no_environment;
  return search ? inspect_program_in_path(path, value_in(environ, "PATH")) : inspect_program(path);
}

bool harmful(ExecNote note) { return note != ExecNote::recorded && note != ExecNote::no_environment && note != ExecNote::unreadable; }

// `call(environment)` executes; it returns only if it fails.
template <class Call>
[[gnu::noinline]] int execute(const char* path, bool search, char* const* environment, Call call) {
  const int error = errno;
  const ExecNote note = note_for(path, search, environment);
  record_exec(path, note, static_cast<pid_t>(process.sandboxed.load() != 0 ? 0 : system_call(SYS_getpid)));
  if (is_own_process()) {
    if (ThreadState* t = current_thread()) wait_for_snapshot(*t);
  }
  char* const* given = environment;
  if (harmful(note)) {
    const std::size_t bytes = without_preload_bytes(environment);
    if (bytes <= kMostStackBytes) given = without_preload(environment, static_cast<char*>(alloca(bytes)));
  }
  errno = error;
  const int result = call(given);
  const int why = errno;
  record_exec_failed();
  errno = why;
  return result;
}

using ExecveFunction = int (*)(const char*, char* const*, char* const*);

int execute_path(const char* path, char* const* arguments, char* const* environment) {
  static ExecveFunction real_execve = nullptr;
  if (real_execve == nullptr) real_execve = next_function<ExecveFunction>("execve");
  return execute(path, false, environment, [=](char* const* e) { return real_execve(path, arguments, e); });
}

int execute_in_path(const char* file, char* const* arguments, char* const* environment) {
  static ExecveFunction real_execvpe = nullptr;
  if (real_execvpe == nullptr) real_execvpe = next_function<ExecveFunction>("execvpe");
  return execute(file, true, environment, [=](char* const* e) { return real_execvpe(file, arguments, e); });
}

std::size_t count_arguments(va_list list) {
  std::size_t n = 1;
  va_list copy;
  va_copy(copy, list);
  while (va_arg(copy, char*) != nullptr) ++n;
  va_end(copy);
  return n;
}

using SpawnFunction = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                              char* const*, char* const*);

[[gnu::noinline]] int spawn(SpawnFunction real_spawn, bool search, pid_t* pid, const char* path,
                            const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
                            char* const* arguments, char* const* environment) {
  const ExecNote note = note_for(path, search, environment);
  char* const* given = environment;
  if (harmful(note)) {
    const std::size_t bytes = without_preload_bytes(environment);
    if (bytes <= kMostStackBytes) given = without_preload(environment, static_cast<char*>(alloca(bytes)));
  }
  pid_t child = 0;
  const int result = real_spawn(&child, path, actions, attributes, arguments, given);
  if (result == 0) record_exec(path, note, child);
  if (result == 0 && pid != nullptr) *pid = child;
  return result;
}

// ---------------------------------------------------------------------------------------------------- ends

void record_end(ExitKind kind) {
  if (!is_own_process()) return;
  ThreadState* t = current_thread();
  if (t == nullptr) return;
  {
    const InHook inside(*t);
    record_plain(*t, RecordKind::exiting, reinterpret_cast<void*>(static_cast<std::uintptr_t>(kind)));
  }
  wait_for_snapshot(*t);
}

[[noreturn]] void end_now(const char* name, ExitKind kind, int status) {
  record_end(kind);
  if (auto real_end = next_function<void (*)(int)>(name)) real_end(status);
  for (;;) system_call(SYS_exit_group, status);
}

}  // namespace
}  // namespace memswell::probe

using namespace memswell::probe;  // the hooks are C functions

MEMSWELL_EXPORT pid_t fork() {
  static pid_t (*real_fork)() = nullptr;
  if (real_fork == nullptr) real_fork = next_function<pid_t (*)()>("fork");
  return forked([] { return real_fork(); });
}

MEMSWELL_EXPORT pid_t _Fork() {
  static pid_t (*real_fork)() = nullptr;
  if (real_fork == nullptr) real_fork = next_function<pid_t (*)()>("_Fork");
  return forked([] { return real_fork(); });
}

MEMSWELL_EXPORT int execve(const char* path, char* const arguments[], char* const environment[]) {
  return execute_path(path, arguments, environment);
}

MEMSWELL_EXPORT int execv(const char* path, char* const arguments[]) { return execute_path(path, arguments, environ); }

MEMSWELL_EXPORT int execvp(const char* file, char* const arguments[]) { return execute_in_path(file, arguments, environ); }

MEMSWELL_EXPORT int execvpe(const char* file, char* const arguments[], char* const environment[]) {
  return execute_in_path(file, arguments, environment);
}

// The variadic forms: the arguments as an array on the stack, as libc does it.
#define MEMSWELL_GATHER(list, first)                                              \
  const std::size_t count = count_arguments(list);                                \
  auto** arguments = static_cast<char**>(alloca((count + 1) * sizeof(char*)));     \
  arguments[0] = const_cast<char*>(first);                                        \
  for (std::size_t i = 1; i <= count; ++i) arguments[i] = va_arg(list, char*)

MEMSWELL_EXPORT int execl(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  MEMSWELL_GATHER(list, first);
  va_end(list);
  return execute_path(path, arguments, environ);
}

MEMSWELL_EXPORT int execlp(const char* file, const char* first, ...) {
  va_list list;
  va_start(list, first);
  MEMSWELL_GATHER(list, first);
  va_end(list);
  return execute_in_path(file, arguments, environ);
}

MEMSWELL_EXPORT int execle(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  MEMSWELL_GATHER(list, first);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return execute_path(path, arguments, environment);
}

MEMSWELL_EXPORT int fexecve(int fd, char* const arguments[], char* const environment[]) {
  using Function = int (*)(int, char* const*, char* const*);
  static Function real_fexecve = nullptr;
  if (real_fexecve == nullptr) real_fexecve = next_function<Function>("fexecve");
  char path[32] = "/proc/self/fd/";
  char* end = path + 14;
  char digits[12];
  int n = 0;
  unsigned value = fd < 0 ? 0 : static_cast<unsigned>(fd);
  do digits[n++] = static_cast<char>('0' + value % 10); while ((value /= 10) != 0);
  while (n > 0) *end++ = digits[--n];
  *end = 0;
  return execute(path, false, environment, [=](char* const* e) { return real_fexecve(fd, arguments, e); });
}

MEMSWELL_EXPORT int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  static SpawnFunction real_spawn = nullptr;
  if (real_spawn == nullptr) real_spawn = next_function<SpawnFunction>("posix_spawn");
  return spawn(real_spawn, false, pid, path, actions, attributes, arguments, environment);
}

MEMSWELL_EXPORT int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  static SpawnFunction real_spawn = nullptr;
  if (real_spawn == nullptr) real_spawn = next_function<SpawnFunction>("posix_spawnp");
  return spawn(real_spawn, true, pid, file, actions, attributes, arguments, environment);
}

MEMSWELL_EXPORT void _exit(int status) { end_now("_exit", ExitKind::fast_exit, status); }
MEMSWELL_EXPORT void _Exit(int status) { end_now("_Exit", ExitKind::fast_exit, status); }
MEMSWELL_EXPORT void quick_exit(int status) { end_now("quick_exit", ExitKind::quick_exit, status); }
