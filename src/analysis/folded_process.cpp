#include "analysis/folded_process.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace memswell::analysis {
namespace {

class StackIsSite final : public SiteOfStack {
 public:
  SiteIndex site_of(StackId stack) const override { return SiteIndex{stack.value}; }
};
const StackIsSite kStackIsSite;

bool has_news(const trace::FoldedCalls& calls, const trace::FoldedLive& told) {
  return !calls.stacks.empty() || calls.replaced != 0 || calls.unmatched_frees != 0 || calls.heap_blocks != 0 ||
         !calls.heap_granules.empty() || calls.live_blocks != told.live_blocks || calls.live_bytes != told.live_bytes ||
         calls.usable_bytes != told.usable_bytes || calls.peak_live_bytes != calls.live_bytes;
}

template <class Notes>
void write_notes(trace::RecordingWriter& out, Notes& notes) {
  std::vector<trace::BlockNote> ordered;
  for (const auto& [address, note] : notes) ordered.push_back(note);
  std::ranges::sort(ordered, {}, [](const trace::BlockNote& note) { return std::pair(note.time, note.address); });
  for (const trace::BlockNote& note : ordered) out.write(note);
  notes.clear();
}

}  // namespace

FoldedProcess::FoldedProcess(const trace::ProcessBegin& begin, Sampling sampling, Nanoseconds slot,
                             trace::RecordingWriter& out)
    : out_(&out),
      index_(begin.process),
      ledger_(kStackIsSite, begin.time, sampling),
      footprint_(slot),
      slot_(slot),
      stretch_begin_(begin.time) {}

FoldedProcess::FoldedProcess(const trace::ProcessBegin& begin, const FoldedProcess& parent)
    : out_(parent.out_),
      index_(begin.process),
      ledger_(parent.ledger_.fork(begin.time)),
      history_(parent.history_),
      footprint_(parent.slot_),
      slot_(parent.slot_),
      stretch_begin_(begin.time) {
  history_.take_news();  // a reader has it from the parent, too
  told_ = ledger_.folded_live();
}

void FoldedProcess::write_end(Address address, std::uint32_t thread, Nanoseconds time) {
  out_->write(trace::Release{index_, ThreadIndex{thread}, time, address, trace::Release::Kind::realloc});
}

void FoldedProcess::on(const trace::Allocation& allocation) {
  history_.note(allocation.address, allocation.usable);
  const std::uint64_t replaced = ledger_.replaced();
  ledger_.on(allocation);
  if (!aside_.empty()) end_realloc(allocation);
  const bool first = young_.insert_or_assign(allocation.address, allocation).second;
  // The block before, whose free was missed, may be written already.
  if (first && ledger_.replaced() != replaced) write_end(allocation.address, allocation.thread.value, allocation.time);
  if (!used_.empty()) used_.erase(allocation.address);
}

// What was set aside by this thread is gone, and what lay where the new block is.
void FoldedProcess::end_realloc(const trace::Allocation& allocation) {
  if (const auto here = aside_written_.find(allocation.address); here != aside_written_.end()) {
    write_end(allocation.address, here->second, allocation.time);
    aside_written_.erase(here);
  }
  const auto own = aside_.find(allocation.thread.value);
  if (own == aside_.end()) return;
  if (const auto written = aside_written_.find(own->second.address);
      written != aside_written_.end() && written->second == allocation.thread.value) {
    write_end(own->second.address, allocation.thread.value, allocation.time);
    aside_written_.erase(written);
  }
  aside_.erase(own);
}

void FoldedProcess::begin_realloc(const trace::Release& release) {
  if (const auto before = aside_.find(release.thread.value); before != aside_.end()) {  // its end was lost
    if (aside_written_.erase(before->second.address) != 0)
      write_end(before->second.address, release.thread.value, release.time);
    aside_.erase(before);
  }
  Aside aside{release.address, std::nullopt};
  if (const auto young = young_.find(release.address); young != young_.end()) {
    aside.young = young->second;
    young_.erase(young);
  } else if (ledger_.live().find(release.address) != nullptr) {
    aside_written_[release.address] = release.thread.value;
  } else {
    return;
  }
  aside_[release.thread.value] = aside;
}

void FoldedProcess::undo_realloc(const trace::Release& release) {
  const auto own = aside_.find(release.thread.value);
  if (own == aside_.end()) return;
  if (own->second.address == release.address) {
    if (own->second.young)
      young_.insert({release.address, *own->second.young});
    else
      aside_written_.erase(release.address);
  }
  aside_.erase(own);
}

void FoldedProcess::on(const trace::Release& release) {
  switch (release.kind) {
    case trace::Release::Kind::realloc: begin_realloc(release); break;
    case trace::Release::Kind::realloc_failed: undo_realloc(release); break;
    case trace::Release::Kind::free:
      if (young_.erase(release.address) == 0 && ledger_.live().find(release.address) != nullptr) out_->write(release);
      if (!used_.empty()) used_.erase(release.address);
      break;
  }
  ledger_.on(release);
}

void FoldedProcess::place(const trace::Allocation& allocation) {
  const bool known = ledger_.live().find(allocation.address) != nullptr;
  ledger_.place(allocation);
  const bool first = young_.insert_or_assign(allocation.address, allocation).second;
  if (first && known) write_end(allocation.address, allocation.thread.value, allocation.time);
}

void FoldedProcess::lift(const trace::Release& release) {
  if (young_.erase(release.address) == 0) out_->write(release);
  if (!used_.empty()) used_.erase(release.address);
  ledger_.lift(release);
}

void FoldedProcess::on(const trace::BlockNote& note) {
  ledger_.on(note);
  if (note.kind != trace::BlockNote::Kind::used)
    pool_[note.address] = note;
  else if (ledger_.live().find(note.address) != nullptr)
    used_[note.address] = note;
}

void FoldedProcess::on(const trace::CallsBegin& begin) {
  for (const trace::EarlierBlock& block : begin.seen) history_.note(block.address, block.usable);
  history_.take_news();  // they stand in the event itself
  ledger_.on(begin);
}

// They stand in the file as they are: between two stretches, so that a reader counts them as the ledger does.
void FoldedProcess::on(const trace::EarlierBlocks& blocks) {
  end_stretch(stretch_begin_);
  out_->write(blocks);
  ledger_.on(blocks);
  end_stretch(stretch_begin_);
}

void FoldedProcess::on(const trace::FoldedCalls& calls) {
  history_.note(calls.heap_blocks, calls.heap_misfits, calls.heap_granules);
  ledger_.on(calls);
}

void FoldedProcess::end_stretch(Nanoseconds time) {
  write_slot();
  stretch_begin_ = time;
  trace::FoldedCalls calls = ledger_.take_stretch(time);
  HeapHistory::News news = history_.take_news();
  calls.process = index_;
  calls.heap_blocks = news.blocks;
  calls.heap_misfits = news.misfits;
  calls.heap_granules = std::move(news.granules);
  if (!has_news(calls, told_)) return;
  out_->write(calls);
  told_ = {index_, calls.live_blocks, calls.live_bytes, calls.usable_bytes};
}

// A thread in the middle of a realloc holds a block that lives no longer for the ledger.
void FoldedProcess::settle_reallocs() {
  if (aside_written_.empty()) return;
  for (const trace::FoldedThread& thread : ledger_.folded_threads()) {
    const auto written = aside_written_.find(thread.realloc_address);
    if (written == aside_written_.end() || written->second != thread.thread.value) continue;
    write_end(thread.realloc_address, thread.thread.value, stretch_begin_);
    trace::Allocation block{index_, thread.thread, thread.time, thread.realloc_address, thread.requested, thread.usable,
                            thread.stack, thread.kind, 0};
    aside_[thread.thread.value].young = block;
  }
  aside_written_.clear();
}

void FoldedProcess::write_blocks() {
  settle_reallocs();
  std::vector<trace::Allocation> ordered;
  ordered.reserve(young_.size());
  for (const auto& [address, allocation] : young_) ordered.push_back(allocation);
  young_ = {};
  std::ranges::sort(ordered, {}, [](const trace::Allocation& block) { return std::pair(block.time, block.address); });
  for (const trace::Allocation& block : ordered) out_->write(block);
  write_notes(*out_, used_);
  write_notes(*out_, pool_);
}

void FoldedProcess::on(const trace::CallTotals& totals) {
  ledger_.on(totals);
  footprint_.add(totals);
}

void FoldedProcess::on(const trace::Sample& sample) {
  if (footprint_.is_over(sample.time)) write_slot();
  footprint_.add(sample, ledger_.folded_live());
}

void FoldedProcess::on(const trace::SmapsSnapshot& reading) {
  if (footprint_.is_over(reading.time)) write_slot();
  footprint_.add(reading, ledger_.folded_live());
}

void FoldedProcess::write_slot() {
  for (const FoldedFootprint::Entry& entry : footprint_.take()) {
    if (entry.totals) out_->write(*entry.totals);
    write_live(entry.live);
    std::visit([this](const auto& event) { out_->write(event); }, entry.what);
  }
  if (const auto totals = footprint_.take_totals()) out_->write(*totals);
}

void FoldedProcess::write_footprint() {
  write_slot();
  write_live(ledger_.folded_live());
}

void FoldedProcess::write_live(trace::FoldedLive live) {
  live.process = index_;
  if (live.live_blocks == told_.live_blocks && live.live_bytes == told_.live_bytes && live.usable_bytes == told_.usable_bytes)
    return;
  told_ = live;
  out_->write(live);
}

void FoldedProcess::write_threads() {
  for (trace::FoldedThread thread : ledger_.folded_threads()) {
    thread.process = index_;
    out_->write(thread);
  }
}

}  // namespace memswell::analysis
