// Functions that run when the program or an object of it ends: what came before their registration comes
// before they run, in whichever thread.
#include <stdlib.h>

#include "runtime/emit.h"
#include "runtime/intercept/records.h"
#include "runtime/opaque_calls.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

struct AtExit {
  AtExit* next;
  union {
    void (*plain)();
    void (*with_argument)(void*);
    void (*with_status)(int, void*);
  };
  void* argument;
};
SpinLock g_lock;
Pool<AtExit> g_pool;

// Null: no memory.
AtExit* sent(AtExit what, Address pc) {
  AtExit* record;
  {
    const NoSignals no_signals;
    const Locked locked(g_lock);
    record = g_pool.take();
  }
  if (record == nullptr) return nullptr;
  *record = what;
  emit(Kind::send, reinterpret_cast<Address>(record), pc);
  return record;
}

// Records are not given back: one a static object, and the channel is its address.
AtExit received(void* record, Address pc) {
  if (recording()) emit(Kind::recv, reinterpret_cast<Address>(record), pc);
  return *static_cast<AtExit*>(record);
}

void run_plain(void* record) {
  const AtExit what = received(record, DEADHEAT_CALLER);
  const MarkedCall marked(what.plain, DEADHEAT_CALLER);
  what.plain();
}

void run_with_argument(void* record) {
  const AtExit what = received(record, DEADHEAT_CALLER);
  const MarkedCall marked(what.with_argument, DEADHEAT_CALLER);
  what.with_argument(what.argument);
}

void run_with_status(int status, void* record) {
  const AtExit what = received(record, DEADHEAT_CALLER);
  const MarkedCall marked(what.with_status, DEADHEAT_CALLER);
  what.with_status(status, what.argument);
}

}  // namespace

DEADHEAT_INTERCEPT(int, __cxa_atexit, (void (*function)(void*), void* argument, void* object)) {
  if (!recording()) return REAL(__cxa_atexit)(function, argument, object);
  AtExit what{};
  what.with_argument = function;
  what.argument = argument;
  AtExit* const record = sent(what, DEADHEAT_CALLER);
  if (record == nullptr) return -1;
  return REAL(__cxa_atexit)(run_with_argument, record, object);
}

// The C library has it in the part that is linked into every object, unless one is found earlier: here.
extern "C" __attribute__((visibility("default"))) int atexit(void (*function)()) {
  const auto as_if_with_argument = reinterpret_cast<void (*)(void*)>(reinterpret_cast<void*>(function));
  if (!recording()) return REAL(__cxa_atexit)(as_if_with_argument, nullptr, nullptr);
  AtExit what{};
  what.plain = function;
  AtExit* const record = sent(what, DEADHEAT_CALLER);
  if (record == nullptr) return -1;
  return REAL(__cxa_atexit)(run_plain, record, nullptr);
}

DEADHEAT_INTERCEPT(int, on_exit, (void (*function)(int, void*), void* argument)) {
  if (!recording()) return REAL(on_exit)(function, argument);
  AtExit what{};
  what.with_status = function;
  what.argument = argument;
  AtExit* const record = sent(what, DEADHEAT_CALLER);
  if (record == nullptr) return -1;
  return REAL(on_exit)(run_with_status, record);
}

}  // namespace deadheat::runtime
