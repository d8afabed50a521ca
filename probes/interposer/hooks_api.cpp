// The public header's functions (probes/include/memswell/memswell.h).
#include <errno.h>

#include "export.h"
#include "handshake.h"
#include "record.h"

namespace memswell::probe {
namespace {

using format::RecordKind;

// None of these may be seen by the program: errno stays.
class KeptErrno {
 public:
  KeptErrno() : error_(errno) {}
  ~KeptErrno() { errno = error_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  int error_;
};

void note_block(RecordKind kind, const void* p, std::size_t bytes) {
  const KeptErrno kept;
  ThreadState* t = current_thread();
  if (t == nullptr || p == nullptr) return;
  const InHook inside(*t);
  record_plain_with(*t, kind, p, bytes);
}

}  // namespace
}  // namespace memswell::probe

using namespace memswell::probe;  // the hooks are C functions

MEMSWELL_EXPORT void memswell_phase(const char* name) {
  const KeptErrno kept;
  ThreadState* t = current_thread();
  if (t == nullptr || name == nullptr) return;
  {
    const InHook inside(*t);
    record_text(*t, RecordKind::mark_phase, 0, name, false, 0);
  }
  wait_for_snapshot(*t);
}

MEMSWELL_EXPORT void memswell_mark_value(const char* name, long long value) {
  const KeptErrno kept;
  ThreadState* t = current_thread();
  if (t == nullptr || name == nullptr) return;
  {
    const InHook inside(*t);
    record_text(*t, RecordKind::mark_value, 0, name, true, static_cast<std::uint64_t>(value));
  }
  wait_for_snapshot(*t);
}

MEMSWELL_EXPORT void memswell_used(const void* p, std::size_t bytes) { note_block(RecordKind::block_used, p, bytes); }
MEMSWELL_EXPORT void memswell_pool_free(const void* p, std::size_t bytes) { note_block(RecordKind::pool_free, p, bytes); }
MEMSWELL_EXPORT void memswell_pool_alloc(const void* p, std::size_t bytes) { note_block(RecordKind::pool_alloc, p, bytes); }
