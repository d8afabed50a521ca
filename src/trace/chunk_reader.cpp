#include "trace/chunk_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "trace/chunk_checksum.h"

namespace memswell::trace {
namespace {

constexpr std::size_t kReadStep = 1 << 20;  // memory grows only as bytes arrive

Error unreadable(std::string sentence) { return {std::move(sentence), ExitCode::unreadable_recording}; }

// Into the spare part of `bytes`; a file that is being written may give less than it has.
ssize_t read_some(int fd, std::span<std::uint8_t> bytes) {
  ssize_t got = 0;
  do {
    got = ::read(fd, bytes.data(), bytes.size());
  } while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

struct ChunkReader::Decompressor {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  Decompressor() { MEMSWELL_CHECK(context != nullptr); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;
  ~Decompressor() { ZSTD_freeDCtx(context); }
};

ChunkReader::ChunkReader(UniqueFd file) : file_(std::move(file)), decompressor_(std::make_unique<Decompressor>()) {}
ChunkReader::ChunkReader(ChunkReader&&) noexcept = default;
ChunkReader& ChunkReader::operator=(ChunkReader&&) noexcept = default;
ChunkReader::~ChunkReader() = default;

// Brings up to `wanted` bytes into stored_; fewer at the end of the file.
std::size_t ChunkReader::fill(std::size_t wanted) {
  stored_.clear();
  while (stored_.size() < wanted) {
    const std::size_t had = stored_.size();
    stored_.resize(std::min(wanted, had + kReadStep));
    const ssize_t got = read_some(file_.get(), std::span(stored_).subspan(had));
    stored_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got <= 0) break;
  }
  return stored_.size();
}

Result<ChunkReader> ChunkReader::open(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return unreadable(fmt::format("cannot open the recording {}: {}", path, std::strerror(errno)));
  return read(std::move(file), path);
}

Result<ChunkReader> ChunkReader::read(UniqueFd file, const std::string& path, std::uint64_t end) {
  [[maybe_unused]] const off_t at = ::lseek(file.get(), 0, SEEK_SET);  // a pipe is read from where it is
  ChunkReader reader(std::move(file));
  reader.limit_ = end;
  disk::FileHeader header{};
  const std::size_t got = reader.fill(sizeof(header));
  if (got != 0) std::memcpy(&header, reader.stored_.data(), got);
  if (got < sizeof(header.magic) || header.magic != disk::kMagic) {
    return unreadable(fmt::format("{} is not a memswell recording", path));
  }
  if (got < sizeof(header)) {
    reader.stop("ends within its header");
    return reader;
  }
  if (header.version > disk::kVersion) {
    return unreadable(
        fmt::format("{} was made by a newer memswell (its format is {}, this one reads up to {}): use that one", path,
                    header.version, disk::kVersion));
  }
  if (header.checksum != checksum_of(header) || header.version == 0 || header.time_shift > disk::kMaxTimeShift) {
    return unreadable(fmt::format("the header of the recording {} is damaged", path));
  }
  reader.time_shift_ = header.time_shift;
  reader.resume_sequence_ = header.resume_sequence;
  reader.end_ = sizeof(header);
  return reader;
}

bool ChunkReader::stop(std::string damage) {
  damage_ = std::move(damage);
  file_.reset();
  return false;
}

bool ChunkReader::next() {
  if (!file_ || end_ >= limit_) return false;
  disk::ChunkHeader header{};
  const std::size_t got = fill(sizeof(header));
  if (got == 0) return false;
  if (got < sizeof(header)) return stop("ends within a chunk");
  std::memcpy(&header, stored_.data(), sizeof(header));
  if (header.magic != disk::kChunkMagic || header.type != disk::ChunkType::stream || header.flags > disk::kBeginsAnew ||
      header.raw_bytes > disk::kMaxChunkBytes || header.stored_bytes > disk::kMaxChunkBytes) {
    return stop("is damaged there: no chunk begins where one should");
  }
  begins_anew_ = header.flags == disk::kBeginsAnew;
  if (resume_sequence_ != 0 && begins_anew_ && header.sequence == resume_sequence_) {
    sequence_ = std::exchange(resume_sequence_, 0);
  }
  if (header.sequence != sequence_) return stop("is damaged there: no chunk begins where one should");
  if (fill(header.stored_bytes) < header.stored_bytes) return stop("ends within a chunk");
  if (checksum_of(header, stored_) != header.checksum) return stop("is damaged there: a checksum does not match");
  if (!decompress(header)) return stop("is damaged there: a chunk does not decompress");
  end_ += sizeof(header) + header.stored_bytes;
  ++sequence_;
  return true;
}

Chunk ChunkReader::take(std::vector<std::uint8_t> memory) {
  return {std::exchange(raw_, std::move(memory)), std::exchange(columns_, {}), end_, begins_anew_};
}

bool ChunkReader::decompress(const disk::ChunkHeader& header) {
  disk::ColumnHeader heads[disk::kColumns];
  if (stored_.size() < sizeof(heads)) return false;
  std::memcpy(heads, stored_.data(), sizeof(heads));
  std::uint64_t raw_bytes = 0;
  for (const disk::ColumnHeader& head : heads) raw_bytes += head.raw_bytes;
  if (raw_bytes != header.raw_bytes) return false;
  raw_.resize(raw_bytes);
  std::span<const std::uint8_t> stored = std::span(stored_).subspan(sizeof(heads));
  std::span<std::uint8_t> raw(raw_);
  for (std::size_t i = 0; i < disk::kColumns; ++i) {
    const auto [raw_size, stored_size] = heads[i];
    if (stored_size > stored.size()) return false;
    columns_[i] = raw.first(raw_size);
    if (stored_size == raw_size) {
      std::copy_n(stored.begin(), stored_size, raw.begin());
    } else if (ZSTD_decompressDCtx(decompressor_->context, raw.data(), raw_size, stored.data(), stored_size) !=
               raw_size) {
      return false;
    }
    stored = stored.subspan(stored_size);
    raw = raw.subspan(raw_size);
  }
  return stored.empty();
}

}  // namespace memswell::trace
