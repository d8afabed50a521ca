// The kernel's own peak RSS of a process (VmHWM), and resetting it by writing 5 to clear_refs (Linux 4.0; proc(5)): so
// the peak of every phase is known without sampling. Reading takes 4 µs, resetting 0.4 µs, at any size, unprivileged.
//
// A reset also resets the ru_maxrss that the process reads of itself and its parent gets from wait4(2).
#pragma once

#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "base/result.h"
#include "probes/smaps/process_files.h"

namespace memswell::smaps {

// VmHWM. nullopt: the process is gone or has no memory any more (a zombie): its peak can no longer be read.
Result<std::optional<Bytes>> read_high_water_mark(const ProcessFiles& files, ReadBuffer& buffer);

// Sets VmHWM to the RSS of now. False: the process is gone. An error also with MEMSWELL_NO_CLEAR_REFS=1 in the
// environment, which switches resets off.
Result<bool> reset_high_water_mark(const ProcessFiles& files);

// Does a reset take effect here? Tried in a short-lived child with a peak of 4 MiB, so that nobody's ru_maxrss changes.
bool high_water_mark_resets_work();

// By how much VmHWM may be off in either direction: the kernel compares RSS counters that it batches. Since Linux 6.2
// max(32, 2 × CPUs) pages a CPU for each of the three parts of RSS; 64 pages a thread before (kernel mm/memory.c).
Bytes high_water_mark_bound(std::uint32_t kernel_major, std::uint32_t kernel_minor, std::uint32_t cpus,
                            std::uint32_t threads, Bytes page_bytes);

// The same for this machine.
Bytes own_high_water_mark_bound(std::uint32_t threads);

}  // namespace memswell::smaps
