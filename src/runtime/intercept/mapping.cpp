// Mappings: fresh memory is allocated, memory given back is gone. Those that the C library makes for itself
// (heaps, stacks, objects it loads) do not come by here.
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/emit.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

constexpr std::size_t kPage = 4096;
std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

void emit_unmap(const void* at, std::size_t bytes, Address pc) {
  if (bytes != 0) emit_with(Kind::unmap, reinterpret_cast<Address>(at), pc, whole_pages(bytes));
}

// Content that comes from a file is not written by anybody who could race.
void* mapped(void* at, std::size_t bytes, Address pc) {
  if (at != MAP_FAILED && recording()) {
    emit_with(Kind::alloc, reinterpret_cast<Address>(at), pc, whole_pages(bytes));
  }
  return at;
}

// A fixed address takes the place of what was there.
void replace(const void* at, std::size_t bytes, int flags, Address pc) {
  if ((flags & MAP_FIXED) != 0 && recording()) emit_unmap(at, bytes, pc);
}

}  // namespace

DEADHEAT_INTERCEPT(void*, mmap, (void* at, std::size_t bytes, int access, int flags, int fd, off_t offset)) {
  replace(at, bytes, flags, DEADHEAT_CALLER);
  return mapped(REAL(mmap)(at, bytes, access, flags, fd, offset), bytes, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(void*, mmap64,
                   (void* at, std::size_t bytes, int access, int flags, int fd, off64_t offset)) {
  replace(at, bytes, flags, DEADHEAT_CALLER);
  return mapped(REAL(mmap)(at, bytes, access, flags, fd, offset), bytes, DEADHEAT_CALLER);
}

// Before the real one: behind it another thread may have the pages already.
DEADHEAT_INTERCEPT(int, munmap, (void* at, std::size_t bytes)) {
  if (recording()) emit_unmap(at, bytes, DEADHEAT_CALLER);
  return REAL(munmap)(at, bytes);
}

// Declared with `...`; every argument is a register on this machine.
DEADHEAT_REAL(void*, mremap, (void* at, std::size_t before, std::size_t bytes, int flags, void* target),
              nullptr)
extern "C" __attribute__((visibility("default"))) void* deadheat_mremap(void* at, std::size_t before,
                                                                        std::size_t bytes, int flags,
                                                                        void* target) asm("mremap");
void* deadheat_mremap(void* at, std::size_t before, std::size_t bytes, int flags, void* target) {
  if (recording()) emit_unmap(at, before, DEADHEAT_CALLER);
  if ((flags & MREMAP_FIXED) != 0 && recording()) emit_unmap(target, bytes, DEADHEAT_CALLER);
  return mapped(REAL(mremap)(at, before, bytes, flags, target), bytes, DEADHEAT_CALLER);
}

}  // namespace deadheat::runtime
