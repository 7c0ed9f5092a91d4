// The entry points that compilers call for accesses and functions. Each translates and calls; their list is
// test/abi/exports.txt.
#include "runtime/exported.h"
#include "runtime/shadow_stack.h"
#include "runtime/start.h"

using namespace deadheat::runtime;

#define ENTRY DEADHEAT_ENTRY
#define WEAK_ENTRY DEADHEAT_WEAK_ENTRY

namespace {

__attribute__((always_inline)) inline Address at(const volatile void* address) {
  return reinterpret_cast<Address>(address);
}

}  // namespace

#define ACCESS(kind, size, pc) \
  if (g_recording) emit_access(Kind::kind, at(p), size, pc)

#define DEADHEAT_ACCESSES(size)                                                                            \
  ENTRY void __tsan_read##size(void* p) { ACCESS(read, size, DEADHEAT_CALLER); }                           \
  ENTRY void __tsan_write##size(void* p) { ACCESS(write, size, DEADHEAT_CALLER); }                         \
  ENTRY void __tsan_read_write##size(void* p) {                                                            \
    ACCESS(read, size, DEADHEAT_CALLER);                                                                   \
    ACCESS(write, size, DEADHEAT_CALLER);                                                                  \
  }                                                                                                        \
  WEAK_ENTRY void __tsan_volatile_read##size(void* p) { ACCESS(read, size, DEADHEAT_CALLER); }             \
  WEAK_ENTRY void __tsan_volatile_write##size(void* p) { ACCESS(write, size, DEADHEAT_CALLER); }           \
  WEAK_ENTRY void __tsan_unaligned_volatile_read##size(void* p) { ACCESS(read, size, DEADHEAT_CALLER); }   \
  WEAK_ENTRY void __tsan_unaligned_volatile_write##size(void* p) { ACCESS(write, size, DEADHEAT_CALLER); } \
  ENTRY void __tsan_read##size##_pc(void* p, void* pc) { ACCESS(read, size, at(pc)); }                     \
  ENTRY void __tsan_write##size##_pc(void* p, void* pc) { ACCESS(write, size, at(pc)); }                   \
  ENTRY void __tsan_unaligned_read##size(const void* p) { ACCESS(read, size, DEADHEAT_CALLER); }           \
  ENTRY void __tsan_unaligned_write##size(void* p) { ACCESS(write, size, DEADHEAT_CALLER); }               \
  ENTRY void __tsan_unaligned_read_write##size(void* p) {                                                  \
    ACCESS(read, size, DEADHEAT_CALLER);                                                                   \
    ACCESS(write, size, DEADHEAT_CALLER);                                                                  \
  }

DEADHEAT_ACCESSES(1)
DEADHEAT_ACCESSES(2)
DEADHEAT_ACCESSES(4)
DEADHEAT_ACCESSES(8)
DEADHEAT_ACCESSES(16)

ENTRY void __tsan_read_range(void* p, unsigned long bytes) {
  if (g_recording) emit_range(Kind::read_range, at(p), bytes, DEADHEAT_CALLER);
}
ENTRY void __tsan_write_range(void* p, unsigned long bytes) {
  if (g_recording) emit_range(Kind::write_range, at(p), bytes, DEADHEAT_CALLER);
}
ENTRY void __tsan_read_range_pc(void* p, unsigned long bytes, void* pc) {
  if (g_recording) emit_range(Kind::read_range, at(p), bytes, at(pc));
}
ENTRY void __tsan_write_range_pc(void* p, unsigned long bytes, void* pc) {
  if (g_recording) emit_range(Kind::write_range, at(p), bytes, at(pc));
}

// A constructor that sets the table of functions to what it is changes nothing: as if it had looked first.
ENTRY void __tsan_vptr_update(void** p, void* value) {
  if (*p == value) {
    ACCESS(read, sizeof *p, DEADHEAT_CALLER);
  } else {
    ACCESS(write, sizeof *p, DEADHEAT_CALLER);
  }
}
ENTRY void __tsan_vptr_read(void** p) { ACCESS(read, sizeof *p, DEADHEAT_CALLER); }

// Out of line, so that the entry points save no registers.
[[gnu::noinline, gnu::cold]] void deadheat::runtime::enter_with_care(Address caller) {
  Thread& t = t_self;
  if (t.slot == nullptr && !adopt_thread(t)) return;
  if (t.top == t.last_frame) {
    ++t.too_deep;
    __atomic_fetch_add(&g_session->lost.frames, 1, __ATOMIC_RELAXED);
    return;
  }
  *t.top = caller;
  ++t.top;
}

ENTRY void __tsan_func_entry(void* caller) {
  if (g_recording) enter_function(at(caller));
}

ENTRY void __tsan_func_exit() {
  if (g_recording) leave_function();
}

ENTRY void __tsan_ignore_thread_begin() {
  ++t_self.ignore_accesses;
  mark_incomplete(Incomplete::ignored);
  look_again();
}
ENTRY void __tsan_ignore_thread_end() {
  --t_self.ignore_accesses;
  look_again();
}

// Compilers' own instrumentation leaves out reads that make no race, but tell what a thread knew, and does
// not say where other code is called.
ENTRY void __tsan_init() {
  start(nullptr);
  mark_incomplete(Incomplete::stock_instrumentation);
  mark_incomplete(Incomplete::opaque_unmarked);
}

// Before any constructor, also of shared objects, where the runtime is part of the program...
#ifdef DEADHEAT_STATIC_RUNTIME
namespace {
void start_first(int, char**, char** environment) { start(environment); }
}  // namespace
[[gnu::section(".preinit_array"), gnu::used]] static void (*g_start_first)(int, char**, char**) = start_first;
#else
// ...and before those of objects that depend on it, where it is a shared object.
[[gnu::constructor(101)]] static void start_early(int, char**, char** environment) { start(environment); }
#endif
