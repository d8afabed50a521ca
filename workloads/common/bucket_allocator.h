// An allocator of power-of-two buckets, each with its free list, over a heap that only grows by brk: blocks are never
// split, merged or given back. Modelled on what the malloc of Perl does for blocks above a page.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "common/growing_string.h"

namespace workload {

class BucketAllocator {
 public:
  void* allocate(std::size_t bytes) {
    const std::size_t bucket = bucket_of(bytes);
    if (void* p = free_[bucket]; p != nullptr) {
      std::memcpy(&free_[bucket], p, sizeof(void*));
      free_bytes -= std::size_t{1} << bucket;
      return p;
    }
    const std::size_t size = std::size_t{1} << bucket;
    if (next_ + size > end_) extend(size);
    std::memcpy(next_, &bucket, sizeof bucket);
    next_ += size;
    return next_ - size + kHeader;
  }

  void release(void* p) {
    const std::size_t bucket = bucket_at(p);
    std::memcpy(p, &free_[bucket], sizeof(void*));
    free_[bucket] = p;
    free_bytes += std::size_t{1} << bucket;
  }

  static std::size_t usable(const void* p) { return (std::size_t{1} << bucket_at(p)) - kHeader; }

  std::size_t heap_bytes = 0;  // taken by brk
  std::size_t free_bytes = 0;  // in the free lists

 private:
  static constexpr std::size_t kHeader = 8;
  static constexpr std::size_t kGrowth = 1 << 20;

  static std::size_t bucket_of(std::size_t bytes) {
    std::size_t bucket = 4;
    while ((std::size_t{1} << bucket) < bytes + kHeader) ++bucket;
    return bucket;
  }
  static std::size_t bucket_at(const void* p) {
    std::size_t bucket;
    std::memcpy(&bucket, static_cast<const char*>(p) - kHeader, sizeof bucket);
    return bucket;
  }
  void extend(std::size_t size) {
    const std::size_t growth = size > kGrowth ? size : kGrowth;
    char* more = static_cast<char*>(::sbrk(static_cast<std::intptr_t>(growth)));
    if (reinterpret_cast<std::intptr_t>(more) == -1) give_up("sbrk", growth);
    if (more != end_) next_ = more;  // somebody else moved the break
    end_ = more + growth;
    heap_bytes += growth;
    if (next_ + size > end_) std::abort();
  }

  void* free_[64] = {};
  char* next_ = nullptr;
  char* end_ = nullptr;
};

// Strings on it. Its realloc moves a string when it outgrows its bucket.
struct BucketStrings {
  Growth growth;
  BucketAllocator allocator = {};
  std::uint64_t reallocs = 0, moved = 0, copied_bytes = 0;

  void append(GrowingString& string, const char* text, std::size_t bytes) {
    const std::size_t needed = string.length + bytes + 1;
    if (needed > string.capacity) grow(string, grown_capacity(growth, string.length, needed));
    std::memcpy(string.bytes + string.length, text, bytes);
    string.length += bytes;
    string.bytes[string.length] = '\0';
  }

  [[gnu::noinline]] void grow(GrowingString& string, std::size_t capacity) {
    ++reallocs;
    if (string.bytes == nullptr || capacity > BucketAllocator::usable(string.bytes)) {
      char* larger = static_cast<char*>(allocator.allocate(capacity));
      if (string.bytes != nullptr) {
        const std::size_t old = BucketAllocator::usable(string.bytes);
        std::memcpy(larger, string.bytes, old);
        copied_bytes += old;
        ++moved;
        allocator.release(string.bytes);
      }
      string.bytes = larger;
    }
    string.capacity = capacity;
  }
};

}  // namespace workload
