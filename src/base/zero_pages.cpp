#include "base/zero_pages.h"

#include <sys/mman.h>

#include <new>

namespace deadheat::base {

namespace {
constexpr std::size_t kHugePage = std::size_t{2} << 20;
}

ZeroPages::ZeroPages(std::size_t bytes, Size size) : bytes_(bytes + (size == Size::huge ? kHugePage : 0)) {
  memory_ =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  data_ = memory_;
  if (size == Size::small) return;
  const auto address = reinterpret_cast<std::uintptr_t>(memory_);
  data_ = reinterpret_cast<void*>((address + kHugePage - 1) / kHugePage * kHugePage);
  ::madvise(data_, bytes, MADV_HUGEPAGE);  // a wish: nothing is lost if it is refused
}

ZeroPages::~ZeroPages() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

}  // namespace deadheat::base
