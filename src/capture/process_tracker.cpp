#include "capture/process_tracker.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "capture/capture_description.h"
#include "capture/exit_status.h"
#include "capture/outer_pid.h"

namespace memswell::capture {
namespace {

constexpr Nanoseconds kMillisecond = 1'000'000;
// A fork whose child nobody has seen by then failed, or was followed by an exec or end at once.
constexpr Nanoseconds kForkPatience = 20 * kMillisecond;
// An exec whose failure has not been told by then has happened.
constexpr Nanoseconds kExecPatience = 20 * kMillisecond;
// A child that has neither attached nor claimed a slot by then will not.
constexpr Nanoseconds kAttachPatience = 200 * kMillisecond;

}  // namespace

void ProcessTracker::expect_first(pid_t pid, std::string path, std::vector<std::string> command, std::string reason) {
  first_pid_ = pid;
  first_path_ = std::move(path);
  first_command_ = std::move(command);
  first_reason_ = std::move(reason);
}

// It may have ended before it could be looked at.
OpenedProcess ProcessTracker::open_first() const {
  OpenedProcess process = open_process(first_pid_);
  if (process.executable.empty()) process.executable = first_path_;
  if (process.command.empty()) process.command = first_command_;
  return process;
}

void ProcessTracker::first_launched() {
  launched_ = true;
  if (first_reason_.empty()) {
    candidates_.emplace(first_pid_, clock_.now());
    return;
  }
  begin_sampled(open_first(), first_reason_);
}

void ProcessTracker::first_ended(int wait_status, Bytes max_rss_bytes) {
  first_end_ = Ended{wait_status, max_rss_bytes};
  candidates_.erase(first_pid_);
  if (images_.by_pid(first_pid_) != nullptr) return;
  // It neither attached nor lived long enough to be found: an entry all the same.
  begin_sampled(open_first(), first_reason_.empty() ? "It ended before it attached to the recorder." : first_reason_);
}

void ProcessTracker::launcher_is_gone() {
  launcher_gone_ = true;
  if (!launched_) first_finished_ = true;
}

void ProcessTracker::attached(AttachedProgram program) {
  const std::uint32_t inner = inner_pid_of(program.pid).value_or(static_cast<std::uint32_t>(program.pid));
  attached_.push_back({std::move(program), inner});
}

bool ProcessTracker::is_unclaimed(std::uint32_t slot) const {
  return images_.by_slot(slot) == nullptr &&
         region_.process(slot).state.load(std::memory_order_acquire) == format::SlotState::live;
}

// Such a child is found by its own fork's stamp, not by that of another thread's fork at the same time.
bool ProcessTracker::has_unclaimed_slot(pid_t child) const {
  const std::uint32_t high =
      std::min(region_.header().processes_high.load(std::memory_order_acquire), format::kProcessSlots);
  for (std::uint32_t slot = 0; slot < high; ++slot) {
    if (!is_unclaimed(slot)) continue;
    const std::uint32_t inner = region_.process(slot).pid;
    if (inner == static_cast<std::uint32_t>(child) || inner_pid_of(child) == inner) return true;
  }
  return false;
}

// The fork that led to this exec may lie in a slot further on, or wait for its parent's word: the exec then waits for
// it. Begun in the wrong order, the child would give its parent's layout back twice, and the pages of others with it.
bool ProcessTracker::is_preceded_by_fork(const format::ProcessSlot& exec) const {
  const std::uint32_t high =
      std::min(region_.header().processes_high.load(std::memory_order_acquire), format::kProcessSlots);
  for (std::uint32_t slot = 0; slot < high; ++slot) {
    const format::ProcessSlot& other = region_.process(slot);
    if (is_unclaimed(slot) && other.origin == format::ProcessOrigin::fork && other.pid == exec.pid &&
        other.begin_stamp <= exec.begin_stamp)
      return true;
  }
  return false;
}

void ProcessTracker::discover_slots() {
  const std::uint32_t high =
      std::min(region_.header().processes_high.load(std::memory_order_acquire), format::kProcessSlots);
  for (std::uint32_t slot = 0; slot < high; ++slot) {
    if (!is_unclaimed(slot)) continue;
    const format::ProcessSlot& shared = region_.process(slot);
    if (shared.origin == format::ProcessOrigin::exec) {
      if (!is_preceded_by_fork(shared)) begin_exec(slot);
      continue;
    }
    Image* parent = images_.by_slot(shared.parent_slot);
    const std::uint64_t stamp = shared.fork_stamp;
    // While its parent's `forking` record is still to come, the child waits for it; on_forking begins it.
    const bool parent_will_tell = parent != nullptr && stamp != 0 && !parent->process_ended &&
                                  !given_up_forks_.contains(stamp) && parent->last_fork_stamp < stamp;
    if (!parent_will_tell) begin_fork(slot, parent);
  }
}

OpenedProcess ProcessTracker::process_of_exec(std::uint32_t inner) {
  const auto found = std::find_if(attached_.begin(), attached_.end(),
                                  [inner](const Attached& attached) { return attached.inner_pid == inner; });
  if (found == attached_.end()) return open_process(static_cast<pid_t>(inner));
  OpenedProcess process = std::move(found->process);
  attached_.erase(found);
  return process;
}

void ProcessTracker::begin_exec(std::uint32_t slot) {
  const format::ProcessSlot& shared = region_.process(slot);
  OpenedProcess process = process_of_exec(shared.pid);
  candidates_.erase(process.pid);
  if (Image* before = images_.by_pid(process.pid); before != nullptr) {
    if (before->provisional) {
      images_.give_slot(*before, slot);
      describe(*before);
      return;
    }
    finish_replaced(*before, before->last_time);
  }
  Image& image = images_.begin({.process = std::move(process),
                                .slot = slot,
                                .start = trace::ProcessStart::exec,
                                .parent_pid = shared.parent_pid,
                                .time = clock_.time_of(shared.begin_stamp)});
  describe(image);
}

void ProcessTracker::begin_fork(std::uint32_t slot, const Image* parent) {
  const format::ProcessSlot& shared = region_.process(slot);
  const pid_t pid = find_child_by_inner_pid(parent != nullptr ? parent->pid : 0, shared.pid)
                        .value_or(static_cast<pid_t>(shared.pid));
  candidates_.erase(pid);
  // Seen before its slot was: by its parent's word, or because it ran. It is the same process whichever of two forks at
  // once it was taken for, unless it has become another program since.
  Image* known = images_.by_pid(pid);
  if (known != nullptr && !known->slot && (parent == nullptr || known->executable == parent->executable)) {
    known->fork_stamp = shared.fork_stamp;
    images_.give_slot(*known, slot);
    describe(*known);
    return;
  }
  Image& image = images_.begin({.process = open_process(pid),
                                .slot = slot,
                                .start = trace::ProcessStart::fork,
                                .parent = parent,
                                .parent_pid = shared.parent_pid,
                                .time = parent != nullptr ? parent->last_time : clock_.now()});
  describe(image);
}

void ProcessTracker::describe(Image& image) {
  const format::ProcessSlot& shared = region_.process(*image.slot);
  const std::uint32_t flags = shared.flags.load(std::memory_order_relaxed);
  char path[sizeof shared.allocator_path];
  std::copy(std::begin(shared.allocator_path), std::end(shared.allocator_path), path);
  path[sizeof path - 1] = '\0';
  CaptureDescription said = describe_capture(flags, path, image.executable);
  image.flags_reported = flags;
  images_.note_capture(image, said.capture, said.reason, said.allocator);
}

// A child that nothing is known of yet; failing that, one that was seen before its parent's word was read and runs the
// same program.
std::optional<pid_t> ProcessTracker::child_of_fork(const Image& parent) {
  std::optional<pid_t> seen;
  for (const pid_t child : children_of(parent.pid)) {
    if (images_.by_pid(child) != nullptr || has_unclaimed_slot(child) || is_recorded_zombie(child)) continue;
    if (!candidates_.contains(child)) return child;
    if (!seen && read_executable(child) == parent.executable) seen = child;
  }
  return seen;
}

Emitted ProcessTracker::on_forking(Image& parent, std::uint64_t stamp) {
  parent.last_fork_stamp = std::max(parent.last_fork_stamp, stamp);
  const std::uint32_t high =
      std::min(region_.header().processes_high.load(std::memory_order_acquire), format::kProcessSlots);
  for (std::uint32_t slot = 0; slot < high; ++slot) {
    if (!is_unclaimed(slot) || region_.process(slot).fork_stamp != stamp) continue;
    holds_.erase(&parent);
    begin_fork(slot, &parent);
    return Emitted::taken;
  }
  const Nanoseconds now = clock_.now();
  Hold& hold = holds_[&parent];
  if (hold.stamp != stamp) hold = {stamp, now, now};
  if (now >= hold.next_look) {
    hold.next_look = now + kMillisecond;
    if (const auto child = child_of_fork(parent)) {
      holds_.erase(&parent);
      candidates_.erase(*child);
      begin_child_without_slot(*child, &parent, true);
      images_.by_pid(*child)->fork_stamp = stamp;
      return Emitted::taken;
    }
  }
  if (!parent.finishing && !parent.process_ended && now - hold.since < kForkPatience) return Emitted::hold;
  holds_.erase(&parent);
  given_up_forks_[stamp] = now;
  return Emitted::taken;
}

// `by_hook`: our fork hook has run in the parent, which gave the child a share of its layout.
void ProcessTracker::begin_child_without_slot(pid_t pid, Image* parent, bool by_hook) {
  Image& image = images_.begin({.process = open_process(pid),
                                .start = trace::ProcessStart::fork,
                                .parent = parent,
                                .parent_pid = static_cast<std::uint32_t>(parent->pid),
                                .time = parent->last_time});
  if (by_hook) image.inherited_layout = region_.process(*parent->slot).layout.load(std::memory_order_relaxed);
  images_.note_capture(image, parent->capture, parent->reason, parent->allocator);
}

void ProcessTracker::begin_sampled(OpenedProcess process, const std::string& reason) {
  Image& image = images_.begin({.process = std::move(process), .time = clock_.now()});
  images_.note_capture(image, trace::Capture::sampler, reason, "");
}

void ProcessTracker::on_executing(Image& image, PendingExec exec) { image.execs.push_back(std::move(exec)); }

void ProcessTracker::on_exec_failed(Image& image) {
  if (!image.execs.empty()) image.execs.pop_back();
  image.last_snapshot_taken = false;
}

void ProcessTracker::look_for_children() {
  for (std::size_t i = 0; i < images_.running().size(); ++i) settle_execs(*images_.running()[i]);
  const Nanoseconds now = clock_.now();
  for (const auto& image : images_.running()) {
    for (const pid_t child : children_of(image->pid))
      if (images_.by_pid(child) == nullptr) candidates_.emplace(child, now);
    // An exec that left no record, by a raw system call.
    if (image->process_ended || image->provisional) continue;
    const std::string executable = read_executable(image->pid);
    if (!executable.empty() && executable != image->executable) candidates_.emplace(image->pid, now);
  }
  settle_candidates();
  std::erase_if(zombies_, [](pid_t pid) { return !is_zombie(pid); });
}

// The image that runs the same program and has this process as its child.
Image* ProcessTracker::parent_by_fork(const OpenedProcess& process) const {
  for (const auto& image : images_.running()) {
    if (image->pid == process.pid || image->executable != process.executable || image->executable.empty()) continue;
    const std::vector<pid_t> children = children_of(image->pid);
    if (std::find(children.begin(), children.end(), process.pid) != children.end()) return image.get();
  }
  return nullptr;
}

void ProcessTracker::settle_candidates() {
  const Nanoseconds now = clock_.now();
  for (auto place = candidates_.begin(); place != candidates_.end();) {
    const auto [pid, since] = *place;
    if (now - since < kAttachPatience) {
      ++place;
      continue;
    }
    place = candidates_.erase(place);
    OpenedProcess process = open_process(pid);
    if (Image* known = images_.by_pid(pid)) {
      if (process.executable.empty() || known->executable == process.executable) continue;
      finish_replaced(*known, known->last_time);
    }
    // A fork that passed our hooks by, or whose child was not found in time; it has called nothing that we see.
    if (Image* parent = parent_by_fork(process)) {
      begin_child_without_slot(pid, parent, false);
      continue;
    }
    begin_sampled(std::move(process), "It has not attached to the recorder: its allocations are not seen, its footprint is.");
    if (Image* image = images_.by_pid(pid)) image->provisional = true;
  }
}

// An exec that has not failed by now has happened. One that attaches is found by its slot.
void ProcessTracker::settle_execs(Image& image) {
  const Nanoseconds now = clock_.now();
  while (!image.execs.empty() && now - image.execs.front().time >= kExecPatience) {
    const PendingExec exec = image.execs.front();
    image.execs.erase(image.execs.begin());
    if (exec.note == format::ExecNote::recorded) continue;
    const bool own = image.slot && exec.pid == region_.process(*image.slot).pid;
    settle_exec(image, exec);
    if (own) return;  // the image is gone
  }
}

void ProcessTracker::settle_exec(Image& image, PendingExec exec) {
  const bool own = image.slot && exec.pid == region_.process(*image.slot).pid;
  const pid_t pid = own ? image.pid
                        : find_child_by_inner_pid(image.pid, exec.pid).value_or(static_cast<pid_t>(exec.pid));
  if (!own && images_.by_pid(pid) != nullptr) return;
  OpenedProcess process = open_process(pid);
  if (process.executable.empty()) process.executable = exec.path;
  if (process.command.empty()) process.command = {exec.path};
  if (own) finish_replaced(image, exec.time);
  candidates_.erase(pid);
  begin_sampled(std::move(process), std::string(describe_exec_note(exec.note)));
}

bool ProcessTracker::all_ended() const { return first_finished_ && images_.running().empty() && candidates_.empty(); }

void ProcessTracker::finish_ended() {
  for (std::size_t i = 0; i < images_.running().size();) {
    Image& image = *images_.running()[i];
    if (!image.process_ended && image.pidfd && has_ended(image.pidfd)) image.process_ended = true;
    const bool waits_for_status = image.pid == first_pid_ && !first_end_ && !first_finished_ && !launcher_gone_;
    if (!image.process_ended || waits_for_status) {
      ++i;
      continue;
    }
    const pid_t pid = image.pid;
    // It may have claimed its slot after the last look: what it recorded is its own, not another process's. If that was
    // the slot of an exec, this image has ended with it.
    const ProcessIndex index = image.index;
    if (!image.slot) discover_slots();
    if (const Image* still = images_.by_pid(pid); still == nullptr || still->index != index) {
      i = 0;
      continue;
    }
    drain_.finish_reading(image);
    const bool had_become_another = image.slot && !image.execs.empty() &&
                                    image.execs.back().note != format::ExecNote::recorded &&
                                    image.execs.back().pid == region_.process(*image.slot).pid;
    if (had_become_another) settle_exec(image, image.execs.back());
    if (Image* last = images_.by_pid(pid)) finish(*last, end_of(*last));
    zombies_.insert(pid);
    if (pid == first_pid_) first_finished_ = true;
    i = 0;  // the end may have begun and ended others
  }
  std::erase_if(candidates_, [](const auto& candidate) { return !is_running(candidate.first); });
}

// Its image has ended, its parent has not collected it yet: still a child, but not a new one.
bool ProcessTracker::is_recorded_zombie(pid_t child) { return zombies_.contains(child) && is_zombie(child); }

ImageEnd ProcessTracker::end_of(Image& image) {
  ImageEnd end{.time = clock_.now()};
  if (image.pid == first_pid_ && first_end_) {
    const ExitStatus status = exit_status_of(first_end_->wait_status);
    end.reason = status.reason;
    end.code = status.code;
    end.signal = status.signal;
    // ru_maxrss is also that of the children that it has waited for.
    end.max_rss_bytes = images_.begun() == 1 ? first_end_->max_rss_bytes : 0;
  } else {
    const ExitStatus status = read_exit_status(image.pidfd, image.pid);
    end.reason = status.reason;
    end.code = status.code;
    end.signal = status.signal;
  }
  if (end.signal == SIGKILL && image.memory_group != nullptr) {
    end.group = images_.groups().take_kill(*image.memory_group, clock_.now());
    if (end.group) end.reason = trace::EndReason::oom_killed;
  }
  if (end.reason == trace::EndReason::unknown && image.exit_kind) end.reason = trace::EndReason::exited;
  return end;
}

void ProcessTracker::finish(Image& image, const ImageEnd& end) {
  // Children that wait for this image's word on their fork begin now, while their parent is still there.
  drain_.finish_reading(image);
  const std::uint32_t high = std::min(region_.header().processes_high.load(std::memory_order_acquire), format::kProcessSlots);
  for (std::uint32_t slot = 0; slot < high; ++slot) {
    if (!is_unclaimed(slot)) continue;
    const format::ProcessSlot& shared = region_.process(slot);
    if (shared.origin == format::ProcessOrigin::fork && images_.by_slot(shared.parent_slot) == &image)
      begin_fork(slot, &image);
  }
  if (image.inherited_layout != 0 && !image.slot) drain_.drop_layout_user(image.inherited_layout);
  holds_.erase(&image);
  drain_.finish(image, end);
}

void ProcessTracker::finish_replaced(Image& image, Nanoseconds time) {
  finish(image, {.reason = trace::EndReason::replaced_by_exec, .time = time});
}

}  // namespace memswell::capture
