#include "cli/number.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace deadheat::cli {

namespace {

// A number being built: it can only grow until it is too large, and remembers that it was.
struct Whole {
  std::uint64_t value = 0;
  bool too_large = false;

  void times(std::uint64_t factor) { too_large |= __builtin_mul_overflow(value, factor, &value); }
  void plus(std::uint64_t term) { too_large |= __builtin_add_overflow(value, term, &value); }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<std::uint64_t> scale_of(std::string_view suffix) {
  if (suffix.empty()) return 1;
  const std::uint64_t step = suffix.size() == 2 && suffix[1] == 'i' ? 1024 : 1000;
  if (suffix.size() > 2 || (suffix.size() == 2 && step == 1000)) return std::nullopt;
  constexpr std::string_view kLetters = "kMGT";
  const char letter = suffix[0] == 'K' ? 'k' : suffix[0];
  const std::size_t power = kLetters.find(letter);
  if (power == std::string_view::npos) return std::nullopt;
  std::uint64_t scale = step;
  for (std::size_t i = 0; i < power; ++i) scale *= step;
  return scale;
}

// "e6" at the front of the text, taken off; 0 if there is none, nothing if it is broken.
std::optional<unsigned> take_exponent(std::string_view& text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return 0;
  text.remove_prefix(1);
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  unsigned exponent = 0, digits = 0;
  while (!text.empty() && is_digit(text[0])) {
    if (exponent < 1000) exponent = exponent * 10 + static_cast<unsigned>(text[0] - '0');
    text.remove_prefix(1);
    ++digits;
  }
  if (digits == 0) return std::nullopt;
  return exponent;
}

}  // namespace

Number parse_number(std::string_view text) {
  Whole whole;
  unsigned digits = 0, decimals = 0;
  bool in_fraction = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !in_fraction) {
      in_fraction = true;
    } else if (is_digit(text[at])) {
      whole.times(10);
      whole.plus(static_cast<std::uint64_t>(text[at] - '0'));
      ++digits;
      decimals += in_fraction ? 1 : 0;
    } else {
      break;
    }
  }
  text.remove_prefix(at);
  const auto exponent = take_exponent(text);
  const auto scale = scale_of(text);
  if (digits == 0 || !exponent || !scale) return {0, NumberFault::not_a_number};
  // Scaled up before it is divided, so that 1.5Ki is 1536. Zero stays zero whatever its exponent.
  if (whole.value != 0) {
    for (unsigned i = decimals; i < *exponent && !whole.too_large; ++i) whole.times(10);
    whole.times(*scale);
  }
  if (whole.too_large) return {0, NumberFault::too_large};
  for (unsigned i = *exponent; i < decimals; ++i) {
    if (whole.value % 10 != 0) return {0, NumberFault::not_whole};
    whole.value /= 10;
  }
  return {whole.value, NumberFault::none};
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> parse_seconds(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
  for (const auto& [unit, seconds] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto value = parse_real(text.substr(0, text.size() - unit.size()));
    return value ? std::optional(*value * seconds) : std::nullopt;
  }
  return parse_real(text);
}

}  // namespace deadheat::cli
