#include "capture/stamp_clock.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace memswell::capture {
namespace {

constexpr std::uint64_t kMarginCycles = 2000;
constexpr Nanoseconds kFirstCalibration = 1'000'000;
constexpr Nanoseconds kRefreshInterval = 100'000'000;

std::uint64_t read_tsc() {
#if defined(__x86_64__)
  _mm_lfence();
  const std::uint64_t now = __rdtsc();
  _mm_lfence();
  return now;
#else
  return 0;
#endif
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The CPU flags of all processors are alike where the kernel runs at all; the first one answers.
bool cpu_has_flag(const std::string& flag) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags")) return (line + ' ').find(' ' + flag + ' ') != std::string::npos;
  return false;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

}  // namespace

Nanoseconds monotonic_now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<Nanoseconds>(now.tv_sec) * 1'000'000'000 + static_cast<Nanoseconds>(now.tv_nsec);
}

// As arch/x86/kernel/tsc_sync.c, but with all CPUs at once: each reads the largest value so far, then its own TSC.
bool tsc_goes_backwards(Nanoseconds test_time) {
  std::atomic<std::uint64_t> largest{0};
  std::atomic<bool> backwards{false};
  const Nanoseconds end = monotonic_now() + test_time;
  std::vector<std::thread> threads;
  for (int cpu : allowed_cpus()) {
    threads.emplace_back([&, cpu] {
      pin_to(cpu);
      do {
        std::uint64_t before = largest.load(std::memory_order_acquire);
        const std::uint64_t now = read_tsc();
        if (now < before) backwards.store(true, std::memory_order_relaxed);
        while (before < now && !largest.compare_exchange_weak(before, now, std::memory_order_acq_rel)) {
        }
      } while (monotonic_now() < end);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return backwards.load();
}

format::StampSource choose_stamp_source() {
#if defined(__x86_64__)
  if (first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource") == "tsc") return format::StampSource::tsc;
  if (cpu_has_flag("constant_tsc") && cpu_has_flag("nonstop_tsc") && !tsc_goes_backwards(2'000'000))
    return format::StampSource::tsc;
#endif
  return format::StampSource::counter;
}

StampClock::StampClock(format::StampSource source, const std::atomic<std::uint64_t>& counter)
    : source_(source), counter_(counter), zero_(monotonic_now()) {
  first_ = read();
  if (source_ == format::StampSource::tsc) {
    while (monotonic_now() - zero_ < kFirstCalibration) {
    }
  }
  last_ = read();
  draw_line(first_, last_);
}

StampClock::Reading StampClock::read() const {
  if (source_ == format::StampSource::counter) return {counter_.load(std::memory_order_acquire), now()};
  // The narrowest of a few brackets: an interrupt between the two readings would bend the line.
  Reading best{};
  std::uint64_t narrowest = ~std::uint64_t{0};
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::uint64_t before = read_tsc();
    const Nanoseconds time = now();
    const std::uint64_t width = read_tsc() - before;
    if (width >= narrowest) continue;
    narrowest = width;
    best = {before + width / 2, time};
  }
  return best;
}

void StampClock::draw_line(Reading from, Reading to) {
  anchor_stamp_ = to.stamp;
  anchor_time_ = to.time;
  if (to.stamp == from.stamp) return;
  scale_ = static_cast<std::int64_t>((static_cast<Wide>(to.time - from.time) << kScaleBits) /
                                     static_cast<Wide>(to.stamp - from.stamp));
}

std::uint64_t StampClock::window_end() const {
  if (source_ == format::StampSource::counter) return counter_.load(std::memory_order_seq_cst);
  return read_tsc() - kMarginCycles;
}

void StampClock::refresh() {
  if (source_ == format::StampSource::counter) {
    const Reading reading = read();
    if (reading.stamp == last_.stamp) {
      last_.time = reading.time;
      return;
    }
    draw_line(last_, reading);
    last_ = reading;
    return;
  }
  if (now() - last_.time < kRefreshInterval) return;
  const Reading reading = read();
  // Over the whole run the reading error vanishes; over the last stretch the line follows the clock's slewing.
  draw_line(reading.time - first_.time < 10 * kRefreshInterval ? first_ : last_, reading);
  last_ = reading;
}

}  // namespace memswell::capture
