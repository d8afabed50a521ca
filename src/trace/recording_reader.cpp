#include "trace/recording_reader.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "trace/chunk_reader.h"
#include "trace/read_ahead.h"
#include "trace/stream_decoder.h"

namespace memswell::trace {
namespace {

constexpr std::string_view kTooMuch = "asks for more memory than a recording of that size can mean";
constexpr std::string_view kNonsense = "is damaged there: a chunk holds what cannot be";

std::string end_sentence(const ReadSummary& summary, const std::optional<RunEnd>& end, std::string_view damage) {
  if (!damage.empty()) {
    return fmt::format("After {} bytes the recording {}; everything before is here.", summary.bytes_read, damage);
  }
  if (!end) {
    return fmt::format(
        "The recording ends after {} bytes without its last entry: memswell was stopped, or is still recording.",
        summary.bytes_read);
  }
  if (end->complete) return {};
  return end->reason.empty() ? "The recording ended early." : end->reason;
}

}  // namespace

Result<UniqueFd> open_recording(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file) return file;
  return Error{fmt::format("cannot open the recording {}: {}", path, std::strerror(errno)), ExitCode::unreadable_recording};
}

Result<ReadSummary> read_recording(const std::string& path, Visitor& visitor) {
  const Result<UniqueFd> file = open_recording(path);
  if (!file) return file.error();
  return read_recording(*file, path, visitor);
}

Result<ReadSummary> read_recording(const UniqueFd& file, const std::string& path, Visitor& visitor, std::uint64_t end) {
  Result<ChunkReader> opened = ChunkReader::read(UniqueFd(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0)), path, end);
  if (!opened) return opened.error();
  StreamDecoder decoder(visitor, opened->time_shift());
  ReadAhead chunks(*std::move(opened));
  ReadSummary summary;
  summary.bytes_read = chunks.bytes_read();
  std::string_view damage;
  while (damage.empty() && chunks.next()) {
    if ((chunks.begins_anew() && !decoder.begin_anew()) || !decoder.decode(chunks.columns())) {
      damage = kNonsense;
      break;
    }
    summary.bytes_read = chunks.bytes_read();
    if (visitor.held_bytes() > kHeldAtLeast + kHeldPerByte * summary.bytes_read) damage = kTooMuch;
  }
  summary.events = decoder.events();
  summary.end_sentence = end_sentence(summary, decoder.end(), damage.empty() ? std::string_view(chunks.damage()) : damage);
  summary.complete = summary.end_sentence.empty();
  return summary;
}

}  // namespace memswell::trace
