#include "runtime/real.h"

#include <dlfcn.h>

#include "runtime/lines.h"

namespace deadheat::runtime {

void* find_real(const char* name, const char* version, bool required) {
  void* const found = version == nullptr ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
  if (found == nullptr && required) {
    die("the C library has no function '", name, "', which this program calls");
  }
  return found;
}

}  // namespace deadheat::runtime
