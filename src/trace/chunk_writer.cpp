#include "trace/chunk_writer.h"

#include <poll.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "trace/chunk_checksum.h"

namespace memswell::trace {
namespace {

constexpr int kLevel = 3;
constexpr std::size_t kWorthCompressing = 64;  // below, a frame's header eats what it saves
constexpr std::size_t kHeadBytes = sizeof(disk::ChunkHeader) + disk::kColumns * sizeof(disk::ColumnHeader);

// A pipe or socket may be non-blocking: wait for room.
bool wait_for_room(int fd) {
  pollfd wanted{fd, POLLOUT, 0};
  return ::poll(&wanted, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

struct ChunkWriter::Compressor {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  Compressor() { MEMSWELL_CHECK(context != nullptr); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { ZSTD_freeCCtx(context); }
};

ChunkWriter::ChunkWriter(UniqueFd file, std::uint64_t resume_sequence)
    : file_(std::move(file)), compressor_(std::make_unique<Compressor>()) {
  disk::FileHeader header{disk::kMagic, disk::kVersion, disk::kTimeShift, resume_sequence, 0};
  header.checksum = checksum_of(header);
  buffer_.resize(sizeof(header));
  std::memcpy(buffer_.data(), &header, sizeof(header));
  write_whole(buffer_);
}

ChunkWriter::~ChunkWriter() = default;

disk::ColumnHeader ChunkWriter::append(RawColumn column) {
  const std::size_t at = buffer_.size();
  const auto raw = static_cast<std::uint32_t>(column.size());
  if (raw >= kWorthCompressing) {
    buffer_.resize(at + ZSTD_compressBound(raw));
    const std::size_t size =
        ZSTD_compressCCtx(compressor_->context, buffer_.data() + at, buffer_.size() - at, column.data(), raw, kLevel);
    if (!ZSTD_isError(size) && size < raw) {
      buffer_.resize(at + size);
      return {raw, static_cast<std::uint32_t>(size)};
    }
    buffer_.resize(at);
  }
  buffer_.insert(buffer_.end(), column.begin(), column.end());
  return {raw, raw};
}

void ChunkWriter::write(std::span<const RawColumn, disk::kColumns> columns, Model model) {
  if (failure_) return;
  buffer_.resize(kHeadBytes);
  disk::ColumnHeader heads[disk::kColumns];
  disk::ChunkHeader header{disk::kChunkMagic, disk::ChunkType::stream,
                           model == Model::begins_anew ? disk::kBeginsAnew : std::uint16_t{0}, 0, 0, sequence_++, 0};
  for (std::size_t i = 0; i < disk::kColumns; ++i) {
    heads[i] = append(columns[i]);
    header.raw_bytes += heads[i].raw_bytes;
  }
  MEMSWELL_CHECK(header.raw_bytes <= disk::kMaxChunkBytes);
  header.stored_bytes = static_cast<std::uint32_t>(buffer_.size() - sizeof(header));
  std::memcpy(buffer_.data() + sizeof(header), heads, sizeof(heads));
  header.checksum = checksum_of(header, std::span(buffer_).subspan(sizeof(header)));
  std::memcpy(buffer_.data(), &header, sizeof(header));
  write_whole(buffer_);
}

void ChunkWriter::write_whole(std::span<const std::uint8_t> bytes) {
  const std::uint64_t size = bytes.size();
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (written == 0 || errno == ENOSPC || errno == EDQUOT) {
      if (!make_room_ || !make_room_()) return fail(written == 0 ? ENOSPC : errno);
    } else if (errno == EAGAIN ? !wait_for_room(file_.get()) : errno != EINTR) {
      return fail(errno);
    }
  }
  end_ += size;
}

UniqueFd ChunkWriter::replace_file(UniqueFd file, std::uint64_t bytes) {
  std::swap(file_, file);
  end_ = bytes;
  return file;
}

void ChunkWriter::fail(int error) {
  // Without the torn chunk. A pipe or device cannot be cut; the reader then stops at the torn chunk by itself.
  [[maybe_unused]] const int cut = ::ftruncate(file_.get(), static_cast<off_t>(end_));
  failure_ = Error{std::string("the recording could not be written any further: ") + std::strerror(error) +
                   (error == ENOSPC || error == EDQUOT ? "; make room, or choose another place with -o" : "") +
                   "; what it holds so far stays readable"};
}

}  // namespace memswell::trace
