#include "base/zero_array.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace deadheat::base {

namespace {

constexpr std::size_t kFirst = std::size_t{1} << 16;
// From this size on, huge pages are wished for: most of it will be in use, and page walks cost.
constexpr std::size_t kHuge = std::size_t{4} << 20;

}  // namespace

ZeroPages::~ZeroPages() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void ZeroPages::grow(std::size_t bytes) {
  std::size_t size = std::max(bytes_, kFirst);
  while (size < bytes) size *= 2;
  if (size == bytes_) return;
  void* const memory = data_ == nullptr ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                        : ::mremap(data_, bytes_, size, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = memory;
  bytes_ = size;
  if (size >= kHuge) ::madvise(data_, size, MADV_HUGEPAGE);  // a wish: nothing is lost if it is refused
}

}  // namespace deadheat::base
