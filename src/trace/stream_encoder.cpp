#include "trace/stream_encoder.h"

#include "base/check.h"

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

Op op_of(const Allocation& event, Address released) {
  if (event.kind == AllocationKind::realloc && event.replaced != released) return Op::realloc_elsewhere;
  return static_cast<Op>(byte(Op::malloc) + byte(event.kind));
}

}  // namespace

std::span<const std::uint8_t> StreamEncoder::column(Column column) const {
  if (column == Column::records) return records_;
  return columns_[static_cast<std::size_t>(column)].bytes();
}

void StreamEncoder::clear() {
  for (ColumnWriter& column : columns_) column.clear();
  records_.clear();
  ops_ = 0;
}

void StreamEncoder::begin_anew() {
  model_ = model_.begun_anew();
  index_ = RecentBlockIndex();
}

std::uint8_t StreamEncoder::put_other_context(Context context) {
  const std::uint8_t code = model_.contexts.code_of(context);
  if (code != disk::kContextInColumn) {
    model_.contexts.select(code);
    return code;
  }
  const bool other_process = context.process != model_.contexts.likely_process(context.thread);
  at(Column::contexts).put(std::uint64_t{context.thread.value} << 1 | (other_process ? 1u : 0u));
  if (other_process) at(Column::contexts).put(context.process.value);
  model_.contexts.add(context);
  return code;
}

void StreamEncoder::put_time(Nanoseconds time) {
  const auto units = static_cast<std::uint64_t>(static_cast<std::int64_t>(time - model_.time) >> disk::kTimeShift);
  model_.time += units << disk::kTimeShift;
  at(Column::times).put_signed(units);
}

void StreamEncoder::put_op(Op op, std::uint8_t context_code) {
  at(Column::ops).put_byte(static_cast<std::uint8_t>(byte(op) | context_code << disk::kContextShift));
  ++ops_;
}

StackCode StreamEncoder::put_stack(const ThreadState& thread, StackId stack) {
  if (stack == model_.stacks.after_two(thread.stacks)) return StackCode::after_two;
  if (stack == model_.stacks.after_one(thread.stacks)) return StackCode::after_one;
  if (stack.value == model_.stack_nodes) return StackCode::newest;
  at(Column::stacks).put(stack.value);
  return StackCode::in_column;
}

SizeCode StreamEncoder::put_size(const ThreadState& thread, StackId stack, BlockSize size) {
  if (size == model_.sizes.by_stack(stack)) return SizeCode::as_stack;
  if (size == thread.size) return SizeCode::as_before;
  const Bytes slack = size.usable - size.requested;
  at(Column::sizes).put(size.requested);
  if (slack == model_.sizes.slack(size.requested)) return SizeCode::slack_learned;
  at(Column::slacks).put_signed(slack);
  return SizeCode::in_column;
}

std::uint8_t StreamEncoder::put_address(ThreadState& thread, const Allocation& event, std::uint8_t size_class) {
  if (event.kind == AllocationKind::realloc && event.address == event.replaced) return byte(AddressCode::in_place);
  if (const auto depth = thread.freed.find(size_class, event.address)) {
    thread.freed.take(size_class, *depth);
    return *depth;
  }
  if (event.address == thread.next) return byte(AddressCode::next);
  if (event.address == thread.next_in_class[size_class]) return byte(AddressCode::next_in_class);
  at(Column::addresses).put_address(event.address - thread.next);
  return byte(AddressCode::in_column);
}

void StreamEncoder::put(const Allocation& event) {
  MEMSWELL_CHECK(event.stack.value <= model_.stack_nodes);
  const std::uint8_t context_code = put_context({event.process, event.thread});
  ThreadState& thread = model_.thread();
  const Op op = op_of(event, thread.released);
  put_op(op, context_code);
  put_time(event.time);
  const std::uint8_t size_class = size_class_of(event.usable);
  const std::uint8_t stack = byte(put_stack(thread, event.stack));
  const std::uint8_t size = byte(put_size(thread, event.stack, {event.requested, event.usable}));
  if (op == Op::realloc_elsewhere) at(Column::replaced).put_address(event.replaced - thread.released);
  const std::uint8_t address = put_address(thread, event, size_class);
  at(Column::details)
      .put_byte(static_cast<std::uint8_t>(stack | size << disk::kSizeShift | address << disk::kAddressShift));
  const RecentBlocks::Slot slot = model_.allocated(thread, event, size_class);
  index_.insert(event.process, event.address, slot);
}

// `slot` is null for a block that is not among the recent ones.
std::uint8_t StreamEncoder::put_block(const ThreadState& thread, Address address, const RecentBlocks::Slot* slot) {
  if (slot == nullptr) {
    if (address == thread.released) return byte(BlockCode::same);
    at(Column::addresses).put_address(address - model_.column_address);
    model_.column_address = address;
    return byte(BlockCode::in_column);
  }
  const RecentBlocks& blocks = model_.blocks;
  if (const auto rank = blocks.rank(*slot)) return *rank;
  if (*slot == blocks.newer_neighbour()) return byte(BlockCode::newer_neighbour);
  if (*slot == blocks.older_neighbour()) return byte(BlockCode::older_neighbour);
  const std::uint64_t age = blocks.age(*slot);
  const std::uint64_t distance = blocks.distance_to_released(*slot);
  const bool nearer = zigzag(distance) < age;
  at(Column::blocks).put(nearer ? zigzag(distance) : age);
  return byte(nearer ? BlockCode::near : BlockCode::age);
}

void StreamEncoder::put(const Release& event) {
  const std::uint8_t context_code = put_context({event.process, event.thread});
  ThreadState& thread = model_.thread();
  put_op(static_cast<Op>(byte(Op::free) + byte(event.kind)), context_code);
  put_time(event.time);
  const auto slot = index_.take(event.process, event.address, model_.blocks);
  at(Column::details).put_byte(put_block(thread, event.address, slot ? &*slot : nullptr));
  model_.released(thread, event.address, slot);
}

void StreamEncoder::put(const StackNode& node) {
  MEMSWELL_CHECK(node.id.value == model_.stack_nodes + 1 && node.parent.value < node.id.value);
  put_op(Op::stack_node, 0);
  at(Column::node_parents).put(model_.stack_nodes - node.parent.value);
  ++model_.stack_nodes;
  const std::uint32_t place = FrameTable::place(node.frame);
  if (model_.frames[place] == node.frame) {
    at(Column::node_frames).put(place + 1);
    return;
  }
  at(Column::node_frames).put(0);
  at(Column::node_modules).put(std::uint64_t{node.frame.module.value} << 3 | byte(node.frame.kind));
  at(Column::node_offsets).put_signed(node.frame.offset - model_.node_offset);
  model_.node_offset = node.frame.offset;
  model_.frames.learn(node.frame);
}

bool StreamEncoder::accept(const RecordEncoder& encoder) {
  if (scratch_.size() > disk::kMaxRecordBytes || encoder.list_memory() > disk::kMaxListMemory) return false;
  model_.time = encoder.base().time;
  model_.record_address = encoder.base().address;
  scratch_put_ = 0;
  return true;
}

bool StreamEncoder::put_piece() {
  const std::size_t size = std::min<std::size_t>(scratch_.size() - scratch_put_, disk::kPieceBytes);
  const bool last = scratch_put_ + size == scratch_.size();
  put_op(last ? Op::record : Op::record_piece, 0);
  for (std::size_t length = size;; length >>= 7) {
    records_.push_back(static_cast<std::uint8_t>(length < 0x80 ? length : length | 0x80));
    if (length < 0x80) break;
  }
  const auto begin = scratch_.begin() + static_cast<std::ptrdiff_t>(scratch_put_);
  records_.insert(records_.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
  scratch_put_ += size;
  if (last && scratch_.capacity() > disk::kPieceBytes) std::vector<std::uint8_t>().swap(scratch_);
  return !last;
}

}  // namespace memswell::trace
