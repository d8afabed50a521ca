// Events as short as sentences, for tests that speak to the ledger directly.
#pragma once

#include "analysis/ledger.h"
#include "trace/events.h"

namespace memswell::analysis::test {

inline trace::Allocation allocation(Address address, Bytes requested, std::uint32_t stack = 1, Nanoseconds time = 0,
                                    std::uint32_t thread = 1) {
  trace::Allocation event;
  event.address = address;
  event.requested = requested;
  event.usable = (requested + 8 + 15) / 16 * 16 - 8 < 24 ? 24 : (requested + 8 + 15) / 16 * 16 - 8;  // glibc's sizes
  event.stack = StackId{stack};
  event.time = time;
  event.thread = ThreadIndex{thread};
  return event;
}

inline trace::Allocation reallocation(Address address, Bytes requested, Address replaced, std::uint32_t stack = 1,
                                      std::uint32_t thread = 1) {
  trace::Allocation event = allocation(address, requested, stack, 0, thread);
  event.kind = trace::AllocationKind::realloc;
  event.replaced = replaced;
  return event;
}

inline trace::Release release(Address address, trace::Release::Kind kind = trace::Release::Kind::free,
                              Nanoseconds time = 0, std::uint32_t thread = 1) {
  trace::Release event;
  event.address = address;
  event.kind = kind;
  event.time = time;
  event.thread = ThreadIndex{thread};
  return event;
}

// Every stack is a site of its own.
class StackIsSite : public SiteOfStack {
 public:
  SiteIndex site_of(StackId stack) const override { return SiteIndex{stack.value}; }
};

}  // namespace memswell::analysis::test
