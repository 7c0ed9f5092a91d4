// Fibers: stacks that a program switches between by itself. Each is a thread of the recording, with a stream
// and a shadow stack that it takes along from one thread of the system to another.
#include "runtime/emit.h"
#include "runtime/exported.h"
#include "runtime/intercept/records.h"
#include "runtime/opaque_calls.h"

using namespace deadheat::runtime;

#define ENTRY DEADHEAT_ENTRY

namespace {

struct Fiber {
  Fiber* next;  // in the pool
  Thread thread;
  std::uint32_t number;
  bool begun;
  Address call_mark;
};
SpinLock g_lock;
Pool<Fiber> g_pool;
// What runs in this thread; null: its own stack, which nobody asked for yet.
constinit thread_local Fiber* t_fiber __attribute__((tls_model("initial-exec"))) = {};

Fiber* new_fiber() {
  const NoSignals no_signals;
  const Locked locked(g_lock);
  return g_pool.take();
}

std::uint64_t object_of(const Fiber* fiber) { return reinterpret_cast<Address>(fiber); }

Fiber* current() {
  if (t_fiber == nullptr) {
    t_fiber = new_fiber();
    if (t_fiber == nullptr) return nullptr;
    t_fiber->number = t_self.number;
    t_fiber->begun = true;
  }
  return t_fiber;
}

// No handler sees a thread that is half of one fiber and half of another.
void switch_to(Fiber* fiber) {
  const NoSignals no_signals;
  Fiber* const before = current();
  if (before == nullptr || before == fiber) return;
  exchange_thread(before->thread, fiber->thread);
  before->call_mark = __deadheat_call_mark;
  __deadheat_call_mark = fiber->call_mark;
  t_fiber = fiber;
  if (fiber->begun) return;
  fiber->begun = true;
  enter_thread(fiber->number, 0, 0);
}

}  // namespace

ENTRY void* __tsan_get_current_fiber() { return current(); }

ENTRY void* __tsan_create_fiber(unsigned) {
  Fiber* const fiber = new_fiber();
  if (fiber == nullptr || !g_recording) return fiber;
  fiber->number = new_thread_number();
  fiber->call_mark = kNotInstrumented;
  emit(Kind::fork, fiber->number, DEADHEAT_CALLER);
  return fiber;
}

ENTRY void __tsan_switch_to_fiber(void* to, unsigned flags) {
  constexpr unsigned kNoOrder = 1;
  if (!g_recording || to == nullptr) return;
  auto* const fiber = static_cast<Fiber*>(to);
  const bool ordered = (flags & kNoOrder) == 0;
  if (ordered && recording()) emit(Kind::send, object_of(fiber), DEADHEAT_CALLER);
  switch_to(fiber);
  if (ordered && recording()) emit(Kind::recv, object_of(fiber), DEADHEAT_CALLER);
}

// Not the one that runs.
ENTRY void __tsan_destroy_fiber(void* which) {
  auto* const fiber = static_cast<Fiber*>(which);
  if (fiber == nullptr || fiber == t_fiber) return;
  const NoSignals no_signals;
  if (g_recording && fiber->begun) {
    Thread self;
    exchange_thread(self, fiber->thread);
    leave_thread();
    exchange_thread(fiber->thread, self);
  }
  if (recording()) emit(Kind::forget_channel, object_of(fiber), DEADHEAT_CALLER);
  const Locked locked(g_lock);
  g_pool.give(fiber);
}

ENTRY void __tsan_set_fiber_name(void* which, const char* name) {
  if (!recording() || which == nullptr) return;
  std::uint64_t words[2] = {};
  for (std::size_t i = 0; i < sizeof words && name[i] != 0; ++i) {
    words[i / 8] |= std::uint64_t{static_cast<unsigned char>(name[i])} << i % 8 * 8;
  }
  emit_with(Kind::thread_name, static_cast<Fiber*>(which)->number, DEADHEAT_CALLER, words[0], words[1]);
}
