// Memory that is all zeros until written to, and costs nothing before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace deadheat::base {

class ZeroPages {
 public:
  enum class Size : std::uint8_t { small, huge };  // huge: where the system gives them, for less page walks

  ZeroPages(std::size_t bytes, Size size);
  ZeroPages(ZeroPages&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), data_(other.data_), bytes_(other.bytes_) {}
  ZeroPages& operator=(ZeroPages&&) = delete;
  ~ZeroPages();

  void* data() const { return data_; }

 private:
  void* memory_;
  void* data_;
  std::size_t bytes_;
};

}  // namespace deadheat::base
