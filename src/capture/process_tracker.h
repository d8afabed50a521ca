// Finds the images of the recorded tree, in their right place in the order of events, and notices their ends.
//
//   slot of origin exec      the image before under that pid ends, a new one begins
//   slot of origin fork      begins where the parent's `forking` record stands: the parent is held there, a moment, until
//                            the child is seen, because the child inherits the blocks that live at this place
//   child without a slot     static, foreign or scrubbed of its environment: begun when it is found among the children
//   process end              pidfd
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "capture/attach_server.h"
#include "capture/drain.h"
#include "capture/image_table.h"
#include "capture/stamp_clock.h"
#include "trace/format.h"

namespace memswell::capture {

class ProcessTracker {
 public:
  ProcessTracker(const Region& region, const StampClock& clock, ImageTable& images, Drain& drain)
      : region_(region), clock_(clock), images_(images), drain_(drain) {}

  // The program's process, before it execs. `reason`: why it is not recorded but sampled, empty if it is recorded.
  void expect_first(pid_t pid, std::string path, std::vector<std::string> command, std::string reason);
  // It runs now.
  void first_launched();
  // The launcher has collected it: wait status and ru_maxrss.
  void first_ended(int wait_status, Bytes max_rss_bytes);
  // Nobody will say any more how the first process ended.
  void launcher_is_gone();
  bool first_is_finished() const { return first_finished_; }

  void attached(AttachedProgram program);

  // Each drain round: images that have claimed a slot.
  void discover_slots();

  // Now and then: children without a slot, execs without a trace.
  void look_for_children();

  // Images whose process has ended: reads their rings to the end and ends them.
  void finish_ended();

  // Nobody is left, and nobody can come any more.
  bool all_ended() const;

  // As ControlSink.
  Emitted on_forking(Image& image, std::uint64_t stamp);
  void on_executing(Image& image, PendingExec exec);
  void on_exec_failed(Image& image);

 private:
  struct Hold {
    std::uint64_t stamp = 0;  // of the fork that is waited for
    Nanoseconds since = 0;
    Nanoseconds next_look = 0;
  };
  struct Ended {
    int wait_status = 0;
    Bytes max_rss_bytes = 0;
  };

  bool is_unclaimed(std::uint32_t slot) const;
  bool has_unclaimed_slot(pid_t child) const;
  bool is_recorded_zombie(pid_t child);
  bool is_preceded_by_fork(const format::ProcessSlot& exec) const;
  void begin_exec(std::uint32_t slot);
  void begin_fork(std::uint32_t slot, const Image* parent);
  void begin_child_without_slot(pid_t pid, Image* parent, bool by_hook);
  std::optional<pid_t> child_of_fork(const Image& parent);
  Image* parent_by_fork(const OpenedProcess& process) const;
  OpenedProcess open_first() const;
  void begin_sampled(OpenedProcess process, const std::string& reason);
  void settle_candidates();
  void settle_execs(Image& image);
  void settle_exec(Image& image, PendingExec exec);
  OpenedProcess process_of_exec(std::uint32_t inner);
  void describe(Image& image);
  void finish(Image& image, const ImageEnd& end);
  void finish_replaced(Image& image, Nanoseconds time);
  ImageEnd end_of(Image& image);

  const Region& region_;
  const StampClock& clock_;
  ImageTable& images_;
  Drain& drain_;

  pid_t first_pid_ = 0;
  std::string first_path_;
  std::vector<std::string> first_command_;
  std::string first_reason_;
  bool launched_ = false;
  bool launcher_gone_ = false;
  bool first_finished_ = false;
  std::optional<Ended> first_end_;

  struct Attached {
    OpenedProcess process;
    std::uint32_t inner_pid;  // what the program calls itself
  };
  std::vector<Attached> attached_;
  std::map<std::uint64_t, std::uint64_t> given_up_forks_;
  std::map<const Image*, Hold> holds_;
  std::set<pid_t> zombies_;  // processes whose image has ended
  std::map<pid_t, Nanoseconds> candidates_;      // children seen without a slot, since when
};

}  // namespace memswell::capture
