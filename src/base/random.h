// Chance with a seed: the same numbers on every machine. Steele, Lea & Flood, "Fast splittable pseudorandom
// number generators" (2014): one addition and a mix a number, state of 64 bits.
#pragma once

#include <cstdint>

namespace deadheat::base {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  // In [0, n), from 32 fresh bits; the bias is below n / 2^32.
  std::uint32_t below(std::uint32_t n) { return scale(static_cast<std::uint32_t>((*this)() >> 32), n); }
  // The same for large n, from 64 fresh bits; the bias is below n / 2^64.
  std::uint64_t below64(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{(*this)()} * n >> 64);
  }
  // The same from bits that the caller has.
  static std::uint32_t scale(std::uint32_t bits, std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{bits} * n) >> 32);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  // In [0, 1).
  double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace deadheat::base
