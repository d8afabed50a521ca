#include "capture/image_table.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace memswell::capture {

Image& ImageTable::begin(ImageStart start) {
  OpenedProcess& process = start.process;
  // A child that is gone already was what its parent was.
  if (start.parent != nullptr && process.executable.empty()) process.executable = start.parent->executable;
  if (start.parent != nullptr && process.command.empty()) process.command = start.parent->command;
  auto image = std::make_unique<Image>();
  image->index = ProcessIndex{begun_++};
  image->pid = process.pid;
  image->slot = start.slot;
  image->begin_time = start.time;
  image->last_time = start.time;
  image->executable = process.executable;
  image->command = process.command;
  image->process_ended = !process.pidfd;
  image->pidfd = std::move(process.pidfd);
  image->sampler = std::move(process.sampler);
  if (start.parent != nullptr)
    image->memory_group = start.parent->memory_group;
  else if (image->sampler != nullptr)
    image->memory_group = groups_.of(image->sampler->files());
  writer_.write(trace::ProcessBegin{.process = image->index,
                                    .time = start.time,
                                    .pid = static_cast<std::uint32_t>(image->pid),
                                    .ppid = process.parent_pid != 0 ? process.parent_pid : start.parent_pid,
                                    .start = start.start,
                                    .parent = start.parent != nullptr ? start.parent->index : ProcessIndex{},
                                    .has_parent = start.parent != nullptr,
                                    .executable = image->executable,
                                    .command = image->command});
  calls_.begin_image(*image, start.start == trace::ProcessStart::fork ? start.parent : nullptr);
  if (start.slot) by_slot_[*start.slot] = image.get();
  running_.push_back(std::move(image));
  return *running_.back();
}

void ImageTable::give_slot(Image& image, std::uint32_t slot) {
  image.slot = slot;
  image.provisional = false;
  by_slot_[slot] = &image;
}

void ImageTable::note_capture(Image& image, trace::Capture capture, const std::string& reason,
                              const std::string& allocator) {
  const bool is_new = !image.is_described || image.capture != capture || image.reason != reason ||
                      image.allocator != allocator;
  if (!is_new) return;
  image.is_described = true;
  image.capture = capture;
  image.reason = reason;
  image.allocator = allocator;
  writer_.write(trace::CaptureNote{image.index, capture, reason, allocator});
}

Image* ImageTable::by_pid(pid_t pid) const {
  const auto found =
      std::find_if(running_.begin(), running_.end(), [pid](const auto& image) { return image->pid == pid; });
  return found == running_.end() ? nullptr : found->get();
}

void ImageTable::end(Image& image, const ImageEnd& end) {
  MEMSWELL_CHECK(image.rings.empty());
  calls_.begin_calls(image, false);
  calls_.write_totals(image, std::max(end.time, image.last_time));
  trace::ProcessEnd event{.process = image.index,
                          .time = std::max(end.time, image.last_time),
                          .reason = end.reason,
                          .code = end.code,
                          .signal = end.signal,
                          .lost_events = image.lost_events,
                          .ring_waits = image.ring_waits,
                          .peak_rss_bytes = std::max(image.peak_rss_bytes, end.max_rss_bytes),
                          .peak_rss_is_lower_bound = !image.last_snapshot_taken && end.max_rss_bytes == 0,
                          .own_peak_bytes = image.own_peak_bytes};
  if (image.slot) {
    format::ProcessSlot& slot = region_.process(*image.slot);
    event.lost_events += slot.lost_events.load(std::memory_order_relaxed);
    event.uncertain_blocks = slot.uncertain_blocks.load(std::memory_order_relaxed);
    event.walks_compared = slot.walks_compared.load(std::memory_order_relaxed);
    event.walks_different = slot.walks_different.load(std::memory_order_relaxed);
    by_slot_[*image.slot] = nullptr;
    reset(slot);
    slot.state.store(format::SlotState::free, std::memory_order_release);
  }
  if (end.group) {
    trace::GroupMemory group = *end.group;
    group.process = image.index;
    writer_.write(group);
  }
  writer_.write(event);
  std::erase_if(running_, [&image](const auto& other) { return other.get() == &image; });
}

void ImageTable::reset(format::ProcessSlot& slot) {
  slot.flags.store(0, std::memory_order_relaxed);
  slot.fork_stamp = 0;
  slot.begin_stamp = 0;
  slot.start_time_ticks = 0;
  slot.exit_requested.store(0, std::memory_order_relaxed);
  slot.exit_answered.store(0, std::memory_order_relaxed);
  slot.uncertain_blocks.store(0, std::memory_order_relaxed);
  slot.lost_events.store(0, std::memory_order_relaxed);
  slot.walks_compared.store(0, std::memory_order_relaxed);
  slot.walks_different.store(0, std::memory_order_relaxed);
  slot.layout.store(0, std::memory_order_relaxed);
  slot.own_ranges.store(0, std::memory_order_relaxed);
  std::fill(std::begin(slot.allocator_path), std::end(slot.allocator_path), '\0');
  slot.gate.store(0, std::memory_order_relaxed);
  slot.live_bytes.store(0, std::memory_order_relaxed);
  slot.peak_live_bytes.store(0, std::memory_order_relaxed);
  slot.live_blocks.store(0, std::memory_order_relaxed);
}

}  // namespace memswell::capture
