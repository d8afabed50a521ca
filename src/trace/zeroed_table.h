// A table of fixed size whose entries begin as zeros. The kernel gives a page of it when something is written there: a
// short recording never touches most of it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <type_traits>

#include "base/check.h"

namespace memswell::trace {

template <class T>
class ZeroedTable {
 public:
  // All bits zero must be what T{} is.
  explicit ZeroedTable(std::size_t size) : entries_(static_cast<T*>(std::calloc(size, sizeof(T)))) {
    MEMSWELL_CHECK(entries_ != nullptr);
  }

  T& operator[](std::size_t place) { return entries_[place]; }
  const T& operator[](std::size_t place) const { return entries_[place]; }

 private:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  struct Free {
    void operator()(T* entries) const { std::free(entries); }
  };
  std::unique_ptr<T[], Free> entries_;
};

}  // namespace memswell::trace
