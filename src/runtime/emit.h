// Writing records: all that the entry points and interceptors need.
#pragma once

#include "runtime/thread.h"

namespace deadheat::runtime {

#define DEADHEAT_CALLER reinterpret_cast<::deadheat::runtime::Address>(__builtin_return_address(0))

// An access of the thread at the code address `pc`; all that is not the common case.
void access_with_care(Kind kind, Address address, unsigned size, Address pc);

// One access of up to 16 bytes. Only while recording, which the caller asks: before it looks for its own
// caller, so that without a recording there is nothing but the question.
inline __attribute__((always_inline)) void emit_access(Kind kind, Address address, unsigned size,
                                                       Address pc) {
  Thread& t = t_self;
  Record* const at = t.next;
  // Since the last record nobody synchronised, no call was made or left, and there is room: one branch for
  // the three, because they hold together nearly always.
  const std::uint64_t counter = __atomic_load_n(&g_session->stamp, __ATOMIC_RELAXED);
  if (__builtin_expect(counter != t.position || t.top != t.written || at == t.end, false)) {
    return access_with_care(kind, address, size, pc);
  }
  // Addresses of programs have 47 bits: nothing is to be cut off.
  at->what = what_word(kind, 0, size) | address;
  __atomic_store_n(&at->code, code_word(0) | pc, __ATOMIC_RELEASE);
  t.next = at + 1;
}

// Any number of bytes at once: read_range or write_range.
void emit_range(Kind kind, Address address, std::size_t bytes, Address pc);

// An event with a stamp. Call it before a real release and behind a real acquire.
void emit(Kind kind, std::uint64_t object, Address pc, unsigned extra = 0, unsigned size = 0);
// The same with operands (see operands(Kind)).
void emit_with(Kind kind, std::uint64_t object, Address pc, std::uint64_t operand, std::uint64_t second = 0,
               unsigned extra = 0, unsigned size = 0);

// Here the thread may have accessed memory that is not recorded: these bytes, or (0 bytes) nobody knows
// which. Where it is known whether they are read or written, emit_range says it.
inline void emit_gap(Address address, std::size_t bytes, Address pc) {
  emit_with(Kind::gap, bytes == 0 ? 0 : address, pc, bytes);
}

// From here on the recording may lack accesses without a gap. For good.
inline void mark_incomplete(Incomplete reason) {
  if (g_session != nullptr) {
    __atomic_or_fetch(&g_session->incomplete, static_cast<std::uint32_t>(reason), __ATOMIC_RELAXED);
  }
}

// Code that is not instrumented may have run since the thread's last event (see opaque_calls.h): says so.
void leave_gap_if_opaque(Address pc);

// True where events of the calling thread are recorded: what an interceptor asks first.
inline bool recording() { return __builtin_expect(g_recording, true) && t_self.in_runtime == 0; }

// Whether the object with this code is instrumented. Others may order by atomics of which nothing is seen, as
// libomp does.
bool is_instrumented(Address pc);
// Whether the code is of the dynamic linker or of an OpenMP runtime: what these do to memory is not the
// program's doing, and they order it by means of which nothing is seen.
bool is_outside(Address pc);
// Archer has locks of its own, for what it knows: they order nothing of the program.
bool is_archer(Address pc);
// Whether the code is in an object whose file has a name that begins so.
bool is_in_library(Address pc, const char* name);

// The lock, barrier or condition itself is memory, which is made, used and destroyed: by threads that nothing
// orders, that is a race. A use comes before what it orders, so before the record of a lock or a barrier.
inline void emit_use(const volatile void* object, Address pc) {
  if (recording() && is_instrumented(pc)) emit_access(Kind::read, reinterpret_cast<Address>(object), 1, pc);
}
inline void emit_change(const volatile void* object, Address pc) {
  if (recording() && is_instrumented(pc)) emit_access(Kind::write, reinterpret_cast<Address>(object), 1, pc);
}

// While one lives, interceptors called by the thread pass through without a record.
class Quiet {
 public:
  Quiet() { ++t_self.in_runtime; }
  ~Quiet() { --t_self.in_runtime; }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
};

// Guards the atomics whose addresses fall on it. The version counts what was written.
struct alignas(64) StripeState {
  std::uint32_t taken;
  std::uint32_t version;
};
StripeState& stripe_of(Address address);

// Atomic operations on one address take stamps in the order in which they happen, for they hold this.
class Stripe {
 public:
  explicit Stripe(Address address);
  ~Stripe();
  Stripe(const Stripe&) = delete;
  Stripe& operator=(const Stripe&) = delete;

  std::uint32_t version() const { return state_.version; }
  // Before a store: who waits in a loop has something to see.
  void written() { __atomic_store_n(&state_.version, state_.version + 1, __ATOMIC_RELAXED); }

 private:
  StripeState& state_;
  bool is_mine_;  // false: a handler that interrupted a holder
};

// Threads. The number of a new one, known before it starts; the creator emits `fork` with it.
std::uint32_t new_thread_number();
// First and last thing that a thread does. Stack: alloc of its memory, for glibc reuses that of dead threads.
void enter_thread(std::uint32_t number, Address stack, std::size_t stack_bytes);
void leave_thread();
// A handler gets a stream of its own, since it may interrupt the writing of a record.
struct Interrupted {
  Thread thread;
};
void enter_handler(Interrupted& interrupted);
void leave_handler(const Interrupted& interrupted);

// Call it where `ignore_accesses` has changed.
void look_again();

// Another stack of the program takes over (fibers): what runs now is kept in `leaves`.
void exchange_thread(Thread& leaves, const Thread& comes);

// In a child of fork: nothing is recorded any more.
void leave_session();
// Looks for objects loaded since the last time.
void publish_modules();

}  // namespace deadheat::runtime
