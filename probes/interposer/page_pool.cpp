#include "page_pool.h"

#include "process.h"

namespace memswell::probe {
namespace {

constexpr std::uint32_t kWordBits = 64;

std::uint64_t mask_of(std::uint32_t count) { return count >= kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

std::uint32_t mapped_pages() {
  const std::uint64_t pages = (process.mapped_bytes - process.header->pool_offset) / format::kPageBytes;
  return static_cast<std::uint32_t>(pages < format::kPoolPages ? pages : format::kPoolPages);
}

// Up to 64 pages lie in one word of the bitmap.
std::uint32_t claim_small(std::uint32_t count, std::uint32_t words) {
  for (std::uint32_t w = 0; w < words; ++w) {
    auto& word = process.header->pool_used[w];
    std::uint64_t used = word.load(std::memory_order_relaxed);
    for (std::uint32_t shift = 0; shift + count <= kWordBits && used != ~std::uint64_t{0};) {
      const std::uint64_t wanted = mask_of(count) << shift;
      if ((used & wanted) != 0) {
        ++shift;
      } else if (word.compare_exchange_strong(used, used | wanted)) {
        return w * kWordBits + shift;
      }
    }
  }
  return kNoPages;
}

// More take whole words in a row.
std::uint32_t claim_large(std::uint32_t count, std::uint32_t words) {
  const std::uint32_t needed = (count + kWordBits - 1) / kWordBits;
  for (std::uint32_t first = 0; first + needed <= words; ++first) {
    std::uint32_t taken = 0;
    for (; taken < needed; ++taken) {
      std::uint64_t free = 0;
      if (!process.header->pool_used[first + taken].compare_exchange_strong(free, mask_of(kWordBits))) break;
    }
    if (taken == needed) {
      release_pages(first * kWordBits + count, needed * kWordBits - count);
      return first * kWordBits;
    }
    release_pages(first * kWordBits, taken * kWordBits);
  }
  return kNoPages;
}

}  // namespace

std::uint32_t claim_pages(std::uint32_t count) {
  const std::uint32_t words = mapped_pages() / kWordBits;
  return count <= kWordBits ? claim_small(count, words) : claim_large(count, words);
}

void release_pages(std::uint32_t first, std::uint32_t count) {
  while (count > 0) {
    const std::uint32_t shift = first % kWordBits;
    const std::uint32_t here = count < kWordBits - shift ? count : kWordBits - shift;
    process.header->pool_used[first / kWordBits].fetch_and(~(mask_of(here) << shift));
    first += here;
    count -= here;
  }
}

}  // namespace memswell::probe
