#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace deadheat::base {

void assertion_failed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "deadheat: internal error: %s (%s, %s:%d)\n", message, condition, file, line);
  std::abort();
}

}  // namespace deadheat::base
