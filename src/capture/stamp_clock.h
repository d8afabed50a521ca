// From the stamps in records to nanoseconds since the recording began, and from now to a stamp.
//
// A stamp is the time stamp counter of the CPU, read by the hook, or where that cannot order events of several CPUs, the
// next value of a counter in the region. TSC stamps are converted by a line through two readings of TSC and
// CLOCK_MONOTONIC, moved along as the run goes on (NTP may slew the clock by 500 ppm); counter stamps by interpolation
// between drain rounds.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ids.h"
#include "trace/format.h"

namespace memswell::capture {

__extension__ using Wide = __int128;  // products of stamps and scales

// TSC if the kernel trusts it for timekeeping; or if it is constant and never stops and no CPU is found behind another in
// a test of 2 ms on all CPUs that this process may run on; else the counter.
format::StampSource choose_stamp_source();

// True if a CPU's TSC was seen behind a value that another CPU had read before.
bool tsc_goes_backwards(Nanoseconds test_time);

Nanoseconds monotonic_now();

class StampClock {
 public:
  // Time 0 is now. `counter` is the region's stamp_counter.
  StampClock(format::StampSource source, const std::atomic<std::uint64_t>& counter);

  // A stamp that no record committed after this call's return can have been stamped before … less a margin for the
  // hooks' rdtsc without fences.
  std::uint64_t window_end() const;

  Nanoseconds time_of(std::uint64_t stamp) const {
    const auto delta = static_cast<std::int64_t>(stamp - anchor_stamp_);
    const auto offset = static_cast<std::int64_t>((static_cast<Wide>(delta) * scale_) >> kScaleBits);
    const std::int64_t time = static_cast<std::int64_t>(anchor_time_) + offset;
    return time < 0 ? 0 : static_cast<Nanoseconds>(time);
  }

  Nanoseconds now() const { return monotonic_now() - zero_; }

  // Once a drain round: moves the line along where it is due.
  void refresh();

 private:
  struct Reading {
    std::uint64_t stamp;
    Nanoseconds time;
  };
  Reading read() const;
  void draw_line(Reading from, Reading to);

  static constexpr int kScaleBits = 40;

  format::StampSource source_;
  const std::atomic<std::uint64_t>& counter_;
  Nanoseconds zero_;
  Reading first_;
  Reading last_;
  std::uint64_t anchor_stamp_ = 0;
  Nanoseconds anchor_time_ = 0;
  std::int64_t scale_ = 0;  // nanoseconds a stamp, times 2^kScaleBits
};

}  // namespace memswell::capture
