#include "capture/drain.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace memswell::capture {
namespace {

constexpr std::uint64_t kNoEnd = ~std::uint64_t{0};
constexpr std::size_t kRingsWorthLooking = 32;

bool thread_has_ended(pid_t pid, std::uint32_t tid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid);
  return access(path.c_str(), F_OK) != 0 && errno == ENOENT;
}

void close_if_ended(pid_t pid, format::RingSlot& slot) {
  const std::uint32_t tid = slot.tid.load(std::memory_order_seq_cst);
  format::SlotState live = format::SlotState::live;
  if (tid == 0 || slot.state.load(std::memory_order_relaxed) != live || !thread_has_ended(pid, tid)) return;
  if (!slot.state.compare_exchange_strong(live, format::SlotState::closed)) return;
  if (slot.tid.load(std::memory_order_seq_cst) == tid) return;
  live = format::SlotState::closed;
  slot.state.compare_exchange_strong(live, format::SlotState::live);
}

}  // namespace

std::uint64_t Drain::round() {
  const std::uint64_t window_end = clock_.window_end();  // before any head is read
  rings_.discover();
  assign_rings();
  std::uint64_t words = 0;
  fullest_ = 0;
  // By index: what a record says may begin an image.
  for (std::size_t i = 0; i < images_.running().size(); ++i) {
    Image& image = *images_.running()[i];
    words += merge(image, window_end);
    for (const Ring* ring : image.rings)
      fullest_ = std::max(fullest_, static_cast<double>(ring->arrived) / static_cast<double>(ring->reader.capacity()));
    free_done_rings(image);
  }
  return words;
}

void Drain::assign_rings() {
  std::vector<Ring*>& waiting = rings_.without_image();
  if (waiting.empty()) return;
  std::vector<Ring*> orphans;
  std::erase_if(waiting, [&](Ring* ring) {
    Image* image = images_.by_slot(ring->process_slot);
    if (image == nullptr) {
      if (region_.process(ring->process_slot).state.load(std::memory_order_acquire) == format::SlotState::free)
        orphans.push_back(ring);
      return false;
    }
    ring->image = image;
    ring->layout = &layouts_.none();
    image->rings.push_back(ring);
    translator_.begin_thread(*ring, ring->slot->tid.load(std::memory_order_relaxed), image->last_time);
    return true;
  });
  for (Ring* ring : orphans) rings_.free(*ring);
}

std::uint64_t Drain::merge(Image& image, std::uint64_t window_end) {
  if (image.rings.empty()) return 0;
  return merge_round(image.rings, window_end, scratch_,
                     [this](Ring& ring, const RingRecord& record) { return translator_.translate(ring, record); });
}

void Drain::drain_to_now(Image& image) {
  rings_.discover();
  assign_rings();
  std::vector<std::pair<Ring*, std::uint64_t>> goals;
  for (Ring* ring : image.rings) goals.emplace_back(ring, ring->slot->head.load(std::memory_order_acquire));
  const auto reached = [](const auto& goal) {
    return goal.first->broken || static_cast<std::int64_t>(goal.first->position - goal.second) >= 0;
  };
  // A record is read once the window is past its stamp by the clock's margin, a microsecond later; only a fork that is
  // waited for holds it up longer.
  for (int pass = 0; pass < 100 && !std::all_of(goals.begin(), goals.end(), reached); ++pass)
    merge(image, clock_.window_end());
}

void Drain::free_done_rings(Image& image) {
  for (std::size_t i = 0; i < image.rings.size();) {
    if (RingTable::is_done(*image.rings[i]))
      free_ring(image, *image.rings[i]);
    else
      ++i;
  }
}

void Drain::free_ring(Image& image, Ring& ring) {
  images_.retire(image, *ring.slot);
  image.lost_events += ring.slot->lost.load(std::memory_order_relaxed);
  image.ring_waits += ring.slot->waits.load(std::memory_order_relaxed);
  Bytes together = 0;
  for (const Ring* each : image.rings) together += each->data_pages * format::kPageBytes;
  image.ring_bytes_high = std::max(image.ring_bytes_high, together);
  if (ring.broken) {
    ++image.broken_rings;
    ++broken_rings_;
  }
  std::erase(image.rings, &ring);
  rings_.free(ring);
}

void Drain::close_rings_of_ended_threads(EvenFew even_few) {
  for (const auto& image : images_.running()) {
    if (!image->slot || image->process_ended || (even_few == EvenFew::no && image->rings.size() < kRingsWorthLooking)) continue;
    // In another pid namespace the tids are other numbers.
    if (static_cast<pid_t>(region_.process(*image->slot).pid) != image->pid) continue;
    for (Ring* ring : image->rings) close_if_ended(image->pid, *ring->slot);
  }
}

void Drain::finish_reading(Image& image) {
  image.finishing = true;
  rings_.discover();
  assign_rings();
  merge(image, kNoEnd);  // nobody writes any more: no window is needed
}

void Drain::finish(Image& image, const ImageEnd& end) {
  while (!image.rings.empty()) free_ring(image, *image.rings.front());
  if (image.slot) layouts_.drop_user(region_.process(*image.slot).layout.load(std::memory_order_acquire));
  images_.end(image, end);
}

}  // namespace memswell::capture
