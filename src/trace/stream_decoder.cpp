#include "trace/stream_decoder.h"

#include <algorithm>
#include <utility>

#include "trace/record_codec.h"

namespace memswell::trace {
namespace {

using disk::AddressCode;
using disk::BlockCode;
using disk::Column;
using disk::Op;
using disk::SizeCode;
using disk::StackCode;

template <class Code>
constexpr std::uint8_t byte(Code code) {
  return static_cast<std::uint8_t>(code);
}

}  // namespace

template <class Event>
bool StreamDecoder::deliver(const Event& event) {
  if (failed_ || !ids_.admits(event)) return false;
  visitor_.on(event);
  return true;
}

bool StreamDecoder::begin_anew() {
  if (in_fold_ || !pieces_.empty()) return false;  // a part of it is missing
  model_ = model_.begun_anew();
  return true;
}

bool StreamDecoder::decode(const std::array<std::span<const std::uint8_t>, disk::kColumns>& columns) {
  for (std::size_t i = 0; i < disk::kColumns; ++i) columns_[i] = ColumnReader(columns[i], failed_);
  const std::span<const std::uint8_t> ops = columns[static_cast<std::size_t>(Column::ops)];
  at(Column::ops) = ColumnReader({}, failed_);
  if (ops.size() > disk::kOpsPerChunk) return false;
  for (const std::uint8_t op : ops) {
    if (!decode_op(op)) return false;
  }
  return std::all_of(columns_.begin(), columns_.end(), [](const ColumnReader& column) { return column.left() == 0; });
}

bool StreamDecoder::decode_op(std::uint8_t op_byte) {
  const auto op = static_cast<Op>(op_byte & disk::kOpMask);
  const auto context_code = static_cast<std::uint8_t>(op_byte >> disk::kContextShift);
  switch (op) {
    case Op::record: return context_code == 0 && decode_record(true);
    case Op::record_piece: return context_code == 0 && decode_record(false);
    case Op::stack_node: return context_code == 0 && decode_stack_node();
    case Op::malloc:
    case Op::calloc:
    case Op::aligned:
    case Op::realloc:
    case Op::operator_new:
    case Op::realloc_elsewhere: return decode_allocation(op, context_code);
    case Op::free:
    case Op::realloc_begin:
    case Op::realloc_failed: return decode_release(op, context_code);
  }
  return false;
}

void StreamDecoder::get_context(std::uint8_t code) {
  if (code == 0) return;
  if (code != disk::kContextInColumn) {
    model_.contexts.select(code);
    return;
  }
  ColumnReader& column = at(Column::contexts);
  const std::uint64_t value = column.get();
  if (value >> 33 != 0) column.fail();
  const ThreadIndex thread{static_cast<std::uint32_t>(value >> 1)};
  const std::uint64_t process = (value & 1) != 0 ? column.get() : model_.contexts.likely_process(thread).value;
  if (process >> 32 != 0) column.fail();
  model_.contexts.add({ProcessIndex{static_cast<std::uint32_t>(process)}, thread});
}

Nanoseconds StreamDecoder::get_time() { return model_.time += at(Column::times).get_signed() << time_shift_; }

StackId StreamDecoder::get_stack(const ThreadState& thread, StackCode code) {
  switch (code) {
    case StackCode::after_two: return model_.stacks.after_two(thread.stacks);
    case StackCode::after_one: return model_.stacks.after_one(thread.stacks);
    case StackCode::newest: return {model_.stack_nodes};
    case StackCode::in_column: break;
  }
  const std::uint64_t stack = at(Column::stacks).get();
  if (stack > model_.stack_nodes) at(Column::stacks).fail();
  return {static_cast<std::uint32_t>(stack)};
}

BlockSize StreamDecoder::get_size(const ThreadState& thread, StackId stack, SizeCode code) {
  if (code == SizeCode::as_stack) return model_.sizes.by_stack(stack);
  if (code == SizeCode::as_before) return thread.size;
  const Bytes requested = at(Column::sizes).get();
  const Bytes slack = code == SizeCode::slack_learned ? model_.sizes.slack(requested) : at(Column::slacks).get_signed();
  return {requested, requested + slack};
}

Address StreamDecoder::get_address(ThreadState& thread, std::uint8_t code, std::uint8_t size_class, Address replaced) {
  if (code < disk::kFreedDepth) return thread.freed.take(size_class, code);
  switch (static_cast<AddressCode>(code)) {
    case AddressCode::next: return thread.next;
    case AddressCode::next_in_class: return thread.next_in_class[size_class];
    case AddressCode::in_place: return replaced;
    case AddressCode::freed:
    case AddressCode::in_column: break;
  }
  return thread.next + at(Column::addresses).get_address();
}

bool StreamDecoder::decode_allocation(Op op, std::uint8_t context_code) {
  get_context(context_code);
  ThreadState& thread = model_.thread();
  Allocation event;
  event.process = model_.contexts.current().process;
  event.thread = model_.contexts.current().thread;
  event.time = get_time();
  const std::uint8_t details = at(Column::details).get_byte();
  event.stack = get_stack(thread, static_cast<StackCode>(details & 3));
  const BlockSize size = get_size(thread, event.stack, static_cast<SizeCode>(details >> disk::kSizeShift & 3));
  event.requested = size.requested;
  event.usable = size.usable;
  if (op == Op::realloc) event.replaced = thread.released;
  if (op == Op::realloc_elsewhere) event.replaced = thread.released + at(Column::replaced).get_address();
  event.kind =
      op == Op::realloc_elsewhere ? AllocationKind::realloc : static_cast<AllocationKind>(byte(op) - byte(Op::malloc));
  const std::uint8_t size_class = size_class_of(event.usable);
  event.address = get_address(thread, details >> disk::kAddressShift, size_class, event.replaced);
  if (!deliver(event)) return false;
  model_.allocated(thread, event, size_class);
  events_ += in_fold_ ? 0u : 1u;
  return true;
}

std::optional<RecentBlocks::Slot> StreamDecoder::get_slot(std::uint8_t code) {
  const RecentBlocks& blocks = model_.blocks;
  if (code < disk::kNewestRanks) return blocks.at_rank(code);
  switch (static_cast<BlockCode>(code)) {
    case BlockCode::newer_neighbour: return blocks.newer_neighbour();
    case BlockCode::older_neighbour: return blocks.older_neighbour();
    case BlockCode::age: return blocks.at_age(at(Column::blocks).get());
    case BlockCode::near: return blocks.at_distance(at(Column::blocks).get_signed());
    case BlockCode::newest:
    case BlockCode::in_column:
    case BlockCode::same: break;
  }
  return std::nullopt;
}

bool StreamDecoder::decode_release(Op op, std::uint8_t context_code) {
  get_context(context_code);
  ThreadState& thread = model_.thread();
  Release event;
  event.process = model_.contexts.current().process;
  event.thread = model_.contexts.current().thread;
  event.time = get_time();
  event.kind = static_cast<Release::Kind>(byte(op) - byte(Op::free));
  const std::uint8_t code = at(Column::details).get_byte();
  std::optional<RecentBlocks::Slot> slot;
  if (code == byte(BlockCode::same)) {
    event.address = thread.released;
  } else if (code == byte(BlockCode::in_column)) {
    event.address = model_.column_address += at(Column::addresses).get_address();
  } else {
    slot = get_slot(code);
    if (!slot) return false;
    event.address = model_.blocks[*slot].address;
  }
  if (!deliver(event)) return false;
  model_.released(thread, event.address, slot);
  events_ += in_fold_ ? 0u : 1u;
  return true;
}

bool StreamDecoder::decode_stack_node() {
  StackNode node;
  const std::uint64_t back = at(Column::node_parents).get();
  const std::uint64_t place = at(Column::node_frames).get();
  if (back > model_.stack_nodes || place > disk::kFrameTable || model_.stack_nodes == UINT32_MAX) return false;
  node.parent = {static_cast<std::uint32_t>(model_.stack_nodes - back)};
  node.id = {++model_.stack_nodes};
  if (place != 0) {
    node.frame = model_.frames[static_cast<std::uint32_t>(place - 1)];
  } else {
    const std::uint64_t module = at(Column::node_modules).get();
    if (module >> 35 != 0 || (module & 7) > byte(kLastOf<FrameKind>)) return false;
    node.frame.module = {static_cast<std::uint32_t>(module >> 3)};
    node.frame.kind = static_cast<FrameKind>(module & 7);
    node.frame.offset = model_.node_offset += at(Column::node_offsets).get_signed();
    model_.frames.learn(node.frame);
  }
  return deliver(node);
}

template <class Record>
bool StreamDecoder::decode_as(std::span<const std::uint8_t> bytes) {
  Record record;
  RecordDecoder decoder(bytes, {model_.time, model_.record_address});
  fields(decoder, record);
  if (!decoder.used_up()) return false;
  model_.time = decoder.base().time;
  model_.record_address = decoder.base().address;
  if constexpr (std::is_same_v<Record, RunEnd>) end_ = record;
  if constexpr (std::is_same_v<Record, FoldBegin>) in_fold_ = true;
  if constexpr (std::is_same_v<Record, FoldEnd>) {
    in_fold_ = false;
    events_ = record.events;
  }
  return deliver(record);
}

// By the record's number, its first byte.
template <std::size_t... kNumbers>
bool StreamDecoder::decode_any(std::span<const std::uint8_t> bytes, std::index_sequence<kNumbers...>) {
  using Decode = bool (StreamDecoder::*)(std::span<const std::uint8_t>);
  static constexpr Decode kDecoders[] = {&StreamDecoder::decode_as<std::tuple_element_t<kNumbers, RecordKinds>>...};
  return !bytes.empty() && bytes[0] < kRecordKinds && (this->*kDecoders[bytes[0]])(bytes.subspan(1));
}

bool StreamDecoder::decode_record(bool last) {
  ColumnReader& records = at(Column::records);
  std::span<const std::uint8_t> bytes = records.get_bytes(records.get());
  if (failed_ || bytes.size() + pieces_.size() > disk::kMaxRecordBytes) return false;
  const bool in_pieces = !last || !pieces_.empty();
  if (in_pieces) {
    pieces_.insert(pieces_.end(), bytes.begin(), bytes.end());
    bytes = pieces_;
  }
  if (!last) return true;
  const bool good = decode_any(bytes, std::make_index_sequence<kRecordKinds>());
  if (in_pieces) std::vector<std::uint8_t>().swap(pieces_);
  return good;
}

}  // namespace memswell::trace
