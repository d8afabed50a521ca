// The checking mode (--check-walks): every walk is done again by libunwind and must give the same frames.
#pragma once

#include "walk.h"

namespace memswell::probe {

void check_walk(const RememberedStack& stack, const CallSite& site, std::uint32_t level);

}  // namespace memswell::probe
