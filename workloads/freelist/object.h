// The objects of freelist-pulse: a number with a reference count and a type, as an interpreter keeps it. 24 bytes on a
// 64-bit machine, for ints as for floats; a free object's `type` is the link of a free list.
#pragma once

#include <cstdint>

#include "common/tally.h"

namespace workload {

struct Object {
  std::int64_t references;
  void* type;
  union {
    std::int64_t whole;
    double real;
  };
};
static_assert(sizeof(Object) == 24);

inline char int_type, float_type;

inline bool is_object_live(const Object& o) {
  return o.references > 0 && (o.type == &int_type || o.type == &float_type);
}

// The hash of a number that is whole is that number, also for floats.
inline std::int64_t hash_of(const Object& o) {
  return o.type == &int_type ? o.whole : static_cast<std::int64_t>(o.real);
}

}  // namespace workload
