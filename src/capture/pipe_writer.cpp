#include "capture/pipe_writer.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace memswell::capture {
namespace {

bool holds_pipe(const smaps::ProcessFiles& files, const std::string& pipe) {
  for (const char* stream : {"fd/1", "fd/2"}) {
    const auto target = files.read_link(stream);
    if (target && *target && **target == pipe) return true;
  }
  return false;
}

// By write(2) and its like, into whatever (proc_pid_io(5), wchar). 0: may not be read.
std::uint64_t bytes_written(const smaps::ProcessFiles& files) {
  smaps::ReadBuffer buffer;
  const auto text = files.read("io", buffer);
  if (!text || !*text) return 0;
  constexpr std::string_view kField = "wchar: ";
  const std::size_t at = (*text)->find(kField);
  std::uint64_t bytes = 0;
  if (at != std::string_view::npos) {
    const char* begin = (*text)->data() + at + kField.size();
    std::from_chars(begin, (*text)->data() + (*text)->size(), bytes);
  }
  return bytes;
}

}  // namespace

Image* writer_of_pipe(const ImageTable& images, std::uint64_t inode) {
  const std::string pipe = "pipe:[" + std::to_string(inode) + "]";
  Image* writer = nullptr;
  std::uint64_t most = 0;
  for (const auto& image : images.running()) {
    if (image->sampler == nullptr || !holds_pipe(image->sampler->files(), pipe)) continue;
    const std::uint64_t written = bytes_written(image->sampler->files());
    const std::uint64_t since_last = written - std::min(written, std::exchange(image->bytes_written, written));
    if (writer != nullptr && since_last < most) continue;
    writer = image.get();
    most = since_last;
  }
  return writer;
}

}  // namespace memswell::capture
