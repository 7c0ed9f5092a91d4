// The runtime that does nothing: what instrumented code costs by itself, the measure for our runtime without
// a recorder. Every entry point that compilers call returns at once; atomics do what they are for.
#include <cstddef>
#include <cstdint>
#include <cstring>

#define ENTRY extern "C" __attribute__((visibility("default")))

#define ACCESSES(size)                                   \
  ENTRY void __tsan_read##size(void*) {}                 \
  ENTRY void __tsan_write##size(void*) {}                \
  ENTRY void __tsan_read_write##size(void*) {}           \
  ENTRY void __tsan_volatile_read##size(void*) {}        \
  ENTRY void __tsan_volatile_write##size(void*) {}       \
  ENTRY void __tsan_unaligned_read##size(const void*) {} \
  ENTRY void __tsan_unaligned_write##size(void*) {}      \
  ENTRY void __tsan_unaligned_read_write##size(void*) {}
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

ENTRY void __tsan_read_range(void*, unsigned long) {}
ENTRY void __tsan_write_range(void*, unsigned long) {}
ENTRY void __tsan_vptr_update(void**, void*) {}
ENTRY void __tsan_vptr_read(void**) {}
ENTRY void __tsan_func_entry(void*) {}
ENTRY void __tsan_func_exit() {}
ENTRY void __tsan_init() {}
ENTRY void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) { return memcpy(to, from, bytes); }
ENTRY void* __tsan_memmove(void* to, const void* from, std::size_t bytes) { return memmove(to, from, bytes); }
ENTRY void* __tsan_memset(void* to, int byte, std::size_t bytes) { return memset(to, byte, bytes); }

using a8 = std::uint8_t;
using a16 = std::uint16_t;
using a32 = std::uint32_t;
using a64 = std::uint64_t;

#define FETCH(bits, name)                                                                 \
  ENTRY a##bits __tsan_atomic##bits##_fetch_##name(volatile a##bits* p, a##bits v, int) { \
    return __atomic_fetch_##name(p, v, __ATOMIC_SEQ_CST);                                 \
  }
#define COMPARE(bits, how, weak)                                                                        \
  ENTRY int __tsan_atomic##bits##_compare_exchange_##how(volatile a##bits* p, a##bits* expected,        \
                                                         a##bits desired, int, int) {                   \
    return __atomic_compare_exchange_n(p, expected, desired, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
#define ATOMICS(bits)                                                                              \
  ENTRY a##bits __tsan_atomic##bits##_load(const volatile a##bits* p, int) {                       \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  ENTRY void __tsan_atomic##bits##_store(volatile a##bits* p, a##bits v, int order) {              \
    if (order == __ATOMIC_SEQ_CST) {                                                               \
      __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                    \
    } else {                                                                                       \
      __atomic_store_n(p, v, __ATOMIC_RELEASE);                                                    \
    }                                                                                              \
  }                                                                                                \
  ENTRY a##bits __tsan_atomic##bits##_exchange(volatile a##bits* p, a##bits v, int) {              \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  FETCH(bits, add)                                                                                 \
  FETCH(bits, sub)                                                                                 \
  FETCH(bits, and)                                                                                 \
  FETCH(bits, or)                                                                                  \
  FETCH(bits, xor)                                                                                 \
  FETCH(bits, nand)                                                                                \
  COMPARE(bits, strong, false)                                                                     \
  COMPARE(bits, weak, true)                                                                        \
  ENTRY a##bits __tsan_atomic##bits##_compare_exchange_val(volatile a##bits* p, a##bits expected,  \
                                                           a##bits desired, int, int) {            \
    __atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    return expected;                                                                               \
  }
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

ENTRY void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
ENTRY void __tsan_atomic_signal_fence(int) {}
