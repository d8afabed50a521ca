#include "tests/hostile/target.h"

#include <cstdio>
#include <cstdlib>

namespace memswell::hostile {

void fail(const char* what) {
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace memswell::hostile
