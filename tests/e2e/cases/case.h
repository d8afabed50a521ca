/* Shared by the small programs beside it: each does something that recorders stumble over and says what it did. */
#ifndef MEMSWELL_TESTS_CASE_H
#define MEMSWELL_TESTS_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A function that a report must name as the site of its blocks. */
#define SITE __attribute__((noinline, noclone))

/* Says a line without allocating. */
static inline void say(const char* line) {
  if (write(1, line, strlen(line)) < 0) _exit(98);
}

static inline int is(const char* argument, const char* word) { return strcmp(argument, word) == 0; }

#endif
