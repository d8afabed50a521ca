// All that writer and reader know alike of the stream so far. Every operation is coded as a difference to what the
// model expects, then told to the model by the same function on both sides.
#pragma once

#include <array>
#include <optional>

#include "trace/free_lists.h"
#include "trace/guess_tables.h"
#include "trace/recent_blocks.h"
#include "trace/thread_contexts.h"
#include "trace/zeroed_table.h"

namespace memswell::trace {

// Of a thread; threads whose numbers are equal modulo kThreadStates share one, which only costs bytes.
struct ThreadState {
  FreeLists freed;
  StackGuesses::History stacks;
  BlockSize size;    // of the last allocation
  Address next = 0;  // behind the last allocation
  std::array<Address, disk::kSizeClasses> next_in_class{};
  Address released = 0;  // by the last release
};

struct StreamModel {
  ThreadContexts contexts;
  RecentBlocks blocks;
  StackGuesses stacks;
  SizeGuesses sizes;
  FrameTable frames;
  Nanoseconds time = 0;           // of the last event
  Address column_address = 0;     // of the last release whose address went in the column
  Address record_address = 0;     // of the last address in a record
  std::uint32_t stack_nodes = 0;  // ids 1 … stack_nodes exist
  std::uint64_t node_offset = 0;  // of the last frame whose offset went in the column
  ZeroedTable<ThreadState> threads = ZeroedTable<ThreadState>(disk::kThreadStates);

  // As at the beginning of a recording in which the stack nodes are known.
  StreamModel begun_anew() const {
    StreamModel model;
    model.stack_nodes = stack_nodes;
    return model;
  }

  ThreadState& thread() { return threads[contexts.current().thread.value % disk::kThreadStates]; }

  RecentBlocks::Slot allocated(ThreadState& thread, const Allocation& event, std::uint8_t size_class) {
    constexpr Bytes kChunkWord = 8;  // glibc keeps one word between neighbours
    const BlockSize size{event.requested, event.usable};
    stacks.learn(thread.stacks, event.stack);
    sizes.learn(event.stack, size);
    thread.size = size;
    thread.next = event.address + event.usable + kChunkWord;
    thread.next_in_class[size_class] = event.address + event.usable;
    return blocks.insert(event.address, size_class);
  }

  void released(ThreadState& thread, Address address, std::optional<RecentBlocks::Slot> slot) {
    if (slot) {
      thread.freed.push(blocks[*slot].size_class, address);
      blocks.release(*slot);
    }
    thread.released = address;
  }
};

}  // namespace memswell::trace
