// The bytes of an access, cell by cell.
#pragma once

#include <cstdint>

#include "deadheat/event.h"

namespace deadheat::model {

// Bytes of a cell, one bit each.
using ByteMask = std::uint8_t;

// The bytes that an access to its variable, and to those behind, has in the cell of number `cell` from there.
constexpr ByteMask bytes_in_cell(const Op& op, std::uint64_t cell) {
  if (op.value == 0) return 0xFF;  // not known: all of it
  const std::uint64_t begin = cell == 0 ? op.offset : 0;
  const std::uint64_t left = op.offset + op.value - cell * kCellBytes;
  const std::uint64_t end = left < kCellBytes ? left : kCellBytes;
  return static_cast<ByteMask>(((1u << end) - 1) & ~((1u << begin) - 1));
}

struct ByteRange {
  VarId variable;
  const Op& op;

  // f(cell, bytes) for each cell touched.
  template <class F>
  void each_cell(F&& f) const {
    const std::uint64_t count = cells(op);
    for (std::uint64_t cell = 0; cell < count; ++cell) {
      f(static_cast<std::uint32_t>(index(variable) + cell), bytes_in_cell(op, cell));
    }
  }
};

}  // namespace deadheat::model
