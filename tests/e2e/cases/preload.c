/* A user's own preload: it counts opened files, allocating each time, and says so at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>

#include "case.h"

static int opened;

__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
  static int (*next)(const char*, int, ...);
  va_list arguments;
  va_start(arguments, flags);
  const int mode = va_arg(arguments, int);
  va_end(arguments);
  if (!next) next = (int (*)(const char*, int, ...))dlsym(RTLD_NEXT, "open");
  free(malloc(33));
  opened++;
  return next(path, flags, mode);
}

int user_preload_opened(void) { return opened; }
