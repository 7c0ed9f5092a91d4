// The entry points that only our own pass calls (src/pass): functions that know who called them, gaps, and
// accesses that may not happen.
#include "runtime/opaque_calls.h"

#include "runtime/exported.h"
#include "runtime/shadow_stack.h"
#include "runtime/start.h"

using namespace deadheat::runtime;

#define ENTRY DEADHEAT_ENTRY

constinit thread_local Address __deadheat_call_mark = kNotInstrumented;

namespace {

Address at(const void* address) { return reinterpret_cast<Address>(address); }

// Out of line, so that the entry points save no registers.
[[gnu::noinline, gnu::cold]] Address called_back(Address mark, Address pc) {
  if (t_self.in_runtime == 0) leave_gap_if_opaque(pc);
  __deadheat_call_mark = 0;
  return mark;
}

[[gnu::noinline, gnu::cold]] void left_with_mark(Address pc) {
  if (t_self.in_runtime == 0) leave_gap_if_opaque(pc);
}

}  // namespace

// A module that our pass instrumented is there. Others call __tsan_init.
ENTRY void __deadheat_module(unsigned, unsigned) { start(nullptr); }

// What it returns is given to the exit.
ENTRY Address __deadheat_func_entry(void* caller, void* self) {
  if (!g_recording) return 0;
  const Address mark = __deadheat_call_mark;
  Address saved = 0;
  if (__builtin_expect(mark == at(self) || mark == 0, true)) {
    __deadheat_call_mark = 0;
  } else {
    saved = called_back(mark, at(caller));
  }
  enter_function(at(caller));
  return saved;
}

ENTRY void __deadheat_func_exit(Address saved) {
  if (!g_recording) return;
  if (__builtin_expect(__deadheat_call_mark != 0, false)) left_with_mark(DEADHEAT_CALLER);
  __deadheat_call_mark = saved;
  leave_function();
}

// The mark is still there after a call.
ENTRY void __deadheat_after_call() {
  if (recording()) leave_gap_if_opaque(DEADHEAT_CALLER);
  __deadheat_call_mark = 0;
}

ENTRY void __deadheat_gap() {
  if (recording()) emit_gap(0, 0, DEADHEAT_CALLER);
}
ENTRY void __deadheat_gap_range(void* p, unsigned long bytes) {
  if (recording()) emit_gap(at(p), bytes, DEADHEAT_CALLER);
}

ENTRY void __deadheat_read_if(void* p, unsigned long bytes, int is_read) {
  if (is_read != 0) emit_range(Kind::read_range, at(p), bytes, DEADHEAT_CALLER);
}
ENTRY void __deadheat_write_if(void* p, unsigned long bytes, int is_written) {
  if (is_written != 0) emit_range(Kind::write_range, at(p), bytes, DEADHEAT_CALLER);
}
