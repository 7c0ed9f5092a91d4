#include "clock/heap.h"

#include <cstdlib>
#include <new>

namespace deadheat::clock {

namespace {

std::size_t whole(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

Heap::~Heap() {
  for (Piece* piece = all_.behind; piece != &all_;) {
    Piece* const behind = piece->behind;
    std::free(piece);
    piece = behind;
  }
}

void* Heap::get(std::size_t bytes) {
  if (bytes == size_ && free_ != nullptr) {
    Piece* const piece = free_;
    free_ = piece->next;
    return piece + 1;
  }
  if (bytes > size_) {
    destroy_free();
    size_ = bytes;
  }
  auto* const piece = static_cast<Piece*>(std::aligned_alloc(alignof(Piece), sizeof(Piece) + whole(bytes)));
  if (piece == nullptr) throw std::bad_alloc();
  bytes_ += sizeof(Piece) + whole(bytes);
  piece->before = &all_;
  piece->behind = all_.behind;
  all_.behind->before = piece;
  all_.behind = piece;
  return piece + 1;
}

void Heap::put(void* at, std::size_t bytes) {
  Piece* const piece = static_cast<Piece*>(at) - 1;
  if (bytes != size_) return destroy(piece, bytes);
  piece->next = free_;
  free_ = piece;
}

void Heap::destroy(Piece* piece, std::size_t bytes) {
  piece->before->behind = piece->behind;
  piece->behind->before = piece->before;
  bytes_ -= sizeof(Piece) + whole(bytes);
  std::free(piece);
}

void Heap::destroy_free() {
  while (free_ != nullptr) {
    Piece* const piece = free_;
    free_ = piece->next;
    destroy(piece, size_);
  }
}

}  // namespace deadheat::clock
