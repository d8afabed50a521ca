// Which pages a process has written since its phase began (memswell run --idle): userfaultfd(2) with asynchronous write
// protection, which the process offers at its begin (probes/interposer/write_tracker.h), and PAGEMAP_SCAN. Both from Linux 6.7.
#pragma once

#include <span>
#include <vector>

#include "base/unique_fd.h"
#include "probes/smaps/page_run.h"
#include "probes/smaps/process_files.h"
#include "probes/smaps/smaps_parser.h"
#include "trace/events.h"

namespace memswell::capture {

class WriteTracker {
 public:
  // Without a descriptor nothing is tracked.
  WriteTracker() = default;
  explicit WriteTracker(UniqueFd userfaultfd) : userfaultfd_(std::move(userfaultfd)) {}

  bool works() const { return static_cast<bool>(userfaultfd_); }

  // Private anonymous memory that is there now is tracked from the next scan on. Stacks and `own` are left out; what cannot
  // be registered (hugetlbfs, the debugger's) counts as written.
  void follow(std::span<const smaps::Mapping> mappings, std::span<const trace::OwnRange> own) const;

  // Adds PageBit::tracked and PageBit::written to the runs. `begin_anew`: from here on `written` means writes to come; each
  // page's next first write then costs the program about 1.4 µs.
  void mark_written(const smaps::ProcessFiles& files, bool begin_anew, std::vector<trace::PageRun>& runs);

 private:
  UniqueFd userfaultfd_;
  bool armed_ = false;  // a scan has protected pages: what it tells next means something
};

// The runs, split where `scanned` changes: `tracked` everywhere, `written` where the scan says so or knows nothing of the page.
std::vector<trace::PageRun> with_writes(std::span<const trace::PageRun> runs, std::span<const smaps::PageRun> scanned);

}  // namespace memswell::capture
