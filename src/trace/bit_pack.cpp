#include "trace/bit_pack.h"

#include <array>
#include <cstring>

#include "trace/bytes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace deadheat::trace {

void pack_bits(std::span<const std::uint16_t> numbers, unsigned bits, char* to) {
  std::uint64_t pending = 0;
  unsigned have = 0;  // bits in pending
  for (const std::uint16_t n : numbers) {
    pending |= std::uint64_t{n} << have;
    have += bits;
    // Stored whenever they are more than a number can still add to, without asking for whole words.
    std::memcpy(to, &pending, sizeof pending);
    const unsigned whole = have / 8;
    to += whole;
    pending >>= 8 * whole;
    have %= 8;
  }
}

void unpack_bits_plainly(const char* from, std::size_t numbers, unsigned bits, std::uint16_t* to) {
  const std::uint32_t mask = (1u << bits) - 1;
  for (std::size_t i = 0; i < numbers; ++i) {
    const std::size_t bit = i * bits;
    to[i] = static_cast<std::uint16_t>(load<std::uint32_t>(from + bit / 8) >> (bit % 8) & mask);
  }
}

#if defined(__x86_64__)

namespace {

// Eight numbers of b bits are b bytes. Each lane takes the four bytes in which its number starts, and shifts.
struct Lanes {
  alignas(32) std::array<std::uint8_t, 32> bytes{};
  alignas(32) std::array<std::uint32_t, 8> shift{};
};

constexpr std::array<Lanes, 17> make_lanes() {
  std::array<Lanes, 17> all{};
  for (unsigned bits = 0; bits <= 16; ++bits) {
    for (unsigned lane = 0; lane < 8; ++lane) {
      for (unsigned byte = 0; byte < 4; ++byte) {
        const unsigned from = lane * bits / 8 + byte;
        // Past the sixteenth byte there is nothing of this number: 0x80 makes a zero.
        all[bits].bytes[4 * lane + byte] = static_cast<std::uint8_t>(from < 16 ? from : 0x80);
      }
      all[bits].shift[lane] = lane * bits % 8;
    }
  }
  return all;
}

constexpr std::array<Lanes, 17> kLanes = make_lanes();

__attribute__((target("avx2"))) void unpack_avx2(const char* from, std::size_t numbers, unsigned bits,
                                                 std::uint16_t* to) {
  const __m256i bytes = _mm256_load_si256(reinterpret_cast<const __m256i*>(kLanes[bits].bytes.data()));
  const __m256i shift = _mm256_load_si256(reinterpret_cast<const __m256i*>(kLanes[bits].shift.data()));
  const __m256i mask = _mm256_set1_epi32(static_cast<int>((1u << bits) - 1));
  for (std::size_t i = 0; i < numbers; i += 8, from += bits) {
    const __m256i both = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    const __m256i lanes = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(both, bytes), shift), mask);
    const __m128i packed =
        _mm_packus_epi32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), packed);
  }
}

}  // namespace

void unpack_bits(const char* from, std::size_t numbers, unsigned bits, std::uint16_t* to) {
  static const bool fast = __builtin_cpu_supports("avx2") != 0;
  if (fast) {
    unpack_avx2(from, numbers, bits, to);
  } else {
    unpack_bits_plainly(from, numbers, bits, to);
  }
}

#else

void unpack_bits(const char* from, std::size_t numbers, unsigned bits, std::uint16_t* to) {
  unpack_bits_plainly(from, numbers, bits, to);
}

#endif

}  // namespace deadheat::trace
