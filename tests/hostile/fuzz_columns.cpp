// Decompressed columns (forge.h, flat) through the decoder alone: no file, no thread, nothing compressed.
#include <algorithm>

#include "tests/hostile/forge.h"
#include "tests/hostile/sound_visitor.h"
#include "tests/hostile/target.h"
#include "trace/stream_decoder.h"

using namespace memswell;
using namespace memswell::hostile;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  SoundVisitor visitor;
  trace::StreamDecoder decoder(visitor, trace::disk::kTimeShift);
  for (const Columns& chunk : columns_of_flat(text_of(data, size))) {
    std::array<std::span<const std::uint8_t>, trace::disk::kColumns> columns;
    std::copy(chunk.begin(), chunk.end(), columns.begin());
    if (!decoder.decode(columns)) break;
  }
  expect(decoder.events() <= visitor.calls(), "what is counted was given");
  return 0;
}
