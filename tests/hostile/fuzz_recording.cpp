// A file through the reader: as it is, and with its checksums made right, so that headers and compressed columns are met.
#include "tests/hostile/forge.h"
#include "tests/hostile/memory_file.h"
#include "tests/hostile/sound_visitor.h"
#include "tests/hostile/target.h"
#include "trace/recording_reader.h"

using namespace memswell;
using namespace memswell::hostile;

namespace {

void expect_read_or_explained(std::string_view bytes) {
  const MemoryFile file(bytes);
  SoundVisitor visitor;
  const auto read = trace::read_recording(file.path(), visitor);
  if (!read) return expect(!read.error().sentence.empty(), "an error is a sentence");
  expect(read->complete == read->end_sentence.empty(), "an end that is not the recording's own is explained");
  expect(read->bytes_read <= bytes.size(), "no more is read than there is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = text_of(data, size);
  expect_read_or_explained(bytes);
  if (const std::string mended = repaired(std::string(bytes)); mended != bytes) expect_read_or_explained(mended);
  return 0;
}
