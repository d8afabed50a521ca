#include "thread.h"

#include <linux/futex.h>
#include <sched.h>
#include <time.h>

#include "append.h"
#include "memory.h"
#include "page_pool.h"
#include "real_functions.h"
#include "sampling.h"
#include "stamp.h"
#include "system_calls.h"

namespace memswell::probe {
namespace {

constexpr std::uint32_t kWordsPerPage = format::kPageBytes / 8;
constexpr std::uint32_t kFirstRingPages = 8;    // 32 KiB: about 1,500 events, 30 µs of a tight loop
constexpr std::uint32_t kLargestRingPages = 512;  // 2 MiB
constexpr std::uint32_t kNoBudget = ~0u;
constexpr long kWaitSliceNs = 10'000'000;
constexpr long kRingPauseNs = 1'000'000;
constexpr std::uint64_t kRingPatienceMs = 500;

format::RingSlot* rings() {
  return reinterpret_cast<format::RingSlot*>(reinterpret_cast<char*>(process.header) + process.header->ring_offset);
}

std::uint32_t memory_pages() {
  const std::uint64_t bytes =
      sizeof(ThreadState) + format::kWalkLevels * (process.header->max_depth + 2) * sizeof(Frame);
  return static_cast<std::uint32_t>((bytes + format::kPageBytes - 1) / format::kPageBytes);
}

// A record with a whole stack must fit twice.
std::uint32_t smallest_ring_pages() {
  std::uint32_t pages = 2;
  while (pages * kWordsPerPage < 2 * (process.header->max_depth + 16)) pages *= 2;
  return pages;
}

bool take_budget(std::uint32_t pages, std::uint32_t limit) {
  auto& used = process.header->ring_pages_used;
  if (used.fetch_add(pages, std::memory_order_relaxed) + pages <= limit) return true;
  used.fetch_sub(pages, std::memory_order_relaxed);
  return false;
}

format::RingSlot* claim_ring_slot() {
  for (std::uint32_t i = 0; i < format::kRingSlots; ++i) {
    format::RingSlot& ring = rings()[i];
    format::SlotState free = format::SlotState::free;
    if (ring.state.load(std::memory_order_relaxed) != free) continue;
    if (!ring.state.compare_exchange_strong(free, format::SlotState::claimed)) continue;
    auto& high = process.header->rings_high;
    std::uint32_t seen = high.load(std::memory_order_relaxed);
    while (seen < i + 1 && !high.compare_exchange_weak(seen, i + 1)) {}
    return &ring;
  }
  return nullptr;
}

std::uint32_t log2_of(std::uint32_t power_of_two) { return static_cast<std::uint32_t>(__builtin_ctz(power_of_two)); }

// A ring of `pages` pages, claimed and empty but not yet live. Null: no slot, no budget or no pages.
format::RingSlot* claim_ring(std::uint32_t pages, std::uint32_t budget) {
  if (!take_budget(pages, budget)) return nullptr;
  const std::uint32_t first = claim_pages(pages);
  format::RingSlot* ring = first == kNoPages ? nullptr : claim_ring_slot();
  if (ring == nullptr) {
    if (first != kNoPages) release_pages(first, pages);
    process.header->ring_pages_used.fetch_sub(pages, std::memory_order_relaxed);
    return nullptr;
  }
  ring->process_slot = process.slot_index;
  ring->data_page = first;
  ring->words_log2 = log2_of(pages * kWordsPerPage);
  ring->thread_pointer = thread_pointer();
  ring->memory_page = 0;
  ring->memory_pages = 0;
  ring->head.store(0, std::memory_order_relaxed);
  ring->tail.store(0, std::memory_order_relaxed);
  ring->in_hook.store(0, std::memory_order_relaxed);
  ring->waiting.store(0, std::memory_order_relaxed);
  ring->lost.store(0, std::memory_order_relaxed);
  ring->waits.store(0, std::memory_order_relaxed);
  zero_bytes(&ring->counters, sizeof ring->counters);
  return ring;
}

void publish(format::RingSlot* ring) {
  const auto index = static_cast<std::uint32_t>(ring - rings());
  ring->state.store(format::SlotState::live, std::memory_order_release);
  process.header->rings_active[index / 64].fetch_or(std::uint64_t{1} << (index % 64), std::memory_order_release);
}

void use_ring(ThreadState& t, format::RingSlot* ring) {
  t.ring = ring;
  t.data = static_cast<std::uint64_t*>(page_address(ring->data_page));
  t.mask = (std::uint64_t{1} << ring->words_log2) - 1;
  t.head = &ring->head;
  t.limit = ring->tail.load(std::memory_order_acquire) + t.mask + 1;
  t.announced_layout = 0;
  forget_stacks(t);
}

void* rseq_of_this_thread() {
  if (process.rseq_offset == 0) return nullptr;
  auto* area = reinterpret_cast<char*>(thread_pointer()) + process.rseq_offset;
  const auto cpu = *reinterpret_cast<volatile std::int32_t*>(area + 4);  // struct rseq::cpu_id, negative: not registered
  return cpu >= 0 ? area : nullptr;
}

std::uint32_t own_tid() {
  return process.sandboxed.load(std::memory_order_relaxed) != 0
             ? 0
             : static_cast<std::uint32_t>(system_call(SYS_gettid));
}

ThreadState* state_in(format::RingSlot* ring) {
  auto* t = static_cast<ThreadState*>(page_address(ring->memory_page));
  zero_bytes(t, sizeof *t);
  auto* frames = reinterpret_cast<Frame*>(t + 1);
  for (RememberedStack& s : t->stacks) {
    s.frames = frames;
    frames += process.header->max_depth + 2;
  }
  t->rseq = rseq_of_this_thread();
  if (process.header->walk_stacks.load(std::memory_order_relaxed) == 0) t->mode = kWithoutStacks;
  use_ring(*t, ring);
  if (process.header->sample_bytes != 0) {
    t->mode |= kSampled;
    begin_sampling(*t);
  }
  return t;
}

// A live ring whose owner had the same thread pointer: its thread has ended, for two cannot share one.
format::RingSlot* inherited_ring() {
  const std::uint32_t high = process.header->rings_high.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < high && i < format::kRingSlots; ++i) {
    format::RingSlot& ring = rings()[i];
    if (ring.thread_pointer == thread_pointer() && ring.process_slot == process.slot_index &&
        ring.state.load(std::memory_order_acquire) == format::SlotState::live) {
      return &ring;
    }
  }
  return nullptr;
}

format::RingSlot* new_ring() {
  const std::uint32_t memory = memory_pages();
  const std::uint32_t budget = process.header->ring_page_budget;
  const std::uint32_t page = claim_pages(memory);
  if (page == kNoPages) return nullptr;
  format::RingSlot* ring = claim_ring(kFirstRingPages, budget / 2);
  const bool lossless = process.header->on_full == format::OnFull::wait;
  if (ring == nullptr) ring = claim_ring(smallest_ring_pages(), lossless ? kNoBudget : budget);
  if (ring == nullptr) {
    release_pages(page, memory);
    return nullptr;
  }
  ring->memory_page = page;
  ring->memory_pages = memory;
  ring->tid.store(own_tid(), std::memory_order_relaxed);
  publish(ring);
  return ring;
}

bool real_time_thread() {
  const long policy = system_call(SYS_sched_getscheduler, 0);
  return policy == SCHED_FIFO || policy == SCHED_RR;
}

void pause_for(long nanoseconds) {
  if (process.sandboxed.load(std::memory_order_relaxed) != 0) {
    for (int i = 0; i < 10'000; ++i) asm volatile("pause");
    return;
  }
  const timespec slice{0, nanoseconds};
  system_call(SYS_nanosleep, as_word(&slice), 0);
}

// All slots or pages are taken: the recorder gives back those of threads that have ended. Bounded, and not again by every
// thread: as many may live as there are slots, and one of those that have a ring may be waiting for this one.
format::RingSlot* wait_for_ring() {
  if (process.header->on_full != format::OnFull::wait || !recorder_alive()) return nullptr;
  if (process.sandboxed.load(std::memory_order_relaxed) == 0 && real_time_thread()) return nullptr;
  const std::uint64_t begin = clock_ms();
  if (begin < process.no_ring_before_ms.load(std::memory_order_relaxed)) return nullptr;
  process.header->rings_wanted.fetch_add(1, std::memory_order_relaxed);
  do {
    pause_for(kRingPauseNs);
    if (format::RingSlot* ring = new_ring()) return ring;
  } while (recorder_alive() && clock_ms() - begin < kRingPatienceMs);
  process.no_ring_before_ms.store(clock_ms() + kRingPatienceMs, std::memory_order_relaxed);
  return nullptr;
}

void say_thread(ThreadState& t) {
  const std::uint64_t words[] = {
      static_cast<std::uint64_t>(format::RecordKind::thread) | std::uint64_t{t.ring->tid.load()} << 16, fresh_stamp(t)};
  append_plain(t, words, 2);
}

// Before this thread's first stamp: the others' stamps count from now on.
void say_whether_alone() {
  std::uintptr_t first = 0;
  if (process.first_thread.compare_exchange_strong(first, thread_pointer()) || first == thread_pointer()) return;
  process.several_threads.store(1, std::memory_order_seq_cst);
}

ThreadState* take_ring() {
  say_whether_alone();
  if (format::RingSlot* ring = inherited_ring()) {
    // The recorder closes rings of threads that have ended: it looks at `tid` again after it has closed one.
    ring->tid.store(own_tid(), std::memory_order_seq_cst);
    if (ring->state.load(std::memory_order_seq_cst) == format::SlotState::live) {
      ThreadState* t = state_in(ring);
      say_thread(*t);
      return t;
    }
  }
  format::RingSlot* ring = new_ring();
  if (ring == nullptr) ring = wait_for_ring();
  return ring == nullptr ? nullptr : state_in(ring);
}

bool has_room(ThreadState& t, std::uint64_t words) {
  t.limit = t.ring->tail.load(std::memory_order_acquire) + t.mask + 1;
  return t.head->load(std::memory_order_relaxed) + words <= t.limit;
}

void sleep_for_room(ThreadState& t) {
  format::RingSlot& ring = *t.ring;
  const std::uint32_t seen = ring.wake.load(std::memory_order_acquire);
  ring.waiting.store(1, std::memory_order_seq_cst);
  if (ring.tail.load(std::memory_order_seq_cst) + t.mask + 1 == t.limit) {
    timespec slice{0, kWaitSliceNs};
    system_call(SYS_futex, as_word(&ring.wake), FUTEX_WAIT, seen, as_word(&slice));
  }
  ring.waiting.store(0, std::memory_order_relaxed);
}

// Lossless by default: wait until the recorder has made room. Bounded, because it may be stopped or gone.
bool wait_for_room(ThreadState& t, std::uint64_t words) {
  t.ring->waits.store(t.ring->waits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  const bool may_sleep = process.sandboxed.load(std::memory_order_relaxed) == 0;
  if (may_sleep && real_time_thread()) return false;
  // Progress is the recorder's heartbeat: on a crowded machine it may be long before this ring's turn comes. Time is asked
  // of the clock, for a program's timer may end each sleep at once.
  std::uint32_t heartbeat = process.header->recorder_heartbeat.load(std::memory_order_relaxed);
  std::uint64_t deadline = clock_ms() + process.header->wait_limit_ms;
  do {
    for (int i = 0; i < 200; ++i) {
      if (has_room(t, words)) return true;
      asm volatile("pause");
    }
    if (!recorder_alive() || process.header->enabled.load(std::memory_order_relaxed) == 0) {
      switch_off();
      return false;
    }
    if (may_sleep) {
      sleep_for_room(t);
    } else {
      for (int i = 0; i < 100'000; ++i) asm volatile("pause");
    }
    const std::uint32_t beat = process.header->recorder_heartbeat.load(std::memory_order_relaxed);
    if (beat != heartbeat) deadline = clock_ms() + process.header->wait_limit_ms;
    heartbeat = beat;
  } while (clock_ms() < deadline);
  t.impatient = 1;
  return false;
}

bool grow_ring(ThreadState& t) {
  const std::uint32_t pages = (1u << t.ring->words_log2) / kWordsPerPage;
  if (pages >= kLargestRingPages) return false;
  format::RingSlot* old = t.ring;
  format::RingSlot* ring = claim_ring(pages * 2, process.header->ring_page_budget / 4 * 3);
  if (ring == nullptr) return false;
  ring->memory_page = old->memory_page;
  ring->memory_pages = old->memory_pages;
  ring->tid.store(old->tid.load(std::memory_order_relaxed), std::memory_order_relaxed);
  ring->in_hook.store(old->in_hook.load(std::memory_order_relaxed), std::memory_order_relaxed);
  old->memory_pages = 0;
  if ((t.mode & kSampled) != 0) flush_live(t);
  publish(ring);
  use_ring(t, ring);
  old->state.store(format::SlotState::closed, std::memory_order_release);
  return true;
}

}  // namespace

void forget_stacks(ThreadState& t) {
  for (RememberedStack& s : t.stacks) s.valid = 0;
}

bool make_room(ThreadState& t, std::uint64_t words) {
  if (grow_ring(t)) return true;
  const bool wait = process.header->on_full == format::OnFull::wait && t.impatient == 0;
  if (wait && wait_for_room(t, words)) return true;
  if (has_room(t, words)) {
    t.impatient = 0;
    return true;
  }
  t.ring->lost.store(t.ring->lost.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return false;
}

ThreadState* claim_thread() {
  if (beginning()) return nullptr;
  if (process.wiped == nullptr) {
    if (process.off.load(std::memory_order_relaxed) != 0) return nullptr;
    begin_image();
    if (process.wiped == nullptr) {
      process.off.store(1, std::memory_order_relaxed);
      return nullptr;
    }
  }
  std::uint64_t generation = process.wiped->generation.load(std::memory_order_acquire);
  if (generation == 0) {
    if (process.off.load(std::memory_order_relaxed) != 0 || !adopt_child()) return nullptr;
    generation = process.wiped->generation.load(std::memory_order_acquire);
  }
  ThreadLocal& mine = thread_local_state;
  // A thread without a ring asks again now and then: one may have become free.
  if (mine.generation == generation && mine.state != nullptr) return mine.state;
  mine.state = take_ring();
  mine.generation = mine.state == nullptr ? 0 : generation;
  if (mine.state == nullptr) process.slot->lost_events.fetch_add(1, std::memory_order_relaxed);
  return mine.state;
}

}  // namespace memswell::probe
