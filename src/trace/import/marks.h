// Where the bytes are that matter to the shape of a line: '|', '\n', and NUL, which no line may hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace deadheat::trace {

constexpr bool is_mark(char c) { return c == '|' || c == '\n' || c == '\0'; }

// Writes base + i for every mark text[i], in order, and returns the end of what was written.
// `out` has room for bytes + kMarkSlack numbers.
using FindMarks = std::uint32_t* (*)(const char* text, std::size_t bytes, std::uint32_t base,
                                     std::uint32_t* out);
inline constexpr std::size_t kMarkSlack = 16;

std::uint32_t* find_marks_plainly(const char* text, std::size_t bytes, std::uint32_t base,
                                  std::uint32_t* out);

// The fastest that this processor can run.
FindMarks best_find_marks();

}  // namespace deadheat::trace
