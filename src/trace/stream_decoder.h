// Gives the events of a chunk to a visitor, in order: StreamEncoder's other half. The columns may come from anybody:
// every code, index and length is checked, and the first that cannot be ends the decoding.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trace/id_census.h"
#include "trace/recording_format.h"
#include "trace/stream_model.h"
#include "trace/varint.h"
#include "trace/visitor.h"

namespace memswell::trace {

class StreamDecoder {
 public:
  StreamDecoder(Visitor& visitor, std::uint32_t time_shift) : visitor_(visitor), time_shift_(time_shift) {}

  // False: the chunk makes no sense from some operation on; what came before was given to the visitor.
  bool decode(const std::array<std::span<const std::uint8_t>, disk::kColumns>& columns);

  // As StreamEncoder::begin_anew(). False: not here.
  bool begin_anew();

  std::uint64_t events() const { return events_; }  // allocations and releases, those that are folded too
  const std::optional<RunEnd>& end() const { return end_; }  // the last entry, if it was seen

 private:
  ColumnReader& at(disk::Column column) { return columns_[static_cast<std::size_t>(column)]; }
  bool decode_op(std::uint8_t byte);
  bool decode_allocation(disk::Op op, std::uint8_t context_code);
  bool decode_release(disk::Op op, std::uint8_t context_code);
  bool decode_stack_node();
  bool decode_record(bool last);
  template <class Record>
  bool decode_as(std::span<const std::uint8_t> bytes);
  template <std::size_t... kNumbers>
  bool decode_any(std::span<const std::uint8_t> bytes, std::index_sequence<kNumbers...>);
  template <class Event>
  bool deliver(const Event& event);

  void get_context(std::uint8_t code);
  Nanoseconds get_time();
  StackId get_stack(const ThreadState& thread, disk::StackCode code);
  BlockSize get_size(const ThreadState& thread, StackId stack, disk::SizeCode code);
  Address get_address(ThreadState& thread, std::uint8_t code, std::uint8_t size_class, Address replaced);
  std::optional<RecentBlocks::Slot> get_slot(std::uint8_t code);

  Visitor& visitor_;
  std::uint32_t time_shift_;
  StreamModel model_;
  IdCensus ids_;
  std::optional<RunEnd> end_;
  std::array<ColumnReader, disk::kColumns> columns_;
  std::vector<std::uint8_t> pieces_;  // of a record that goes on
  std::uint64_t events_ = 0;
  bool in_fold_ = false;
  bool failed_ = false;  // a column ran out or held nonsense
};

}  // namespace memswell::trace
