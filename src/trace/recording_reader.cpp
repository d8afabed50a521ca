#include "trace/recording_reader.h"

#include <fmt/format.h>

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

Result<ReadSummary> read_recording(const std::string& path, Visitor& visitor) {
  Result<ChunkReader> opened = ChunkReader::open(path);
  if (!opened) return opened.error();
  StreamDecoder decoder(visitor, opened->time_shift());
  ReadAhead chunks(*std::move(opened));
  ReadSummary summary;
  summary.bytes_read = chunks.bytes_read();
  std::string_view damage;
  while (damage.empty() && chunks.next()) {
    if (!decoder.decode(chunks.columns())) {
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
