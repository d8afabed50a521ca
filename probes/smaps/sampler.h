// The footprint of one process, seen from outside: process id in, values out. The same interface on every system: on
// Linux linux_sampler.h stands behind it, on Windows the working-set functions will. No type of a system appears here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/ids.h"
#include "base/result.h"

namespace memswell::smaps {

// Cheap at any size (a few µs): for the curve, at 10 to 100 Hz.
struct CheapReading {
  Bytes size_bytes = 0;    // address space
  Bytes rss_bytes = 0;     // resident; on Windows the working set
  Bytes shared_bytes = 0;  // part of rss that is backed by files or shared memory
  Bytes commit_bytes = 0;  // private memory promised by the system, touched or not; on Windows PrivateUsage
  Nanoseconds cost = 0;    // processor time of the reading
};

// Costs grow with the size (Linux: 10 to 24 ms per GB): within a budget (budgeted_schedule.h).
struct ThoroughReading {
  Bytes rss_bytes = 0;
  Bytes pss_bytes = 0;  // each page divided by the number of its users
  Bytes private_dirty_bytes = 0;
  Bytes private_clean_bytes = 0;
  Bytes shared_dirty_bytes = 0;
  Bytes shared_clean_bytes = 0;
  Bytes anonymous_bytes = 0;
  Bytes lazy_free_bytes = 0;  // given back, not yet taken
  Bytes swap_bytes = 0;
  Nanoseconds cost = 0;
};

struct PeakReading {
  Bytes peak_rss_bytes = 0;  // since the process began or the last reset
  Bytes bound_bytes = 0;     // how far it may be off in either direction
};

class Sampler {
 public:
  virtual ~Sampler() = default;

  // nullopt: the process is gone, or has ended and only waits to be collected.
  virtual Result<std::optional<CheapReading>> read_cheap() = 0;
  virtual Result<std::optional<ThoroughReading>> read_thorough() = 0;
  virtual Result<std::optional<PeakReading>> read_peak() = 0;

  // The next read_peak begins from now. False: the process is gone, or this system cannot do it.
  virtual Result<bool> reset_peak() = 0;
};

// A sampler of this system for process `pid`; nullptr: there is no such process. Not thread-safe.
Result<std::unique_ptr<Sampler>> open_sampler(std::int32_t pid);

}  // namespace memswell::smaps
