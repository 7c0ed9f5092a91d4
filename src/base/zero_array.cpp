#include "base/zero_array.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <vector>

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

std::pair<std::size_t, std::size_t> ZeroPages::next_touched(std::size_t from) const {
  // A stretch at a time, since the array may be far larger than what was touched of it.
  constexpr std::size_t kStretch = std::size_t{1} << 14;
  std::vector<unsigned char> resident(kStretch);
  for (std::size_t at = from; at < bytes_; at += kStretch * kPage) {
    const std::size_t pages = std::min(kStretch, (bytes_ - at) / kPage);
    if (::mincore(static_cast<char*>(data_) + at, pages * kPage, resident.data()) != 0)
      return {at, at + pages * kPage};
    const auto end = resident.begin() + static_cast<std::ptrdiff_t>(pages);
    const auto first =
        std::find_if(resident.begin(), end, [](unsigned char page) { return (page & 1) != 0; });
    if (first == end) continue;
    const auto last = std::find_if(first, end, [](unsigned char page) { return (page & 1) == 0; });
    return {at + static_cast<std::size_t>(first - resident.begin()) * kPage,
            at + static_cast<std::size_t>(last - resident.begin()) * kPage};
  }
  return {bytes_, bytes_};
}

std::size_t ZeroPages::touched_bytes() const {
  std::size_t sum = 0;
  for_each_touched([&](std::size_t begin, std::size_t end) { sum += end - begin; });
  return sum;
}

}  // namespace deadheat::base
