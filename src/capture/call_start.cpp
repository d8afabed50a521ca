#include "capture/call_start.h"

#include <algorithm>
#include <memory>

namespace memswell::capture {

CallStart::CallStart(const Region& region, trace::RecordingWriter& writer, StackInterner& stacks, std::string phase)
    : region_(region), writer_(writer), stacks_(stacks), sums_(region), phase_(std::move(phase)), waiting_(!phase_.empty()) {
  region_.header().walk_stacks.store(waiting_ ? 0 : 1, std::memory_order_seq_cst);
}

void CallStart::begin_image(Image& image, const Image* parent) const {
  if (!waiting_) return;
  image.earlier = parent != nullptr && parent->earlier ? std::make_unique<EarlierCalls>(parent->earlier->inherit())
                                                       : std::make_unique<EarlierCalls>();
}

void CallStart::reach() {
  waiting_ = false;
  region_.header().walk_stacks.store(1, std::memory_order_seq_cst);
}

void CallStart::begin_calls(Image& image, bool reached) {
  if (!image.earlier) return;
  image.earlier->write(writer_, image.index, image.last_time, reached, earlier_stack());
  image.earlier.reset();
}

void CallStart::write_totals(Image& image, Nanoseconds time) const {
  const Nanoseconds now = std::max(time, image.last_time);
  if (image.earlier) writer_.write(image.earlier->take_totals(image.index, now));
  if (sums_.counted(image)) writer_.write(sums_.take(image, now));
}

void CallStart::end_window(Image& image, Nanoseconds time, bool quiet) const {
  write_totals(image, time);
  if (quiet) sums_.begin_window(image);
}

StackId CallStart::earlier_stack() { return stacks_.mark(trace::FrameKind::earlier); }

}  // namespace memswell::capture
