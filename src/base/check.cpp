#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace memswell {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "memswell: broken invariant %s at %s:%d, please report it\n", expression, file, line);
  std::abort();
}

}  // namespace memswell
