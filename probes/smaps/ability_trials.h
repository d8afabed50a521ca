// Mechanisms of the kernel, each tried out by using it on a page of the own process or on a short-lived child. What
// cannot be undone (soft-dirty bits) happens in the child. Private to abilities.cpp and the tests.
#pragma once

#include <cstdint>
#include <optional>

namespace memswell::smaps {

// /proc/self/pagemap tells a written page from an untouched one.
bool try_pagemap();

// Soft-dirty bits (CONFIG_MEM_SOFT_DIRTY): writing 4 to clear_refs succeeds even where they are not compiled in.
bool try_soft_dirty();

// userfaultfd with asynchronous write protection (Linux 6.7), in user mode without privilege. nullopt: it works; else
// errno.
std::optional<int> why_no_async_write_protection();

// membarrier(2) MEMBARRIER_CMD_GLOBAL_EXPEDITED (Linux 4.16).
bool try_global_barrier();

// A memfd mapped shared, as the region of a recording is.
bool try_memfd();

// A robust mutex in shared memory tells of the death of the process that held it.
bool try_robust_mutex();

// Restartable sequences: the kernel has them, and this libc has registered its threads (glibc 2.35).
struct Rseq {
  bool kernel = false;
  bool libc = false;
};
Rseq try_rseq();

}  // namespace memswell::smaps
