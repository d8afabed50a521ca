#include "probes/smaps/linux_sampler.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "probes/smaps/high_water_mark.h"
#include "probes/smaps/smaps_parser.h"
#include "probes/smaps/stat_parser.h"
#include "probes/smaps/status_parser.h"

namespace memswell::smaps {
namespace {

class ProcessorTime {
 public:
  Nanoseconds since_start() const { return now() - start_; }

 private:
  static Nanoseconds now() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<Nanoseconds>(time.tv_sec) * 1'000'000'000 + static_cast<Nanoseconds>(time.tv_nsec);
  }
  Nanoseconds start_ = now();
};

}  // namespace

LinuxSampler::LinuxSampler(ProcessFiles files)
    : files_(std::move(files)), page_bytes_(static_cast<Bytes>(::sysconf(_SC_PAGESIZE))) {}

Result<std::optional<CheapReading>> LinuxSampler::read_statm() {
  if (!statm_) {
    auto fd = files_.open_file("statm", O_RDONLY);
    if (!fd) return fd.error();
    if (!*fd) return std::optional<CheapReading>();
    statm_ = std::move(**fd);
  }
  // Seven numbers come in one piece: no second read to see the end, this one is made a hundred times a second.
  std::array<char, 256> text;
  const auto got = ::pread(statm_.get(), text.data(), text.size(), 0);
  if (got < 0 && errno == ESRCH) return std::optional<CheapReading>();
  if (got < 0) return Error{std::string("cannot read /proc/PID/statm: ") + std::strerror(errno)};
  const auto statm = parse_statm({text.data(), static_cast<std::size_t>(got)}, page_bytes_);
  if (!statm) return statm.error();
  if (statm->size_bytes == 0) return std::optional<CheapReading>();
  return std::optional(CheapReading{statm->size_bytes, statm->rss_bytes, statm->shared_bytes, statm->data_bytes, 0});
}

Result<std::optional<CheapReading>> LinuxSampler::read_cheap() {
  const ProcessorTime time;
  auto reading = read_statm();
  // No memory: the process is gone or a zombie, or only the thread has ended that was looked at.
  if (reading && !*reading) {
    statm_.reset();
    if (files_.move_to_living_thread()) reading = read_statm();
  }
  if (reading && *reading) (*reading)->cost = time.since_start();
  return reading;
}

Result<std::optional<std::string_view>> LinuxSampler::read_text(const char* name) {
  auto text = files_.read(name, buffer_);
  if (text && *text && (*text)->empty()) *text = std::nullopt;
  return text;
}

Result<std::optional<MemoryCounters>> LinuxSampler::read_totals() {
  static const bool has_rollup = ::access("/proc/self/smaps_rollup", F_OK) == 0;  // Linux 4.14
  const auto text = read_text(has_rollup ? "smaps_rollup" : "smaps");
  if (!text) return text.error();
  if (!*text) return std::optional<MemoryCounters>();
  if (has_rollup) {
    const auto rollup = parse_smaps_rollup(**text);
    if (!rollup) return rollup.error();
    return std::optional(*rollup);
  }
  const auto smaps = parse_smaps(**text);
  if (!smaps) return smaps.error();
  return std::optional(smaps::total(smaps->mappings));
}

Result<std::optional<ThoroughReading>> LinuxSampler::read_thorough() {
  const ProcessorTime time;
  auto total = read_totals();
  if (total && !*total && files_.move_to_living_thread()) total = read_totals();
  if (!total) return total.error();
  if (!*total) return std::optional<ThoroughReading>();
  const auto& sum = *total;
  ThoroughReading reading;
  reading.rss_bytes = sum->rss_bytes;
  reading.pss_bytes = sum->pss_bytes;
  reading.private_dirty_bytes = sum->private_dirty_bytes;
  reading.private_clean_bytes = sum->private_clean_bytes;
  reading.shared_dirty_bytes = sum->shared_dirty_bytes;
  reading.shared_clean_bytes = sum->shared_clean_bytes;
  reading.anonymous_bytes = sum->anonymous_bytes;
  reading.lazy_free_bytes = sum->lazy_free_bytes;
  reading.swap_bytes = sum->swap_bytes;
  reading.cost = time.since_start();
  return std::optional(reading);
}

Result<std::optional<PeakReading>> LinuxSampler::read_peak() {
  auto peak = read_status();
  if (peak && !*peak && files_.move_to_living_thread()) peak = read_status();
  return peak;
}

Result<std::optional<PeakReading>> LinuxSampler::read_status() {
  const auto text = read_text("status");
  if (!text) return text.error();
  if (!*text) return std::optional<PeakReading>();
  const auto status = parse_status(**text);
  if (!status) return status.error();
  if (!status->has_memory) return std::optional<PeakReading>();
  return std::optional(PeakReading{status->memory.high_water_mark_bytes, own_high_water_mark_bound(status->threads)});
}

Result<bool> LinuxSampler::reset_peak() { return reset_high_water_mark(files_); }

Result<std::unique_ptr<Sampler>> open_sampler(std::int32_t pid) {
  auto files = ProcessFiles::open(pid);
  if (!files) return files.error();
  if (!*files) return std::unique_ptr<Sampler>();
  return std::unique_ptr<Sampler>(std::make_unique<LinuxSampler>(std::move(**files)));
}

}  // namespace memswell::smaps
