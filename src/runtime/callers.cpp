#include "runtime/callers.h"

#include <dlfcn.h>
#include <unwind.h>

namespace deadheat::runtime {

namespace {

constexpr unsigned kMost = 16;

struct Walk {
  Address pc;     // the walk begins behind it
  Address known;  // and ends here
  decltype(&_Unwind_GetIP) address_of;
  Address frames[kMost];  // innermost first
  unsigned count;
  bool began, ended;
};

_Unwind_Reason_Code step(_Unwind_Context* frame, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  const Address at = walk.address_of(frame);
  if (!walk.began) {
    walk.began = at == walk.pc;
    return _URC_NO_REASON;
  }
  walk.ended = at == walk.known;
  if (walk.ended || walk.count == kMost) return _URC_END_OF_STACK;
  walk.frames[walk.count++] = at;
  return _URC_NO_REASON;
}

// The unwinder is there where C++ is; programs in C call straight from code that is known.
void find_frames(Walk& walk) {
  const auto unwind =
      reinterpret_cast<decltype(&_Unwind_Backtrace)>(dlsym(RTLD_DEFAULT, "_Unwind_Backtrace"));
  walk.address_of = reinterpret_cast<decltype(&_Unwind_GetIP)>(dlsym(RTLD_DEFAULT, "_Unwind_GetIP"));
  if (unwind == nullptr || walk.address_of == nullptr) return;
  unwind(step, &walk);
}

}  // namespace

void emit_with_callers(Kind kind, std::uint64_t object, Address pc) {
  Thread& t = t_self;
  Walk walk;
  walk.pc = pc;
  walk.count = 0;
  walk.began = walk.ended = false;
  if (g_recording && t.slot != nullptr && t.top != t.base) {
    walk.known = t.top[-1];
    find_frames(walk);
  }
  std::uint64_t* const top = t.top;
  if (!walk.ended || t.last_frame - top < kMost) return emit(kind, object, pc);
  for (unsigned i = walk.count; i-- > 0;) *t.top++ = walk.frames[i];
  emit(kind, object, pc);
  return_to(t, top);
}

}  // namespace deadheat::runtime
