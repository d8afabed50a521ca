// From ring records to the recording's events. Records about the process itself (forks, execs, phases, the end) go to a
// ControlSink in their place in the order.
#pragma once

#include <cstdint>
#include <string>

#include "capture/call_start.h"
#include "capture/image.h"
#include "capture/layout_table.h"
#include "capture/ring.h"
#include "capture/stack_interner.h"
#include "capture/stamp_clock.h"
#include "trace/recording_writer.h"

namespace memswell::capture {

class ControlSink {
 public:
  virtual ~ControlSink() = default;

  // The process is about to fork; `stamp` names the fork. `hold`: come again in a later round.
  virtual Emitted on_forking(Image& image, std::uint64_t stamp) = 0;
  virtual void on_phase(Image& image, const std::string& name, Nanoseconds time) = 0;
  virtual void on_value(Image& image) = 0;
  virtual void on_executing(Image& image, PendingExec exec) = 0;
  virtual void on_exec_failed(Image& image) = 0;
  virtual void on_exiting(Image& image, std::uint8_t exit_kind) = 0;
};

class EventTranslator {
 public:
  EventTranslator(trace::RecordingWriter& writer, const StampClock& clock, StackInterner& stacks, LayoutTable& layouts,
                  CallStart& calls, ControlSink& control)
      : writer_(writer), clock_(clock), stacks_(stacks), layouts_(layouts), calls_(calls), control_(control) {}

  // The ring's image must be set.
  Emitted translate(Ring& ring, const RingRecord& record);

  // A thread goes on with this ring: the same one as before if it only changed to a bigger ring.
  void begin_thread(Ring& ring, std::uint32_t tid, Nanoseconds time);

  // Writes where the layout's modules lie in this process, as far as that was not written.
  void write_mappings(Image& image, Layout& layout);

  std::uint64_t events() const { return events_; }

 private:
  Nanoseconds time_of(Image& image, std::uint64_t stamp);
  // To the recording, or to what is kept of the image before its calls are recorded.
  template <class Event>
  void hand_on(Image& image, const Event& event);
  Emitted translate_allocation(Ring& ring, const RingRecord& record, trace::AllocationKind kind);
  Emitted translate_mapping(Ring& ring, const RingRecord& record, trace::MappingEvent::Kind kind);
  Emitted translate_release(Ring& ring, const RingRecord& record, trace::Release::Kind kind);
  Emitted translate_note(Ring& ring, const RingRecord& record, trace::BlockNote::Kind kind);
  Emitted translate_value(Ring& ring, const RingRecord& record);
  Emitted translate_layout(Ring& ring, const RingRecord& record);
  // False: the record's stack makes no sense.
  bool stack_of(Ring& ring, const RingRecord& record, StackId& stack);

  trace::RecordingWriter& writer_;
  const StampClock& clock_;
  StackInterner& stacks_;
  LayoutTable& layouts_;
  CallStart& calls_;
  ControlSink& control_;
  std::uint32_t threads_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace memswell::capture
