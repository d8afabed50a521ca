// Small files that ask for much: each kind of thing that a reader keeps, repeated, in chunks that compress to nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace memswell::hostile {

struct Bomb {
  std::string_view name;
  std::string (*make)(Bytes at_most);  // a recording of at most that many bytes
};

std::span<const Bomb> bombs();

}  // namespace memswell::hostile
