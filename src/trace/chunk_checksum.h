// The checksums of headers and chunks, for writer and reader.
#pragma once

#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "trace/recording_format.h"

namespace memswell::trace {

inline std::uint64_t checksum_of(const disk::FileHeader& header) {
  return XXH3_64bits(&header, offsetof(disk::FileHeader, checksum));
}

inline std::uint64_t checksum_of(const disk::ChunkHeader& header, std::span<const std::uint8_t> stored) {
  const std::uint64_t seed = XXH3_64bits(&header, offsetof(disk::ChunkHeader, checksum));
  return XXH3_64bits_withSeed(stored.data(), stored.size(), seed);
}

}  // namespace memswell::trace
