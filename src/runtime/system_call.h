// The kernel, without the C library in between: whose function is intercepted, sets errno, may be a
// cancellation point, and takes arguments of any type, of which an int leaves half a register undefined.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>

namespace deadheat::runtime {

// Negative: the error.
inline long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

// Memory to read and write; null: there is none.
inline void* map_memory(unsigned long bytes, int flags, int descriptor) {
  const long at =
      system_call(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE, flags, descriptor, 0);
  return at < 0 && at > -4096 ? nullptr : reinterpret_cast<void*>(at);
}

inline long as_word(const void* address) { return reinterpret_cast<long>(address); }

}  // namespace deadheat::runtime
