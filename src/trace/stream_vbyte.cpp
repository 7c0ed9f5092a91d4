#include "trace/stream_vbyte.h"

#include <cstring>

#include "trace/bytes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace deadheat::trace {

namespace {

// The lengths in use, by code.
constexpr std::array<std::array<std::uint8_t, 4>, kLengths> kLengthOf{
    {{1, 2, 3, 4}, {0, 2, 3, 4}, {0, 1, 3, 4}, {0, 1, 2, 4}, {0, 1, 2, 3}}};

// The code of the shortest length in use that holds a number of this length.
constexpr unsigned code_for(unsigned length, unsigned omitted) {
  for (unsigned code = 0; code < 4; ++code) {
    if (kLengthOf[omitted][code] >= length) return code;
  }
  return 3;
}

struct Tables {
  std::array<std::array<std::uint8_t, 256>, kLengths> bytes{};  // data bytes of a control byte
  std::array<std::array<std::uint8_t, kLengths>, kLengths> code{};
  alignas(16) std::array<std::array<std::array<std::uint8_t, 16>, 256>, kLengths> shuffle{};
};

constexpr Tables make_tables() {
  Tables t;
  for (unsigned omitted = 0; omitted < kLengths; ++omitted) {
    for (unsigned length = 0; length < kLengths; ++length) {
      t.code[omitted][length] = static_cast<std::uint8_t>(code_for(length, omitted));
    }
    for (unsigned control = 0; control < 256; ++control) {
      unsigned from = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned length = kLengthOf[omitted][control >> (2 * i) & 3];
        for (unsigned byte = 0; byte < 4; ++byte) {
          // A lane index with the top bit set makes a zero byte.
          t.shuffle[omitted][control][4 * i + byte] =
              static_cast<std::uint8_t>(byte < length ? from + byte : 0x80);
        }
        from += length;
      }
      t.bytes[omitted][control] = static_cast<std::uint8_t>(from);
    }
  }
  return t;
}

constexpr Tables kTables = make_tables();

}  // namespace

unsigned cheapest_omission(const LengthCounts& counts) {
  // A number of the omitted length takes one byte more; length 4 can be left out only where it does not
  // occur.
  unsigned best = counts[4] == 0 ? 4 : 0;
  for (unsigned omitted = 0; omitted < 4; ++omitted) {
    if (counts[omitted] < counts[best]) best = omitted;
  }
  return best;
}

std::size_t encode_lengths(std::span<const std::uint32_t> numbers, unsigned omitted, char* control,
                           char* data) {
  char* const start = data;
  for (std::size_t i = 0; i < numbers.size(); i += 4) {
    unsigned codes = 0;
    for (std::size_t j = i; j < i + 4 && j < numbers.size(); ++j) {
      const unsigned code = kTables.code[omitted][byte_length(numbers[j])];
      std::memcpy(data, &numbers[j], 4);
      data += kLengthOf[omitted][code];
      codes |= code << (2 * (j - i));
    }
    *control++ = static_cast<char>(codes);
  }
  return static_cast<std::size_t>(data - start);
}

std::size_t encoded_size(const char* control, std::size_t numbers, unsigned omitted) {
  std::size_t bytes = 0;
  const auto& table = kTables.bytes[omitted];
  for (std::size_t i = 0; i < numbers / 4; ++i) bytes += table[static_cast<unsigned char>(control[i])];
  if (const unsigned rest = numbers % 4; rest != 0) {
    const unsigned codes = static_cast<unsigned char>(control[numbers / 4]);
    if (codes >> (2 * rest) != 0) return SIZE_MAX;
    for (unsigned i = 0; i < rest; ++i) bytes += kLengthOf[omitted][codes >> (2 * i) & 3];
  }
  return bytes;
}

void decode_lengths_plainly(const char* control, const char* data, std::size_t numbers, unsigned omitted,
                            std::uint32_t* out) {
  for (std::size_t i = 0; i < numbers; ++i) {
    const unsigned length =
        kLengthOf[omitted][static_cast<unsigned char>(control[i / 4]) >> (2 * (i % 4)) & 3];
    std::uint32_t value = 0;
    std::memcpy(&value, data, length);
    out[i] = value;
    data += length;
  }
}

#if defined(__x86_64__)

namespace {

__attribute__((target("ssse3"))) void decode_ssse3(const char* control, const char* data, std::size_t numbers,
                                                   unsigned omitted, std::uint32_t* out) {
  const auto& bytes = kTables.bytes[omitted];
  const auto& shuffle = kTables.shuffle[omitted];
  // The last group may be partial: its unused codes are zero, which reads up to four bytes too many of the
  // padding and writes past `numbers`, for which there is room.
  for (std::size_t group = 0; group < control_bytes(numbers); ++group) {
    const unsigned codes = static_cast<unsigned char>(control[group]);
    const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
    const __m128i lanes = _mm_load_si128(reinterpret_cast<const __m128i*>(shuffle[codes].data()));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 4 * group), _mm_shuffle_epi8(packed, lanes));
    data += bytes[codes];
  }
}

}  // namespace

void decode_lengths(const char* control, const char* data, std::size_t numbers, unsigned omitted,
                    std::uint32_t* out) {
  static const bool fast = __builtin_cpu_supports("ssse3") != 0;
  if (fast) {
    decode_ssse3(control, data, numbers, omitted, out);
  } else {
    decode_lengths_plainly(control, data, numbers, omitted, out);
  }
}

#else

void decode_lengths(const char* control, const char* data, std::size_t numbers, unsigned omitted,
                    std::uint32_t* out) {
  decode_lengths_plainly(control, data, numbers, omitted, out);
}

#endif

}  // namespace deadheat::trace
