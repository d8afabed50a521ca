// Residency by the PAGEMAP_SCAN ioctl (Linux 6.7; Documentation/admin-guide/mm/pagemap.rst): tells the zero page and
// huge pages apart, needs no privilege over a process of the same user, and takes 1.5 ms per GB resident. Never blocks
// page faults.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "probes/smaps/page_run.h"
#include "probes/smaps/process_files.h"

namespace memswell::smaps {

struct PageScanOptions {
  bool file = false;  // also PageBit::file: looks at every page's descriptor, about twice the cost
  // Also PageBit::written: since the last forget_writes, where userfaultfd tracks writes asynchronously (WP_ASYNC);
  // where it does not every page counts as written.
  bool written = false;
  // From the reading of each page on `written` means writes to come, as forget_writes does, in the same step.
  bool forget_writes = false;
};

// Does this kernel have it? Tried on the own process at the first call.
bool page_scan_available();

// Pages present or swapped, in the order of addresses. Raw device memory is left out; pages of hugetlbfs are in,
// though RSS has them not (Mapping::is_hugetlb). nullopt: the process is gone.
Result<std::optional<std::vector<PageRun>>> scan_pages(const ProcessFiles& files, const PageScanOptions& options = {});

// From here on PageBit::written means writes to come. Where nothing tracks writes, nothing happens. False: the process
// is gone. Takes 4 ms per GB, and each page's next first write costs the program 1.4 µs.
Result<bool> forget_writes(const ProcessFiles& files);

}  // namespace memswell::smaps
