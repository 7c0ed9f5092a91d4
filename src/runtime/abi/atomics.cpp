// The entry points that compilers call for atomic operations. The operation itself is always the strongest;
// its record keeps the order that the program asked for.
#include <sched.h>

#include "runtime/emit.h"
#include "runtime/exported.h"

using namespace deadheat::runtime;

#define ENTRY DEADHEAT_ENTRY

namespace {

using a8 = std::uint8_t;
using a16 = std::uint16_t;
using a32 = std::uint32_t;
using a64 = std::uint64_t;
__extension__ using a128 = unsigned __int128;

// gcc passes further bits (hardware lock elision), which change no order.
unsigned order_of(int order) {
  const unsigned plain = static_cast<unsigned>(order) & 0x7;
  return plain > 5 ? 5 : plain;
}

template <class T>
void record(Kind kind, const volatile T* p, int order, Address pc) {
  emit(kind, reinterpret_cast<Address>(p), pc, order_of(order), sizeof(T));
}

template <class T>
T compare_and_swap(volatile T* p, T expected, T desired) {
  if constexpr (sizeof(T) == 16) {
    return __sync_val_compare_and_swap(p, expected, desired);
  } else {
    __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  }
}

template <class T>
T load(const volatile T* p) {
  if constexpr (sizeof(T) == 16) {
    return compare_and_swap(const_cast<volatile T*>(p), T{0}, T{0});
  } else {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
  }
}

// Any read-modify-write by what it makes of the old value.
template <class T, class Change>
T change(volatile T* p, const Change& changed) {
  T old = load(p);
  while (true) {
    const T seen = compare_and_swap(p, old, static_cast<T>(changed(old)));
    if (seen == old) return old;
    old = seen;
  }
}

// Loops that wait. A thread that has loaded some atomics and recorded nothing since, and loads one of them
// again at the same place, sees the same store if none was counted: such a load orders nothing more and is
// left out. Programs that wait this way do millions of them. As soon as one of the atomics changes all are
// recorded once more. So with compare-and-swaps that fail, and exchanges that change and release nothing, in
// spin locks; recorded, they keep the holder from the stripe that it needs to unlock.

// Its number in Thread::waits, or kMost.
unsigned waited_before(const Thread& t, Address address, Address pc, unsigned order) {
  unsigned i = 0;
  while (i < Waits::kMost && !(t.waits.loads[i].address == address && t.waits.loads[i].pc == pc &&
                               t.waits.loads[i].order == order)) {
    ++i;
  }
  return i;
}

// A store takes the stripe and counts before it writes, so who sees its value sees one of the two on the
// second look.
template <class T, class Still>
bool is_same_again(const volatile T* p, Address pc, int order, T& value, const Still& still_waits) {
  Thread& t = t_self;
  if (t.waits.next != t.next || t.top != t.written || t.next == nullptr) return false;
  const auto address = reinterpret_cast<Address>(p);
  const unsigned i = waited_before(t, address, pc, order_of(order));
  if (i == Waits::kMost || (t.waits.fresh >> i & 1) == 0) return false;
  const StripeState& stripe = stripe_of(address);
  const auto nothing_new = [&] {
    return __atomic_load_n(&stripe.taken, __ATOMIC_ACQUIRE) == 0 &&
           __atomic_load_n(&stripe.version, __ATOMIC_ACQUIRE) == t.waits.loads[i].version;
  };
  if (!nothing_new()) return false;
  value = load(p);
  if (!still_waits(value) || !nothing_new()) return false;
  __atomic_fetch_add(&g_session->lost.spins, 1, __ATOMIC_RELAXED);
  // Who is waited for may want the core, and needs it for longer than the program's author thought.
  sched_yield();
  return true;
}

// What is_same_again compares with.
template <class T>
void record_waiting(Kind kind, const volatile T* p, int order, Address pc, const Stripe& stripe) {
  Thread& t = t_self;
  Waits& waits = t.waits;
  const auto address = reinterpret_cast<Address>(p);
  unsigned i = waited_before(t, address, pc, order_of(order));
  const bool is_other = i == Waits::kMost;
  if (is_other) i = waits.oldest++ % Waits::kMost;
  // The same again here has changed: what was seen of the others before may have changed since.
  const bool goes_on = waits.next == t.next && (is_other || (waits.fresh >> i & 1) == 0);
  record(kind, p, order, pc);
  waits.next = t.next;
  waits.fresh = (goes_on ? waits.fresh : 0) | 1u << i;
  waits.loads[i] = {address, pc, stripe.version(), order_of(order)};
}

// A loop that reads between its loads is recorded in full, so that it is a flood, and it waits for a thread
// that may want this core. Called before the stripe is taken.
void yield_in_loop(Address address, Address pc, int order) {
  constexpr std::ptrdiff_t kMostBetween = 8;
  constexpr unsigned kPatience = 64, kOften = 16;
  Thread& t = t_self;
  const unsigned i = waited_before(t, address, pc, order_of(order));
  bool again = i < Waits::kMost && t.waits.next <= t.next && t.next - t.waits.next <= kMostBetween &&
               __atomic_load_n(&stripe_of(address).version, __ATOMIC_RELAXED) == t.waits.loads[i].version;
  for (const Record* r = t.waits.next; again && r < t.next; ++r) {
    again = r->kind() == Kind::read || r->kind() == Kind::stack || r->kind() == Kind::position;
  }
  t.waits.repeats = again ? t.waits.repeats + 1 : 0;
  if (t.waits.repeats >= kPatience && t.waits.repeats % kOften == 0) sched_yield();
}

template <class T>
[[gnu::noinline]] T recorded_load(const volatile T* p, int order, Address pc) {
  T value;
  if (is_same_again(p, pc, order, value, [](T) { return true; })) return value;
  yield_in_loop(reinterpret_cast<Address>(p), pc, order);
  const Stripe stripe(reinterpret_cast<Address>(p));
  record_waiting(Kind::atomic_load, p, order, pc, stripe);
  return load(p);
}

// Here and below: what records is out of line, so that without a recording no register is saved.
template <class T>
T atomic_load(const volatile T* p, int order, Address pc) {
  return g_recording ? recorded_load(p, order, pc) : load(p);
}

template <class T>
void store(volatile T* p, T value, int order) {
  if constexpr (sizeof(T) == 16) {
    change(p, [&](T) { return value; });
  } else if (order_of(order) == 5) {
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);
  } else {
    __atomic_store_n(p, value, __ATOMIC_RELEASE);
  }
}

template <class T>
[[gnu::noinline]] void recorded_store(volatile T* p, T value, int order, Address pc) {
  Stripe stripe(reinterpret_cast<Address>(p));
  stripe.written();
  record(Kind::atomic_store, p, order, pc);
  store(p, value, order);
}

template <class T>
void atomic_store(volatile T* p, T value, int order, Address pc) {
  return g_recording ? recorded_store(p, value, order, pc) : store(p, value, order);
}

// Operation: of the address and a value.
template <class T, class Operation>
[[gnu::noinline]] T recorded_rmw(volatile T* p, T value, int order, Address pc, Operation operation) {
  Stripe stripe(reinterpret_cast<Address>(p));
  stripe.written();
  record(Kind::atomic_rmw, p, order, pc);
  return operation(p, value);
}

template <class T, class Operation>
T atomic_rmw(volatile T* p, T value, int order, Address pc, Operation operation) {
  return g_recording ? recorded_rmw(p, value, order, pc, operation) : operation(p, value);
}

template <class T>
T exchange(volatile T* p, T desired) {
  if constexpr (sizeof(T) == 16) {
    return change(p, [&](T) { return desired; });
  } else {
    return __atomic_exchange_n(p, desired, __ATOMIC_SEQ_CST);
  }
}

template <class T>
[[gnu::noinline]] T recorded_exchange(volatile T* p, T desired, int order, Address pc) {
  constexpr unsigned kRelease = 3;  // and what is stronger
  const bool releases = order_of(order) >= kRelease;
  T value;
  if (!releases && is_same_again(p, pc, order, value, [&](T v) { return v == desired; })) return value;
  Stripe stripe(reinterpret_cast<Address>(p));
  if (releases || load(p) != desired) {
    stripe.written();
    record(Kind::atomic_rmw, p, order, pc);
  } else {
    record_waiting(Kind::atomic_rmw, p, order, pc, stripe);
  }
  return exchange(p, desired);
}

template <class T>
T atomic_exchange(volatile T* p, T desired, int order, Address pc) {
  return g_recording ? recorded_exchange(p, desired, order, pc) : exchange(p, desired);
}

// A failed one is a load. What it saw.
template <class T>
[[gnu::noinline]] T recorded_cas(volatile T* p, T expected, T desired, int order, int order_of_failure,
                                 Address pc) {
  T seen;
  if (is_same_again(p, pc, order_of_failure, seen, [&](T v) { return v != expected; })) return seen;
  Stripe stripe(reinterpret_cast<Address>(p));
  seen = load(p);
  if (seen == expected) {
    stripe.written();
    seen = compare_and_swap(p, expected, desired);
  }
  if (seen == expected) {
    record(Kind::atomic_rmw, p, order, pc);
  } else {
    record_waiting(Kind::atomic_load, p, order_of_failure, pc, stripe);
  }
  return seen;
}

template <class T>
T atomic_cas(volatile T* p, T expected, T desired, int order, int order_of_failure, Address pc) {
  return g_recording ? recorded_cas(p, expected, desired, order, order_of_failure, pc)
                     : compare_and_swap(p, expected, desired);
}

// Whether it was done; else what it saw is put where the expected value was.
template <class T>
int atomic_cas_into(volatile T* p, T& expected, T desired, int order, int order_of_failure, Address pc) {
  const T seen = atomic_cas(p, expected, desired, order, order_of_failure, pc);
  if (seen == expected) return 1;
  expected = seen;
  return 0;
}

}  // namespace

// By the machine where it can, else by what is made of the old value.
#define DEADHEAT_FETCH(bits, name, changed)                                                     \
  ENTRY a##bits __tsan_atomic##bits##_fetch_##name(volatile a##bits* p, a##bits v, int order) { \
    return atomic_rmw(p, v, order, DEADHEAT_CALLER, []<class T>(volatile T* q, T v) -> T {      \
      if constexpr (sizeof(T) == 16) {                                                          \
        return change(q, [v](T old) -> T { return changed; });                                  \
      } else {                                                                                  \
        return __atomic_fetch_##name(q, v, __ATOMIC_SEQ_CST);                                   \
      }                                                                                         \
    });                                                                                         \
  }

#define DEADHEAT_ATOMICS(bits)                                                                        \
  ENTRY a##bits __tsan_atomic##bits##_load(const volatile a##bits* p, int order) {                    \
    return atomic_load(p, order, DEADHEAT_CALLER);                                                    \
  }                                                                                                   \
  ENTRY void __tsan_atomic##bits##_store(volatile a##bits* p, a##bits v, int order) {                 \
    atomic_store(p, v, order, DEADHEAT_CALLER);                                                       \
  }                                                                                                   \
  ENTRY a##bits __tsan_atomic##bits##_exchange(volatile a##bits* p, a##bits v, int order) {           \
    return atomic_exchange(p, v, order, DEADHEAT_CALLER);                                             \
  }                                                                                                   \
  DEADHEAT_FETCH(bits, add, old + v)                                                                  \
  DEADHEAT_FETCH(bits, sub, old - v)                                                                  \
  DEADHEAT_FETCH(bits, and, old& v)                                                                   \
  DEADHEAT_FETCH(bits, or, old | v)                                                                   \
  DEADHEAT_FETCH(bits, xor, old ^ v)                                                                  \
  DEADHEAT_FETCH(bits, nand, ~(old & v))                                                              \
  ENTRY int __tsan_atomic##bits##_compare_exchange_strong(volatile a##bits* p, a##bits* expected,     \
                                                          a##bits desired, int order, int failure) {  \
    return atomic_cas_into(p, *expected, desired, order, failure, DEADHEAT_CALLER);                   \
  }                                                                                                   \
  ENTRY int __tsan_atomic##bits##_compare_exchange_weak(volatile a##bits* p, a##bits* expected,       \
                                                        a##bits desired, int order, int failure) {    \
    return atomic_cas_into(p, *expected, desired, order, failure, DEADHEAT_CALLER);                   \
  }                                                                                                   \
  ENTRY a##bits __tsan_atomic##bits##_compare_exchange_val(volatile a##bits* p, a##bits expected,     \
                                                           a##bits desired, int order, int failure) { \
    return atomic_cas(p, expected, desired, order, failure, DEADHEAT_CALLER);                         \
  }

DEADHEAT_ATOMICS(8)
DEADHEAT_ATOMICS(16)
DEADHEAT_ATOMICS(32)
DEADHEAT_ATOMICS(64)
DEADHEAT_ATOMICS(128)

ENTRY void __tsan_atomic_thread_fence(int order) {
  if (g_recording) emit(Kind::fence, 0, DEADHEAT_CALLER, order_of(order));
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
// Orders a thread with its own handlers: the compiler's business.
ENTRY void __tsan_atomic_signal_fence(int) {}
