#include "capture/snapshot_taker.h"

#include <algorithm>
#include <utility>

#include "capture/futex.h"
#include "capture/gate.h"

namespace memswell::capture {
namespace {

constexpr Nanoseconds kGateTimeout = 50'000'000;

}  // namespace

void SnapshotTaker::announce_phase(Image& by, const std::string& name, Nanoseconds time) {
  writer_.write(trace::Mark{by.index, time, trace::Mark::Kind::phase, name, 0});
  requests_.push_back({Wish::phase, by.index, name, time});
}

void SnapshotTaker::announce_value(Image& by) { requests_.push_back({Wish::value, by.index, "", by.last_time}); }

void SnapshotTaker::announce_exit(Image& image) { requests_.push_back({Wish::exit, image.index, "", image.last_time}); }

void SnapshotTaker::cut_phase(const std::string& name, const Image* by) {
  if (images_.begun() == 0) {
    early_phases_.push_back(name);
    return;
  }
  const ProcessIndex index = by != nullptr ? by->index : ProcessIndex{0};
  for (std::size_t i = 0; i < images_.running().size(); ++i) drain_.drain_to_now(*images_.running()[i]);
  perform();
  writer_.write(trace::Mark{index, clock_.now(), trace::Mark::Kind::phase, name, 0});
  cut(name, index);
}

void SnapshotTaker::note_value(const std::string& name, std::int64_t value, Image& by) {
  drain_.drain_to_now(by);
  perform();
  by.last_time = std::max(by.last_time, clock_.now());
  writer_.write(trace::Mark{by.index, by.last_time, trace::Mark::Kind::value, name, value});
  footprint_.read_thorough(by, trace::SnapshotCause::mark);
}

Image* SnapshotTaker::find(ProcessIndex index) const {
  const auto& running = images_.running();
  const auto found = std::find_if(running.begin(), running.end(), [&](const auto& image) { return image->index == index; });
  return found == running.end() ? nullptr : found->get();
}

bool SnapshotTaker::perform() {
  bool any = false;
  if (!early_phases_.empty() && images_.begun() != 0) {
    any = true;
    for (const std::string& name : std::exchange(early_phases_, {})) cut_phase(name, nullptr);
  }
  while (!requests_.empty()) {
    any = true;
    const Request request = std::move(requests_.front());
    requests_.erase(requests_.begin());
    Image* image = find(request.process);
    if (image != nullptr) ++image->snapshots_since_answer;
    switch (request.wish) {
      case Wish::phase: cut(request.name, request.process); break;
      case Wish::value:
        if (image != nullptr) footprint_.read_thorough(*image, trace::SnapshotCause::mark);
        break;
      case Wish::exit:
        if (image == nullptr) break;
        footprint_.sample(*image);
        take(*image, trace::SnapshotCause::exit, "");
        image->last_snapshot_taken = true;
        break;
    }
  }
  for (std::size_t i = 0; i < images_.running().size(); ++i) {
    Image& image = *images_.running()[i];
    if (!std::exchange(image.peak_snapshot_due, false) || image.last_snapshot_taken) continue;
    any = true;
    const Nanoseconds begin = clock_.now();
    take(image, trace::SnapshotCause::peak, "");
    footprint_.peak_snapshot_took(begin, clock_.now() - begin);
  }
  return any;
}

void SnapshotTaker::cut(const std::string& name, ProcessIndex announced_by) {
  const bool calls_begin = calls_.is_begin(name);
  if (calls_begin) calls_.reach();
  for (std::size_t i = 0; i < images_.running().size(); ++i) {
    Image& image = *images_.running()[i];
    if (image.process_ended) continue;
    ClosedGate gate(region_, image, kGateTimeout, [&] { drain_.drain_to_now(image); });
    drain_.drain_to_now(image);
    image.last_time = std::max(image.last_time, clock_.now());
    if (calls_begin)
      calls_.begin_calls(image, true);
    else
      calls_.end_window(image, image.last_time, gate.is_quiet());
    trace::PhaseBoundary boundary{
        .process = image.index, .announced_by = announced_by, .time = image.last_time, .name = name};
    footprint_.cut_peak(image, boundary);
    writer_.write(boundary);
    // Whose pages they are is not known while calls are held back.
    if (footprint_.snapshots_at_phases() && !image.earlier) {
      footprint_.snapshot(image, trace::SnapshotCause::phase, name, gate);
    } else {
      gate.open();
      footprint_.read_thorough(image, trace::SnapshotCause::phase);
    }
  }
}

void SnapshotTaker::take(Image& image, trace::SnapshotCause cause, const std::string& phase) {
  if (image.process_ended) return;
  ClosedGate gate(region_, image, kGateTimeout, [&] { drain_.drain_to_now(image); });
  drain_.drain_to_now(image);
  if (cause == trace::SnapshotCause::exit) calls_.begin_calls(image, false);  // the last chance for a ledger
  if (!image.earlier) return footprint_.snapshot(image, cause, phase, gate);
  gate.open();
  footprint_.read_thorough(image, cause);
}

bool SnapshotTaker::answer_waiting() {
  bool any = false;
  for (std::size_t i = 0; i < images_.running().size(); ++i) {
    Image& image = *images_.running()[i];
    if (!image.slot) continue;
    const std::uint32_t requested = region_.process(*image.slot).exit_requested.load(std::memory_order_acquire);
    if (requested == image.answered) continue;
    any = true;
    drain_.drain_to_now(image);
    perform();
    // Nothing in its records said why it waits: memory is about to be given back.
    if (image.snapshots_since_answer == 0 && footprint_.is_at_new_peak(image))
      take(image, trace::SnapshotCause::before_release, "");
    image.snapshots_since_answer = 0;
    image.answered = requested;
    answer(image);
  }
  return any;
}

void SnapshotTaker::answer(Image& image) {
  format::ProcessSlot& slot = region_.process(*image.slot);
  slot.exit_answered.store(image.answered, std::memory_order_release);
  wake_all(slot.exit_answered);
}

}  // namespace memswell::capture
