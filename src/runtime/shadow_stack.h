// The calls that a thread is in, as the entry points for functions keep them.
#pragma once

#include "runtime/start.h"

namespace deadheat::runtime {

// Not the common case: the thread is not known, or too deep.
void enter_with_care(Address caller);

// Only while recording.
inline __attribute__((always_inline)) void enter_function(Address caller) {
  Thread& t = t_self;
  std::uint64_t* const top = t.top;
  if (__builtin_expect(top == t.last_frame, false)) return enter_with_care(caller);
  *top = caller;
  t.top = top + 1;
}

inline __attribute__((always_inline)) void leave_function() {
  Thread& t = t_self;
  if (__builtin_expect(t.too_deep != 0, false)) {
    --t.too_deep;
    return;
  }
  if (t.top == t.base) return;  // entered before the recording began
  return_to(t, t.top - 1);
}

}  // namespace deadheat::runtime
