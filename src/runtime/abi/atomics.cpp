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

// Whether this is the load that the thread recorded last, with nothing written since: a loop that waits. Such
// loads see the same store again and order nothing more, and programs that wait this way do millions of them.
// So do compare-and-swaps that fail, and exchanges that change and release nothing, in spin locks; recorded,
// they keep the holder from the stripe that it needs to unlock.
//
// A store takes the stripe and counts before it writes, so who sees its value sees one of the two on the
// second look.
template <class T, class Waits>
bool is_same_again(const volatile T* p, Address pc, T& value, const Waits& waits) {
  Thread& t = t_self;
  const auto address = reinterpret_cast<Address>(p);
  if (t.load.next != t.next || t.load.address != address || t.load.pc != pc || t.next == nullptr)
    return false;
  const StripeState& stripe = stripe_of(address);
  const auto nothing_new = [&] {
    return __atomic_load_n(&stripe.taken, __ATOMIC_ACQUIRE) == 0 &&
           __atomic_load_n(&stripe.version, __ATOMIC_ACQUIRE) == t.load.version;
  };
  if (t.top != t.written || !nothing_new()) return false;
  value = load(p);
  if (!waits(value) || !nothing_new()) return false;
  ++t.spins;
  // Who is waited for may want the core, and needs it for longer than the program's author thought.
  sched_yield();
  return true;
}

// What is_same_again compares with.
template <class T>
void record_waiting(Kind kind, const volatile T* p, int order, Address pc, const Stripe& stripe) {
  record(kind, p, order, pc);
  t_self.load = {t_self.next, reinterpret_cast<Address>(p), pc, stripe.version()};
}

template <class T>
T atomic_load(const volatile T* p, int order, Address pc) {
  if (!g_recording) return load(p);
  T value;
  if (is_same_again(p, pc, value, [](T) { return true; })) return value;
  const Stripe stripe(reinterpret_cast<Address>(p));
  record_waiting(Kind::atomic_load, p, order, pc, stripe);
  return load(p);
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
void atomic_store(volatile T* p, T value, int order, Address pc) {
  if (!g_recording) return store(p, value, order);
  Stripe stripe(reinterpret_cast<Address>(p));
  stripe.written();
  record(Kind::atomic_store, p, order, pc);
  store(p, value, order);
}

template <class T, class Operation>
T atomic_rmw(volatile T* p, int order, Address pc, const Operation& operation) {
  if (!g_recording) return operation();
  Stripe stripe(reinterpret_cast<Address>(p));
  stripe.written();
  record(Kind::atomic_rmw, p, order, pc);
  return operation();
}

template <class T>
T atomic_exchange(volatile T* p, T desired, int order, Address pc) {
  const auto exchange = [&] { return change(p, [&](T) { return desired; }); };
  if (!g_recording) return exchange();
  constexpr unsigned kRelease = 3;  // and what is stronger
  const bool releases = order_of(order) >= kRelease;
  T value;
  if (!releases && is_same_again(p, pc, value, [&](T v) { return v == desired; })) return value;
  Stripe stripe(reinterpret_cast<Address>(p));
  if (releases || load(p) != desired) {
    stripe.written();
    record(Kind::atomic_rmw, p, order, pc);
  } else {
    record_waiting(Kind::atomic_rmw, p, order, pc, stripe);
  }
  return exchange();
}

// A failed one is a load. What it saw.
template <class T>
T atomic_cas(volatile T* p, T expected, T desired, int order, int order_of_failure, Address pc) {
  if (!g_recording) return compare_and_swap(p, expected, desired);
  T seen;
  if (is_same_again(p, pc, seen, [&](T v) { return v != expected; })) return seen;
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

// Whether it was done; else what it saw is put where the expected value was.
template <class T>
int atomic_cas_into(volatile T* p, T& expected, T desired, int order, int order_of_failure, Address pc) {
  const T seen = atomic_cas(p, expected, desired, order, order_of_failure, pc);
  if (seen == expected) return 1;
  expected = seen;
  return 0;
}

}  // namespace

#define DEADHEAT_FETCH(bits, name, changed)                                                        \
  ENTRY a##bits __tsan_atomic##bits##_fetch_##name(volatile a##bits* p, a##bits v, int order) {    \
    return atomic_rmw(p, order, DEADHEAT_CALLER,                                                   \
                      [&] { return change(p, [&](a##bits old) -> a##bits { return changed; }); }); \
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
