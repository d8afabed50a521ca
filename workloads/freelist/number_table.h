// A hash table of objects that grows as Python's dict did: by four while small, by two above 50,000 entries, when two
// thirds are filled; the new table is allocated and cleared while the old one is alive. That moment is the peak.
#pragma once

#include "freelist/object.h"

namespace workload {

class NumberTable {
 public:
  NumberTable() { std::memset(small_, 0, sizeof small_); }

  // A key that is not in the table.
  void add(Object* key, Object* value) {
    place(hash_of(*key), key, value);
    if (filled_ * 3 >= (mask_ + 1) * 2) grow();
  }

  // Hands every object to `drop`, and frees the table.
  template <class Drop>
  void clear(Drop drop) {
    for (std::size_t i = 0; i <= mask_; ++i) {
      if (entries_[i].key == nullptr) continue;
      drop(entries_[i].key);
      drop(entries_[i].value);
    }
    if (entries_ != small_) xfree(entries_, (mask_ + 1) * sizeof(Entry));
    entries_ = small_;
    mask_ = 7;
    filled_ = 0;
    std::memset(small_, 0, sizeof small_);
  }

 private:
  struct Entry {
    std::int64_t hash;
    Object* key;
    Object* value;
  };

  void place(std::int64_t hash, Object* key, Object* value) {
    std::size_t at = static_cast<std::size_t>(hash);
    for (std::size_t perturb = at; entries_[at & mask_].key != nullptr; perturb >>= 5) at = at * 5 + perturb + 1;
    entries_[at & mask_] = {hash, key, value};
    ++filled_;
  }

  [[gnu::noinline]] void grow() {
    const std::size_t wanted = filled_ * (filled_ > 50'000 ? 2 : 4);
    std::size_t size = 8;
    while (size <= wanted) size *= 2;
    Entry* old = entries_;
    const std::size_t old_size = mask_ + 1;
    entries_ = static_cast<Entry*>(xmalloc(size * sizeof(Entry)));
    std::memset(static_cast<void*>(entries_), 0, size * sizeof(Entry));
    mask_ = size - 1;
    filled_ = 0;
    for (std::size_t i = 0; i < old_size; ++i) {
      if (old[i].key != nullptr) place(old[i].hash, old[i].key, old[i].value);
    }
    if (old != small_) xfree(old, old_size * sizeof(Entry));
  }

  Entry small_[8];
  Entry* entries_ = small_;
  std::size_t mask_ = 7;
  std::size_t filled_ = 0;
};

}  // namespace workload
