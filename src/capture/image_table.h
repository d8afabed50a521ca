// The images of the recording: begins and ends them in the recording, finds them by slot and by pid.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "capture/call_start.h"
#include "capture/image.h"
#include "capture/opened_process.h"
#include "capture/region.h"
#include "trace/recording_writer.h"

namespace memswell::capture {

struct ImageStart {
  OpenedProcess process;
  std::optional<std::uint32_t> slot = {};
  trace::ProcessStart start = trace::ProcessStart::exec;
  const Image* parent = nullptr;  // start fork
  std::uint32_t parent_pid = 0;   // if /proc did not tell any more
  Nanoseconds time = 0;
};

struct ImageEnd {
  trace::EndReason reason = trace::EndReason::unknown;
  std::int32_t code = -1;
  std::int32_t signal = 0;
  Nanoseconds time = 0;
  Bytes max_rss_bytes = 0;  // ru_maxrss where the kernel gave it to us, else 0
  std::optional<trace::GroupMemory> group = {};  // reason oom_killed
};

class ImageTable {
 public:
  ImageTable(const Region& region, trace::RecordingWriter& writer, CallStart& calls)
      : region_(region), writer_(writer), calls_(calls) {}

  Image& begin(ImageStart start);

  // An image that was begun without a slot has attached.
  void give_slot(Image& image, std::uint32_t slot);

  // Says how the image is recorded, if that is new.
  void note_capture(Image& image, trace::Capture capture, const std::string& reason, const std::string& allocator);

  // A ring of the image is about to be given back.
  void retire(Image& image, format::RingSlot& ring) const { calls_.retire(image, ring); }

  // Writes the end, gives the slot back, and forgets the image. Its rings must be freed before.
  void end(Image& image, const ImageEnd& end);

  Image* by_slot(std::uint32_t slot) const { return slot < by_slot_.size() ? by_slot_[slot] : nullptr; }
  Image* by_pid(pid_t pid) const;
  MemoryGroups& groups() { return groups_; }
  const std::vector<std::unique_ptr<Image>>& running() const { return running_; }
  std::uint32_t begun() const { return begun_; }

 private:
  static void reset(format::ProcessSlot& slot);

  const Region& region_;
  trace::RecordingWriter& writer_;
  CallStart& calls_;
  std::vector<std::unique_ptr<Image>> running_;
  std::array<Image*, format::kProcessSlots> by_slot_{};
  std::uint32_t begun_ = 0;
  MemoryGroups groups_;
};

}  // namespace memswell::capture
