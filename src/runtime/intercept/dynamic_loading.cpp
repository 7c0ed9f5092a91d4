// Objects that are loaded while the program runs.
#include <dlfcn.h>

#include "runtime/emit.h"
#include "runtime/real.h"

namespace deadheat::runtime {

// The dynamic linker takes the runtime for the caller: a search path that only the real caller's object names
// (its DT_RUNPATH) is looked at only where the runtime is part of that object.
DEADHEAT_INTERCEPT(void*, dlopen, (const char* file, int flags)) {
  void* const object = REAL(dlopen)(file, flags);
  if (object != nullptr && g_recording) publish_modules();
  return object;
}

DEADHEAT_INTERCEPT(void*, dlmopen, (Lmid_t space, const char* file, int flags)) {
  void* const object = REAL(dlmopen)(space, file, flags);
  if (object != nullptr && g_recording) publish_modules();
  return object;
}

}  // namespace deadheat::runtime
