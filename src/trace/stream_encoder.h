// Codes events as the columns of one chunk; the model behind it lasts for the whole recording. No allocation and no
// system call an event (records apart). The owner takes the columns when full() and clears them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/events.h"
#include "trace/recent_block_index.h"
#include "trace/record_codec.h"
#include "trace/stream_model.h"
#include "trace/varint.h"

namespace memswell::trace {

class StreamEncoder {
 public:
  void put(const Allocation& event);
  void put(const Release& event);
  void put(const StackNode& node);

  // Any other record goes in pieces, so that it can span chunks: begin, then put_piece() until it returns false.
  // False: larger than a record may be; nothing was begun.
  template <class Record>
  bool begin(const Record& record) {
    scratch_.assign(1, static_cast<std::uint8_t>(record_number<Record>()));
    RecordEncoder encoder(scratch_, {model_.time, model_.record_address});
    fields(encoder, record);
    return accept(encoder);
  }
  bool put_piece();

  bool empty() const { return ops_ == 0; }
  std::uint32_t operations() const { return ops_; }
  // No room for another operation: a put must not follow before clear().
  bool full() const { return ops_ == disk::kOpsPerChunk || records_.size() >= disk::kRecordsPerChunkBytes; }
  std::span<const std::uint8_t> column(disk::Column column) const;
  void clear();
  // Forgets what it has learned of the stream, but not how many stack nodes there are. The columns are empty.
  void begin_anew();

 private:
  ColumnWriter& at(disk::Column column) { return columns_[static_cast<std::size_t>(column)]; }
  void put_op(disk::Op op, std::uint8_t context_code);
  std::uint8_t put_context(Context context) { return context == model_.contexts.current() ? 0 : put_other_context(context); }
  std::uint8_t put_other_context(Context context);
  void put_time(Nanoseconds time);
  disk::StackCode put_stack(const ThreadState& thread, StackId stack);
  disk::SizeCode put_size(const ThreadState& thread, StackId stack, BlockSize size);
  std::uint8_t put_address(ThreadState& thread, const Allocation& event, std::uint8_t size_class);
  std::uint8_t put_block(const ThreadState& thread, Address address, const RecentBlocks::Slot* slot);
  bool accept(const RecordEncoder& encoder);

  StreamModel model_;
  RecentBlockIndex index_;
  std::uint32_t ops_ = 0;
  std::array<ColumnWriter, disk::kColumns - 1> columns_;  // all but the records
  std::vector<std::uint8_t> records_;
  std::vector<std::uint8_t> scratch_;  // the record being put
  std::size_t scratch_put_ = 0;
};

}  // namespace memswell::trace
