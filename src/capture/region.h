// The shared memory region of one recording (trace/format.h), as the recorder holds it. The programs that map it may be
// broken or hostile: what is read from it is checked by whoever reads it; this class answers for its own bounds only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "trace/format.h"

namespace memswell::capture {

struct RegionOptions {
  std::uint32_t max_depth = 256;
  format::OnFull on_full = format::OnFull::wait;
  format::StampSource stamp_source = format::StampSource::tsc;
  Bytes ring_memory = Bytes{16} << 20;
  bool check_walks = false;
  bool track_writes = false;
};

class Region {
 public:
  // A sealed memfd (its size is final, so that no program can make the recorder fault) mapped shared. The header's page
  // is present at once: a page that only the program has touched would count as its private dirty memory.
  static Result<Region> create(const RegionOptions& options);

  Region(Region&& other) noexcept;
  Region& operator=(Region&&) = delete;
  ~Region();

  format::RunHeader& header() const { return *static_cast<format::RunHeader*>(memory_); }
  format::ProcessSlot& process(std::uint32_t slot) const;  // slot < kProcessSlots
  format::RingSlot& ring(std::uint32_t slot) const;        // slot < kRingSlots

  // The pool's pages [first, first + count), or null where they reach outside of it.
  std::byte* pool_pages(std::uint64_t first, std::uint64_t count) const;
  template <class T>
  T* pool_object(std::uint64_t first_page) const {
    return reinterpret_cast<T*>(pool_pages(first_page, (sizeof(T) + format::kPageBytes - 1) / format::kPageBytes));
  }

  // Gives the pages' memory back to the kernel (they read as zero) and then the pages to the next claimer. Ranges
  // outside of the pool are ignored.
  void free_pool_pages(std::uint64_t first, std::uint64_t count) const;

  // Maps what programs have filled of the pool here too: a shared page counts as private dirty memory of a program while no
  // other process maps it (proc(5)), and the tables of step rules are read by programs only. Touches no page that is not there.
  void share_used_pages() const;

  // The recorder takes the robust mutex that shows its death; once, from the thread that lives as long as it does.
  Result<void> lock_recorder_mutex() const;

  int fd() const { return file_.get(); }
  Bytes bytes() const { return bytes_; }

 private:
  Region(UniqueFd file, void* memory, Bytes bytes) : file_(std::move(file)), memory_(memory), bytes_(bytes) {}

  UniqueFd file_;
  void* memory_;
  Bytes bytes_;
};

}  // namespace memswell::capture
