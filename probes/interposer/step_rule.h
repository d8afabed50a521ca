// How to get from a frame to its caller, as one word: the common shapes of call frame information.
//
//   CFA   = sp + offset  |  bp + offset  |  *(bp + offset)          (the last: realigned stacks)
//   bp    = unchanged    |  *(CFA + n)   |  *(bp + n)
//   return address = *(CFA − 8)
//
// Everything else is left to libunwind (`kind` needs_libunwind).
#pragma once

#include <cstdint>

namespace memswell::probe {

struct StepRule {
  enum class Kind : std::uint8_t { none = 0, step = 1, outermost = 2, needs_libunwind = 3, no_data = 4 };
  enum class Cfa : std::uint8_t { sp = 0, bp = 1, at_bp = 2 };
  enum class SavedBp : std::uint8_t { same = 0, at_cfa = 1, at_bp = 2, unknown = 3 };

  Kind kind = Kind::none;
  Cfa cfa = Cfa::sp;
  SavedBp saved_bp = SavedBp::same;
  std::int32_t cfa_offset = 0;
  std::int32_t bp_offset = 0;  // 24 bits

  std::uint64_t packed() const {
    return static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(cfa) << 3 |
           static_cast<std::uint64_t>(saved_bp) << 5 |
           (static_cast<std::uint64_t>(static_cast<std::uint32_t>(bp_offset)) & 0xffffff) << 8 |
           static_cast<std::uint64_t>(static_cast<std::uint32_t>(cfa_offset)) << 32;
  }
  static StepRule unpack(std::uint64_t word) {
    StepRule r;
    r.kind = static_cast<Kind>(word & 7);
    r.cfa = static_cast<Cfa>(word >> 3 & 3);
    r.saved_bp = static_cast<SavedBp>(word >> 5 & 3);
    r.bp_offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(word >> 8) << 8) >> 8;
    r.cfa_offset = static_cast<std::int32_t>(word >> 32);
    return r;
  }
};

}  // namespace memswell::probe
