// A column of 32-bit numbers in 0 to 4 bytes each: two bits of length a number, four numbers a control byte.
// After Lemire, Kurz & Rupp, "Stream VByte: faster byte-oriented integer compression" (2018). Departs: a
// block uses any four of the five lengths 0..4, so that a column of repeats costs two bits a number and one
// of 24-bit numbers does not pay for a fourth byte.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace deadheat::trace {

inline constexpr unsigned kLengths = 5;

// Without a branch: the lengths of real columns cannot be predicted.
constexpr unsigned byte_length(std::uint32_t value) {
  return (static_cast<unsigned>(std::bit_width(value)) + 7) / 8;
}

// How many numbers need each length; gives the length that is cheapest to leave out.
using LengthCounts = std::array<std::uint32_t, kLengths>;
unsigned cheapest_omission(const LengthCounts& counts);

constexpr std::size_t control_bytes(std::size_t numbers) { return (numbers + 3) / 4; }

// Writes control_bytes(n) to `control` and the data to `data`, which must have room for 4 n + 4 bytes.
// Returns the data bytes used.
std::size_t encode_lengths(std::span<const std::uint32_t> numbers, unsigned omitted, char* control,
                           char* data);

// The data bytes that `numbers` numbers with these control bytes take. Unused pairs in the last control byte
// must be zero, else this gives SIZE_MAX.
std::size_t encoded_size(const char* control, std::size_t numbers, unsigned omitted);

// Decodes into `out`, which must have room for `numbers` rounded up to a multiple of four. Loads 16 bytes at
// any place in the data: kPadding readable bytes must follow it.
void decode_lengths(const char* control, const char* data, std::size_t numbers, unsigned omitted,
                    std::uint32_t* out);
// Its slow and obvious twin, also used where there is no SSSE3.
void decode_lengths_plainly(const char* control, const char* data, std::size_t numbers, unsigned omitted,
                            std::uint32_t* out);

}  // namespace deadheat::trace
