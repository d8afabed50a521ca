#include "capture/earlier_calls.h"

#include <algorithm>

namespace memswell::capture {
namespace {

constexpr std::size_t kBlocksARecord = 16384;
constexpr unsigned kStretchBits = 22;  // as CallsBegin::seen says

}  // namespace

EarlierCalls EarlierCalls::inherit() const {
  EarlierCalls child;
  child.live_ = live_;
  for (auto at = child.live_.begin(); at != child.live_.end(); ++at) at.value().inherited = true;
  child.used_ = used_;
  child.seen_keys_ = seen_keys_;
  child.seen_ = seen_;
  child.totals_.live_blocks = totals_.live_blocks;
  child.totals_.live_bytes = child.totals_.peak_live_bytes = totals_.live_bytes;
  child.totals_.usable_bytes = totals_.usable_bytes;
  return child;
}

void EarlierCalls::add(Address address, const Block& block, Nanoseconds time) {
  live_[address] = block;
  ++totals_.live_blocks;
  totals_.live_bytes += block.requested;
  totals_.usable_bytes += block.usable;
  if (totals_.live_bytes <= totals_.peak_live_bytes) return;
  totals_.peak_live_bytes = totals_.live_bytes;
  totals_.peak_live_ns = time;
}

bool EarlierCalls::take(Address address, Block& block) {
  const auto at = live_.find(address);
  if (at == live_.end()) return false;
  block = at->second;
  live_.erase(at);
  --totals_.live_blocks;
  totals_.live_bytes -= block.requested;
  totals_.usable_bytes -= block.usable;
  return true;
}

void EarlierCalls::note_seen(Address address, Bytes usable) {
  const std::uint64_t key = address >> kStretchBits << 1 | (usable % 16 == 0 ? 1u : 0u);
  if (key == last_seen_) return;
  last_seen_ = key;
  if (seen_keys_.insert(key).second) seen_.push_back({address, usable, usable, 0});
}

void EarlierCalls::on(const trace::Allocation& event) {
  Block gone;
  take(event.address, gone);  // its free was missed
  note_seen(event.address, event.usable);
  ++totals_.calls;
  totals_.allocated_bytes += event.requested;
  add(event.address, {event.requested, std::max(event.usable, event.requested), event.time}, event.time);
}

void EarlierCalls::on(const trace::Release& event) {
  if (event.kind == trace::Release::Kind::realloc_failed) {
    const auto at = reallocs_.find(event.thread.value);
    if (at == reallocs_.end() || at->second.address != event.address) return;
    add(event.address, at->second.block, event.time);
    --totals_.frees;
    reallocs_.erase(at);
    return;
  }
  Block block;
  if (!take(event.address, block)) {
    ++totals_.unmatched_frees;
    return;
  }
  if (!block.inherited) ++totals_.frees;
  if (event.kind == trace::Release::Kind::realloc) {
    reallocs_[event.thread.value] = {event.address, block};
  } else {
    used_.erase(event.address);
  }
}

void EarlierCalls::on(const trace::BlockNote& note) {
  if (note.kind == trace::BlockNote::Kind::used && live_.contains(note.address)) used_[note.address] = note;
}

trace::CallTotals EarlierCalls::take_totals(ProcessIndex process, Nanoseconds time) {
  totals_.process = process;
  totals_.time = time;
  const trace::CallTotals taken = totals_;
  totals_.peak_live_bytes = totals_.live_bytes;
  totals_.peak_live_ns = time;
  return taken;
}

void EarlierCalls::write_blocks(trace::RecordingWriter& writer, ProcessIndex process, StackId stack, bool inherited) const {
  trace::EarlierBlocks some{.process = process, .stack = stack, .inherited = inherited, .blocks = {}};
  const auto put = [&] {
    std::sort(some.blocks.begin(), some.blocks.end(),
              [](const trace::EarlierBlock& a, const trace::EarlierBlock& b) { return a.address < b.address; });
    writer.write(some);
    some.blocks.clear();
  };
  for (const auto& [address, block] : live_) {
    if (block.inherited != inherited) continue;
    some.blocks.push_back({address, block.requested, block.usable, block.time});
    if (some.blocks.size() == kBlocksARecord) put();
  }
  if (!some.blocks.empty()) put();
}

void EarlierCalls::write(trace::RecordingWriter& writer, ProcessIndex process, Nanoseconds time, bool reached, StackId stack) {
  writer.write(take_totals(process, time));
  writer.write(trace::CallsBegin{.process = process, .time = time, .reached = reached, .seen = seen_});
  write_blocks(writer, process, stack, false);
  write_blocks(writer, process, stack, true);
  for (const auto& [address, note] : used_) {
    trace::BlockNote again = note;
    again.time = time;
    writer.write(again);
  }
}

}  // namespace memswell::capture
