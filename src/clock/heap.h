// Memory for clocks that grow with the trace's threads: pieces of few sizes, given back and used again.
#pragma once

#include <cstddef>

namespace deadheat::clock {

class Heap {
 public:
  Heap() = default;
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;
  ~Heap();

  void* get(std::size_t bytes);
  void put(void* piece, std::size_t bytes);
  std::size_t bytes() const { return bytes_; }  // in use, or kept to be used again

 private:
  struct alignas(64) Piece {
    Piece *before, *behind;  // among all
    Piece* next;             // among those to be used again
  };
  void destroy(Piece* piece, std::size_t bytes);
  void destroy_free();

  Piece all_{&all_, &all_, nullptr};
  Piece* free_ = nullptr;  // all of one size: the largest so far, of which clocks are copied most
  std::size_t size_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace deadheat::clock
