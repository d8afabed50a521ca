// stack: 1400 frames of 4 KiB deep, and the stack stays resident after the return. Nobody gives stack pages back.
#include <sys/resource.h>

#include "common.h"

using namespace workload;

namespace {

[[gnu::noinline]] int descend(std::uint64_t frames) {
  volatile char room[4096];
  room[0] = static_cast<char>(frames);
  return frames > 1 ? descend(frames - 1) + room[0] : room[0];
}

// As many frames as the limit of the stack has room for, less 256 KiB for what is above.
std::uint64_t deepest() {
  constexpr std::uint64_t kFrame = 4096 + 256, kAbove = 256 << 10;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) limit.rlim_cur = kMostBytes;
  return (limit.rlim_cur > kAbove + kFrame ? limit.rlim_cur - kAbove : kFrame) / kFrame;
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::uint64_t frames = options.number("frames", 1400, 1, deepest());
  options.done();

  phase("base");
  phase("descend");
  fact("sum", descend(frames));
  phase("returned");
  return finish(argc, argv);
}
