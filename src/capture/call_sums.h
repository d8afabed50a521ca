// Sums over all calls of an image where calls are sampled, from the counters that its threads keep in the region.
#pragma once

#include "capture/image.h"
#include "capture/region.h"

namespace memswell::capture {

class CallSums {
 public:
  explicit CallSums(const Region& region) : region_(region) {}

  // Does the image count its calls? It has a slot then.
  bool counted(const Image& image) const;
  // Until now.
  trace::CallTotals take(Image& image, Nanoseconds time) const;
  // A ring is about to be given back: its counts stay with the image.
  void retire(Image& image, format::RingSlot& ring) const;
  // A window ends while no thread is inside of a hook: the peak begins anew.
  void begin_window(Image& image) const;

 private:
  const Region& region_;
};

}  // namespace memswell::capture
