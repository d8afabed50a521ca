// Moves what the programs recorded out of their rings into the recording, round by round (ring.h), and frees rings and
// images whose time is over.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/event_translator.h"
#include "capture/image_table.h"
#include "capture/layout_table.h"
#include "capture/ring_table.h"
#include "capture/stamp_clock.h"

namespace memswell::capture {

class Drain {
 public:
  Drain(const Region& region, const StampClock& clock, ImageTable& images, LayoutTable& layouts,
        EventTranslator& translator)
      : clock_(clock), images_(images), layouts_(layouts), translator_(translator), region_(region), rings_(region) {}

  // One round over all rings. Returns the words read.
  std::uint64_t round();
  // How full the fullest ring was when the round came to it: 0 to 1.
  double fullest() const { return fullest_; }

  // Everything that stood in the image's rings when this was called.
  void drain_to_now(Image& image);

  // Everything that is left, whatever its stamp: its process has ended, or execs.
  void finish_reading(Image& image);
  // After that: frees the rings and ends the image. The Image is gone afterwards.
  void finish(Image& image, const ImageEnd& end);

  // Rings of threads that have ended are closed, so that many short threads do not use up the region. A later thread with
  // the same thread pointer may have taken its ring over meanwhile: it writes its tid before it looks at the state.
  // Where there are few rings it is not worth the system calls, unless some thread finds no ring.
  enum class EvenFew : std::uint8_t { no, yes };
  void close_rings_of_ended_threads(EvenFew even_few);

  void drop_layout_user(std::uint32_t page_plus_one) { layouts_.drop_user(page_plus_one); }

  // Rings that made no sense, or whose process never appeared.
  std::uint64_t broken_rings() const { return broken_rings_ + rings_.refused(); }
  const RingTable& rings() const { return rings_; }

 private:
  void assign_rings();
  std::uint64_t merge(Image& image, std::uint64_t window_end);
  void free_done_rings(Image& image);
  void free_ring(Image& image, Ring& ring);

  const StampClock& clock_;
  ImageTable& images_;
  LayoutTable& layouts_;
  EventTranslator& translator_;
  const Region& region_;
  RingTable rings_;
  std::vector<Ring*> scratch_;
  std::uint64_t broken_rings_ = 0;
  double fullest_ = 0;
};

}  // namespace memswell::capture
