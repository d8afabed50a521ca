#include "capture/image_table.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/check.h"
#include "probes/smaps/stat_parser.h"

namespace memswell::capture {
namespace {

std::string proc_path(pid_t pid, const char* name) { return "/proc/" + std::to_string(pid) + "/" + name; }

std::uint32_t read_parent_pid(Image& image) {
  if (image.sampler == nullptr) return 0;
  smaps::ReadBuffer buffer;
  const auto text = image.sampler->files().read("stat", buffer);
  if (!text || !*text) return 0;
  const auto stat = smaps::parse_stat(**text);
  return stat ? static_cast<std::uint32_t>(stat->ppid) : 0;
}

void open_process(Image& image) {
  image.pidfd.reset(static_cast<int>(syscall(SYS_pidfd_open, image.pid, 0)));
  auto files = smaps::ProcessFiles::open(image.pid);
  if (files && *files) image.sampler = std::make_unique<smaps::LinuxSampler>(std::move(**files));
}

}  // namespace

std::vector<std::string> read_command(pid_t pid) {
  std::ifstream file(proc_path(pid, "cmdline"), std::ios::binary);
  std::vector<std::string> command;
  for (std::string argument; std::getline(file, argument, '\0');) command.push_back(argument);
  return command;
}

std::string read_executable(pid_t pid) {
  char target[4096];
  const ssize_t length = readlink(proc_path(pid, "exe").c_str(), target, sizeof target);
  return length <= 0 ? std::string() : std::string(target, static_cast<std::size_t>(length));
}

Image& ImageTable::begin(const ImageStart& start) {
  auto image = std::make_unique<Image>();
  image->index = ProcessIndex{begun_++};
  image->pid = start.pid;
  image->slot = start.slot;
  image->last_time = start.time;
  image->executable = start.executable;
  std::vector<std::string> command;
  if (start.executable.empty()) {
    open_process(*image);
    image->executable = read_executable(start.pid);
    command = read_command(start.pid);
    // Its process is gone already, or hides: it is still what its parent was.
    if (image->executable.empty() && start.parent != nullptr) image->executable = start.parent->executable;
  } else {
    command = {start.executable};
  }
  image->process_ended = !image->pidfd;
  const std::uint32_t parent_pid = read_parent_pid(*image);
  writer_.write(trace::ProcessBegin{.process = image->index,
                                    .time = start.time,
                                    .pid = static_cast<std::uint32_t>(start.pid),
                                    .ppid = parent_pid != 0 ? parent_pid : start.parent_pid,
                                    .start = start.start,
                                    .parent = start.parent != nullptr ? start.parent->index : ProcessIndex{},
                                    .has_parent = start.parent != nullptr,
                                    .executable = image->executable,
                                    .command = std::move(command)});
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
}

}  // namespace memswell::capture
