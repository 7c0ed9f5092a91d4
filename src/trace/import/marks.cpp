#include "trace/import/marks.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace deadheat::trace {

std::uint32_t* find_marks_plainly(const char* text, std::size_t bytes, std::uint32_t base,
                                  std::uint32_t* out) {
  for (std::size_t i = 0; i < bytes; ++i) {
    *out = base + static_cast<std::uint32_t>(i);
    out += is_mark(text[i]) ? 1 : 0;
  }
  return out;
}

#if defined(__x86_64__)
namespace {

[[gnu::target("avx2,bmi")]] inline std::uint32_t marks_of_32(const char* text) {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
  const __m256i bar = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('|'));
  const __m256i line_end = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8('\n'));
  const __m256i nul = _mm256_cmpeq_epi8(bytes, _mm256_setzero_si256());
  return static_cast<std::uint32_t>(
      _mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(bar, line_end), nul)));
}

[[gnu::target("avx2,bmi")]] inline std::uint32_t next_mark(std::uint64_t& bits, std::uint32_t base) {
  const std::uint32_t at = base + static_cast<std::uint32_t>(_tzcnt_u64(bits));
  bits = _blsr_u64(bits);
  return at;
}

[[gnu::target("avx2,bmi")]] std::uint32_t* find_marks_avx2(const char* text, std::size_t bytes,
                                                           std::uint32_t base, std::uint32_t* out) {
  std::size_t i = 0;
  for (; i + 64 <= bytes; i += 64) {
    std::uint64_t bits = std::uint64_t{marks_of_32(text + i + 32)} << 32 | marks_of_32(text + i);
    const auto count = static_cast<unsigned>(__builtin_popcountll(bits));
    const std::uint32_t at = base + static_cast<std::uint32_t>(i);
    // Groups of eight written whether there are so many or not: fewer branches to guess wrong.
    for (unsigned done = 0; done < count; done += 8) {
      for (unsigned k = 0; k < 8; ++k) out[done + k] = next_mark(bits, at);
    }
    out += count;
  }
  return find_marks_plainly(text + i, bytes - i, base + static_cast<std::uint32_t>(i), out);
}

}  // namespace
#endif

FindMarks best_find_marks() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) return find_marks_avx2;
#endif
  return find_marks_plainly;
}

}  // namespace deadheat::trace
