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

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// T: all zeros is a value, and it can be moved by moving its bytes.
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

 private:
  ZeroPages pages_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace deadheat::base
