// A fuzz target: libFuzzer's function, linked either to libFuzzer (clang, MEMSWELL_FUZZ) or to replay.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace memswell::hostile {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the target like a crash, so that the fuzzer keeps the input.
[[noreturn]] void fail(const char* what);

inline void expect(bool holds, const char* what) {
  if (!holds) fail(what);
}

}  // namespace memswell::hostile
