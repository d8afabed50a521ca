// The recorder's side of a live ring, and the merging of a process's rings into one order.
//
// Merging works in rounds. A round takes the stamp of now (less a margin) as the end of its window, and only then looks at
// the rings' heads; so whatever was committed before the window's end is seen, and everything with an earlier stamp is
// written, in stamp order. A record that was stamped in the window but committed after its ring's head was read comes with
// the next round and is written at that window's start. That is a valid linearization: a hook commits its record before
// anything that follows from it can take a stamp (a free before the real free, an allocation after the real call).
// Records of one ring never change their order; a signal handler's may carry slightly older stamps than the hook that it
// interrupted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "capture/image.h"
#include "capture/layout.h"
#include "capture/ring_reader.h"
#include "capture/stack_interner.h"
#include "trace/format.h"

namespace memswell::capture {

struct Ring {
  std::uint32_t index = 0;  // in the region
  format::RingSlot* slot = nullptr;
  RingReader reader;
  std::uint32_t process_slot = 0;
  std::uint32_t data_page = 0;
  std::uint32_t data_pages = 0;
  std::uint64_t position = 0;   // read up to here
  std::uint64_t head = 0;       // as read in this round
  std::uint64_t arrived = 0;    // words that this round found
  std::uint64_t released = 0;   // what the program knows of `position`
  std::uint64_t last_key = 0;   // largest stamp so far: the merge key never goes back
  bool broken = false;

  Image* image = nullptr;
  ThreadIndex thread;
  std::uint32_t tid = 0;
  Layout* layout = nullptr;
  RingStacks stacks;

  RingRecord record;     // the next one, decoded, if `key` is below the window's end
  std::uint64_t key = 0;
};

// Lets the program use what was read, and wakes a thread that waits for room.
void release_read_words(Ring& ring);

enum class Emitted : std::uint8_t {
  taken,
  taken_last,  // taken, and nothing after it in this round: a snapshot belongs right here
  broken,  // the ring's contents make no sense from here on
  hold,    // this record must wait for a later round, and all after it
};

// Decodes the ring's next record. False: nothing before `window_end`, or broken.
inline bool load_next(Ring& ring, std::uint64_t window_end) {
  switch (ring.reader.read(ring.position, ring.head, ring.record)) {
    case RingReader::Outcome::empty: return false;
    case RingReader::Outcome::broken: ring.broken = true; return false;
    case RingReader::Outcome::record: break;
  }
  ring.key = std::max(ring.record.stamp, ring.last_key);
  return ring.key < window_end;
}

inline void step_over(Ring& ring) {
  ring.position += ring.record.words;
  ring.last_key = ring.key;
  // Often enough that a waiting thread goes on early, seldom enough that the cache line rests.
  if (ring.position - ring.released >= ring.reader.capacity() / 8) release_read_words(ring);
}

// Takes records of one ring while their key is at most `limit`. False: the round must end (hold).
template <class Emit>
bool take_run(Ring& ring, std::uint64_t limit, std::uint64_t window_end, bool& has_more, Emit&& emit) {
  do {
    const Emitted outcome = emit(ring, ring.record);
    if (outcome == Emitted::hold) return false;
    if (outcome == Emitted::broken) {
      ring.broken = true;
      has_more = false;
      return true;
    }
    step_over(ring);
    if (outcome == Emitted::taken_last) return false;
    has_more = load_next(ring, window_end);
  } while (has_more && ring.key <= limit);
  return true;
}

// One round over the rings of one process: calls emit(Ring&, const RingRecord&) -> Emitted in order.
// Returns the number of words taken.
template <class Emit>
std::uint64_t merge_round(std::span<Ring* const> rings, std::uint64_t window_end, std::vector<Ring*>& scratch, Emit&& emit) {
  constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  scratch.clear();
  for (Ring* ring : rings) {
    ring->head = ring->slot->head.load(std::memory_order_acquire);
    ring->arrived = ring->head - ring->position;
    if (ring->broken) {  // thrown away, so that its thread need not wait
      ring->position = ring->head;
      release_read_words(*ring);
      continue;
    }
    if (ring->head != ring->position && load_next(*ring, window_end)) scratch.push_back(ring);
  }
  std::uint64_t before = 0;
  for (Ring* ring : scratch) before += ring->position;
  std::vector<Ring*>& waiting = scratch;
  std::uint64_t after_of_done = 0;
  while (!waiting.empty()) {
    std::size_t first = 0;
    std::uint64_t second_key = kNoLimit;
    for (std::size_t i = 1; i < waiting.size(); ++i) {
      if (waiting[i]->key < waiting[first]->key) {
        second_key = waiting[first]->key;
        first = i;
      } else {
        second_key = std::min(second_key, waiting[i]->key);
      }
    }
    Ring& ring = *waiting[first];
    bool has_more = true;
    const bool go_on = take_run(ring, second_key, window_end, has_more, emit);
    if (!go_on) break;
    if (has_more) continue;
    release_read_words(ring);
    after_of_done += ring.position;
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(first));
  }
  for (Ring* ring : waiting) {
    release_read_words(*ring);
    after_of_done += ring->position;
  }
  return after_of_done - before;
}

}  // namespace memswell::capture
