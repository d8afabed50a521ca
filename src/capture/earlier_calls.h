// What an image did before its calls are recorded one by one (--start-on): sums, and the blocks that live. Much smaller
// than a recording, and enough for a ledger that is exact from then on.
#pragma once

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "trace/events.h"
#include "trace/recording_writer.h"

namespace memswell::capture {

struct EarlierBlockState {
  Bytes requested = 0;
  Bytes usable = 0;
  Nanoseconds time = 0;
  bool inherited = false;
};

class EarlierCalls {
 public:
  EarlierCalls() = default;
  // Of a child forked now: the same blocks, of another process's calls; no calls of its own.
  EarlierCalls inherit() const;

  void on(const trace::Allocation& event);
  void on(const trace::Release& event);
  void on(const trace::BlockNote& note);

  // The sums until now; the peak begins anew.
  trace::CallTotals take_totals(ProcessIndex process, Nanoseconds time);

  // Everything that the recording must know before it goes on with single calls.
  void write(trace::RecordingWriter& writer, ProcessIndex process, Nanoseconds time, bool reached, StackId stack);

 private:
  using Block = EarlierBlockState;
  struct InRealloc {
    Address address;
    Block block;
  };
  struct AddressHash {
    std::size_t operator()(Address address) const noexcept {
      const std::uint64_t mixed = (address >> 4) * 0x9e37'79b9'7f4a'7c15;
      return mixed ^ mixed >> 32;
    }
  };

  void add(Address address, const Block& block, Nanoseconds time);
  bool take(Address address, Block& block);
  void note_seen(Address address, Bytes usable);
  void write_blocks(trace::RecordingWriter& writer, ProcessIndex process, StackId stack, bool inherited) const;

  tsl::robin_map<Address, Block, AddressHash> live_;
  tsl::robin_map<Address, trace::BlockNote, AddressHash> used_;  // of live blocks
  tsl::robin_map<std::uint32_t, InRealloc> reallocs_;            // by thread
  tsl::robin_set<std::uint64_t> seen_keys_;
  std::uint64_t last_seen_ = 0;
  std::vector<trace::EarlierBlock> seen_;
  trace::CallTotals totals_;
};

}  // namespace memswell::capture
