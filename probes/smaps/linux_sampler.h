// Sampler by /proc: statm, smaps_rollup, status and clear_refs of one process. The process may exec or lose its first
// thread meanwhile: readings follow the process, not the image.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/unique_fd.h"
#include "probes/smaps/memory_counters.h"
#include "probes/smaps/process_files.h"
#include "probes/smaps/sampler.h"

namespace memswell::smaps {

class LinuxSampler final : public Sampler {
 public:
  explicit LinuxSampler(ProcessFiles files);

  Result<std::optional<CheapReading>> read_cheap() override;
  Result<std::optional<ThoroughReading>> read_thorough() override;
  Result<std::optional<PeakReading>> read_peak() override;
  Result<bool> reset_peak() override;

  const ProcessFiles& files() const { return files_; }

 private:
  Result<std::optional<CheapReading>> read_statm();
  Result<std::optional<PeakReading>> read_status();
  Result<std::optional<MemoryCounters>> read_totals();
  // nullopt also for an empty text: the process has no memory (any more).
  Result<std::optional<std::string_view>> read_text(const char* name);

  ProcessFiles files_;
  ReadBuffer buffer_;
  UniqueFd statm_;  // kept open: it is looked up anew at every read, so it survives exec
  Bytes page_bytes_;
};

}  // namespace memswell::smaps
