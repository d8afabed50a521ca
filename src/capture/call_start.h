// From when on calls are recorded one by one: from the beginning, or from the begin of a phase on (--start-on). Until then
// every image keeps its calls as EarlierCalls, and the programs leave the stack walk out. And what is known of calls in sum, where
// they are not recorded one by one.
#pragma once

#include <string>
#include <utility>

#include "capture/call_sums.h"
#include "capture/image.h"
#include "capture/region.h"
#include "capture/stack_interner.h"
#include "trace/recording_writer.h"

namespace memswell::capture {

class CallStart {
 public:
  // `phase` empty: from the beginning.
  CallStart(const Region& region, trace::RecordingWriter& writer, StackInterner& stacks, std::string phase);

  // An image begins; `parent`: that it was forked from.
  void begin_image(Image& image, const Image* parent) const;

  bool is_begin(const std::string& phase) const { return waiting_ && phase == phase_; }
  // The phase begins: programs walk stacks from now on, and what begins is recorded from its beginning.
  void reach();
  // Single calls of this image from here on, if they were held back. `reached`: because the phase has begun.
  void begin_calls(Image& image, bool reached);

  // Writes the sums of an image whose calls are held back, or sampled.
  void write_totals(Image& image, Nanoseconds time) const;
  // The same where a window of the image ends; `quiet`: none of its threads is inside of a hook.
  void end_window(Image& image, Nanoseconds time, bool quiet) const;
  // Its ring is about to be given back.
  void retire(Image& image, format::RingSlot& ring) const { sums_.retire(image, ring); }

  // Of a block whose stack was not taken: its call was before the begin, its record came after.
  StackId earlier_stack();

 private:
  const Region& region_;
  trace::RecordingWriter& writer_;
  StackInterner& stacks_;
  CallSums sums_;
  std::string phase_;
  bool waiting_;
};

}  // namespace memswell::capture
