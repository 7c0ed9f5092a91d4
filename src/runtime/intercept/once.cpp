// pthread_once and call_once: what the routine did is sent before the rest of the world can see that it is
// done, and received by everybody who comes back.
#include <pthread.h>
#include <threads.h>

#include "runtime/emit.h"
#include "runtime/opaque_calls.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

// The routine takes no argument, so it is found here. Taken off before it runs: it may throw.
struct OnceCall {
  void (*routine)();
  std::uint64_t object;
  Address pc;
  OnceCall* outer;
};
constinit thread_local OnceCall* t_once __attribute__((tls_model("initial-exec"))) = {};

void run_once() {
  OnceCall* const call = t_once;
  t_once = call->outer;
  {
    const MarkedCall marked(call->routine, call->pc);
    call->routine();
  }
  if (recording()) emit(Kind::send, call->object, call->pc);
}

template <class Real>
int once(void* control, void (*routine)(), Address pc, const Real& real) {
  OnceCall call{routine, reinterpret_cast<Address>(control), pc, t_once};
  t_once = &call;
  const int result = real();
  t_once = call.outer;
  if (result == 0 && recording()) emit(Kind::recv, call.object, pc);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, pthread_once, (pthread_once_t * control, void (*routine)())) {
  if (!recording()) return REAL(pthread_once)(control, routine);
  return once(control, routine, DEADHEAT_CALLER, [&] { return REAL(pthread_once)(control, run_once); });
}

DEADHEAT_INTERCEPT(void, call_once, (once_flag * flag, void (*routine)())) {
  if (!recording()) return REAL(call_once)(flag, routine);
  once(flag, routine, DEADHEAT_CALLER, [&] {
    REAL(call_once)(flag, run_once);
    return 0;
  });
}

}  // namespace deadheat::runtime
