// What a program of these tests relies on: it ends with a line about what does not hold.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition))

static inline void check_failed(const char* file, int line, const char* condition) {
  fprintf(stderr, "%s:%d: %s does not hold\n", file, line, condition);
  exit(1);
}
