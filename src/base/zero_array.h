// An array that is all zeros until written to. What is not touched takes no memory, so it may be as large as
// the greatest index wants; growing moves pages, not contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace deadheat::base {

class ZeroPages {
 public:
  ZeroPages() = default;
  ZeroPages(ZeroPages&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ZeroPages& operator=(ZeroPages&&) = delete;
  ~ZeroPages();

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  void grow(std::size_t bytes);
  // The pages that were touched. touched(i) is of the i-th page.
  static constexpr std::size_t kPage = 4096;
  std::size_t touched_bytes() const;
  // f(first byte, end) of stretches of touched pages.
  template <class F>
  void for_each_touched(F&& f) const {
    for (std::size_t at = 0; at < bytes_;) {
      const auto [begin, end] = next_touched(at);
      if (begin == end) return;
      f(begin, end);
      at = end;
    }
  }

 private:
  std::pair<std::size_t, std::size_t> next_touched(std::size_t from) const;

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// T: all zeros is a value, and it can be moved by moving its bytes; its size divides that of a page.
template <class T>
class ZeroArray {
 public:
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  void grow(std::size_t size) {
    pages_.grow(size * sizeof(T));
    data_ = static_cast<T*>(pages_.data());
    size_ = pages_.bytes() / sizeof(T);
  }
  std::size_t touched_bytes() const { return pages_.touched_bytes(); }
  template <class F>
  void for_each_touched(F&& f) {
    static_assert(ZeroPages::kPage % sizeof(T) == 0);
    pages_.for_each_touched([&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin / sizeof(T); i < end / sizeof(T); ++i) f(data_[i]);
    });
  }
  template <class F>
  void for_each_touched(F&& f) const {
    static_assert(ZeroPages::kPage % sizeof(T) == 0);
    pages_.for_each_touched([&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin / sizeof(T); i < end / sizeof(T); ++i) f(std::as_const(data_[i]));
    });
  }

 private:
  ZeroPages pages_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace deadheat::base
