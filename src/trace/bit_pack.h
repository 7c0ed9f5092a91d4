// A column of small numbers, each in the same number of bits, 0 to 16; the first number in the lowest bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace deadheat::trace {

// The bits that the numbers 0 .. count - 1 need.
constexpr unsigned bits_for(std::uint32_t count) {
  return count <= 1 ? 0 : static_cast<unsigned>(std::bit_width(count - 1));
}

constexpr std::size_t packed_bytes(std::size_t numbers, unsigned bits) { return (numbers * bits + 7) / 8; }

// Writes packed_bytes(numbers, bits) bytes; up to seven more behind them are written over.
void pack_bits(std::span<const std::uint16_t> numbers, unsigned bits, char* to);

// `to` must have room for `numbers` rounded up to a multiple of eight; 16 bytes behind the packed ones must
// be readable.
void unpack_bits(const char* from, std::size_t numbers, unsigned bits, std::uint16_t* to);
// Its slow and obvious twin, also used where there is no AVX2.
void unpack_bits_plainly(const char* from, std::size_t numbers, unsigned bits, std::uint16_t* to);

}  // namespace deadheat::trace
