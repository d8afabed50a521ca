// stack: 1400 frames of 4 KiB deep, and the stack stays resident after the return. Nobody gives stack pages back.
#include "common.h"

using namespace workload;

namespace {

[[gnu::noinline]] int descend(std::uint64_t frames) {
  volatile char room[4096];
  room[0] = static_cast<char>(frames);
  return frames > 1 ? descend(frames - 1) + room[0] : room[0];
}

}  // namespace

int main(int argc, char** argv) {
  Options options(argc, argv);
  const std::uint64_t frames = options.number("frames", 1400);
  options.done();

  phase("base");
  phase("descend");
  fact("sum", descend(frames));
  phase("returned");
  return finish(argc, argv);
}
