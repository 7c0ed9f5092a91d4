// The heap: alloc behind the real allocation, free before the real free, so that a block handed from one
// thread to another is free in between.
//
// The C library's own functions are called by the names it exports for that: looking them up would allocate.
#include "runtime/intercept/allocation.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/real.h"

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void __libc_free(void*);
void* __libc_memalign(std::size_t, std::size_t);
void* __libc_valloc(std::size_t);
void* __libc_pvalloc(std::size_t);
}

namespace deadheat::runtime {
namespace {

// Blocks of no bytes have an address nevertheless.
void* allocated(void* block, std::size_t bytes, Address pc) {
  if (block != nullptr && recording()) {
    emit_with(Kind::alloc, reinterpret_cast<Address>(block), pc, bytes == 0 ? 1 : bytes);
  }
  return block;
}

// Where accesses are ignored, and where the block was never the program's, as the thread-local variables of a
// dead thread are not, the block is gone without one.
void emit_free(const void* block, Address pc) {
  constexpr unsigned kNoAccess = 1;
  const bool is_access = t_self.ignore_accesses == 0 && !is_outside(pc);
  emit(Kind::free, reinterpret_cast<Address>(block), pc, is_access ? 0 : kNoAccess);
}

void freed(void* block, Address pc) {
  if (block == nullptr) return;
  if (recording()) emit_free(block, pc);
  __libc_free(block);
}

// Moved or not, what was there before is over: its content is copied without an access.
void* reallocated(void* block, std::size_t bytes, Address pc) {
  if (block == nullptr) return allocated(__libc_malloc(bytes), bytes, pc);
  if (bytes == 0) {
    freed(block, pc);
    return nullptr;
  }
  if (!recording()) return __libc_realloc(block, bytes);
  emit_free(block, pc);
  const std::size_t before = malloc_usable_size(block);
  void* const moved = __libc_realloc(block, bytes);
  if (moved == nullptr) {
    allocated(block, before, pc);
    return nullptr;
  }
  return allocated(moved, bytes, pc);
}

constexpr bool power_of_two(std::size_t n) { return n != 0 && (n & (n - 1)) == 0; }

}  // namespace

void* allocate(std::size_t bytes, Address pc) { return allocated(__libc_malloc(bytes), bytes, pc); }

DEADHEAT_EXPORT void* malloc(std::size_t bytes) {
  return allocated(__libc_malloc(bytes), bytes, DEADHEAT_CALLER);
}

DEADHEAT_EXPORT void* calloc(std::size_t count, std::size_t size) {
  return allocated(__libc_calloc(count, size), count * size, DEADHEAT_CALLER);
}

DEADHEAT_EXPORT void* realloc(void* block, std::size_t bytes) {
  return reallocated(block, bytes, DEADHEAT_CALLER);
}

DEADHEAT_EXPORT void* reallocarray(void* block, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return reallocated(block, bytes, DEADHEAT_CALLER);
}

DEADHEAT_EXPORT void free(void* block) { freed(block, DEADHEAT_CALLER); }

// Gone from the C library, but old objects ask for it.
DEADHEAT_EXPORT void cfree(void* block) { freed(block, DEADHEAT_CALLER); }

DEADHEAT_EXPORT void* memalign(std::size_t alignment, std::size_t bytes) {
  return allocated(__libc_memalign(alignment, bytes), bytes, DEADHEAT_CALLER);
}

DEADHEAT_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return allocated(__libc_memalign(alignment, bytes), bytes, DEADHEAT_CALLER);
}

DEADHEAT_EXPORT int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  if (alignment % sizeof(void*) != 0 || !power_of_two(alignment)) return EINVAL;
  const int before = errno;
  void* const at = __libc_memalign(alignment, bytes);
  errno = before;
  if (at == nullptr) return ENOMEM;
  *block = allocated(at, bytes, DEADHEAT_CALLER);
  return 0;
}

DEADHEAT_EXPORT void* valloc(std::size_t bytes) {
  return allocated(__libc_valloc(bytes), bytes, DEADHEAT_CALLER);
}

DEADHEAT_EXPORT void* pvalloc(std::size_t bytes) {
  return allocated(__libc_pvalloc(bytes), bytes, DEADHEAT_CALLER);
}

// C++'s operators would reach malloc by themselves, but then the place of every block would be the same one
// within the C++ library. Where memory is short the real operator calls the program's handler and throws.
#define DEADHEAT_NEW(symbol)                                                   \
  DEADHEAT_REAL(void*, symbol, (std::size_t bytes), nullptr)                   \
  DEADHEAT_EXPORT void* symbol(std::size_t bytes) {                            \
    void* const block = __libc_malloc(bytes == 0 ? 1 : bytes);                 \
    if (__builtin_expect(block == nullptr, false)) return REAL(symbol)(bytes); \
    return allocated(block, bytes, DEADHEAT_CALLER);                           \
  }
DEADHEAT_NEW(_Znwm)
DEADHEAT_NEW(_Znam)

#define DEADHEAT_NEW_NOTHROW(symbol)                                              \
  DEADHEAT_REAL(void*, symbol, (std::size_t bytes, const void* n), nullptr)       \
  DEADHEAT_EXPORT void* symbol(std::size_t bytes, const void* n) {                \
    void* const block = __libc_malloc(bytes == 0 ? 1 : bytes);                    \
    if (__builtin_expect(block == nullptr, false)) return REAL(symbol)(bytes, n); \
    return allocated(block, bytes, DEADHEAT_CALLER);                              \
  }
DEADHEAT_NEW_NOTHROW(_ZnwmRKSt9nothrow_t)
DEADHEAT_NEW_NOTHROW(_ZnamRKSt9nothrow_t)

#define DEADHEAT_NEW_ALIGNED(symbol)                                                      \
  DEADHEAT_REAL(void*, symbol, (std::size_t bytes, std::size_t alignment), nullptr)       \
  DEADHEAT_EXPORT void* symbol(std::size_t bytes, std::size_t alignment) {                \
    void* const block = __libc_memalign(alignment, bytes == 0 ? 1 : bytes);               \
    if (__builtin_expect(block == nullptr, false)) return REAL(symbol)(bytes, alignment); \
    return allocated(block, bytes, DEADHEAT_CALLER);                                      \
  }
DEADHEAT_NEW_ALIGNED(_ZnwmSt11align_val_t)
DEADHEAT_NEW_ALIGNED(_ZnamSt11align_val_t)

#define DEADHEAT_NEW_ALIGNED_NOTHROW(symbol)                                                       \
  DEADHEAT_REAL(void*, symbol, (std::size_t bytes, std::size_t alignment, const void* n), nullptr) \
  DEADHEAT_EXPORT void* symbol(std::size_t bytes, std::size_t alignment, const void* n) {          \
    void* const block = __libc_memalign(alignment, bytes == 0 ? 1 : bytes);                        \
    if (__builtin_expect(block == nullptr, false)) return REAL(symbol)(bytes, alignment, n);       \
    return allocated(block, bytes, DEADHEAT_CALLER);                                               \
  }
DEADHEAT_NEW_ALIGNED_NOTHROW(_ZnwmSt11align_val_tRKSt9nothrow_t)
DEADHEAT_NEW_ALIGNED_NOTHROW(_ZnamSt11align_val_tRKSt9nothrow_t)

#define DEADHEAT_DELETE(symbol, ...) \
  DEADHEAT_EXPORT void symbol(void* block __VA_OPT__(, ) __VA_ARGS__) { freed(block, DEADHEAT_CALLER); }
DEADHEAT_DELETE(_ZdlPv)
DEADHEAT_DELETE(_ZdaPv)
DEADHEAT_DELETE(_ZdlPvm, std::size_t)
DEADHEAT_DELETE(_ZdaPvm, std::size_t)
DEADHEAT_DELETE(_ZdlPvRKSt9nothrow_t, const void*)
DEADHEAT_DELETE(_ZdaPvRKSt9nothrow_t, const void*)
DEADHEAT_DELETE(_ZdlPvSt11align_val_t, std::size_t)
DEADHEAT_DELETE(_ZdaPvSt11align_val_t, std::size_t)
DEADHEAT_DELETE(_ZdlPvmSt11align_val_t, std::size_t, std::size_t)
DEADHEAT_DELETE(_ZdaPvmSt11align_val_t, std::size_t, std::size_t)
DEADHEAT_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, std::size_t, const void*)
DEADHEAT_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, std::size_t, const void*)

}  // namespace deadheat::runtime
