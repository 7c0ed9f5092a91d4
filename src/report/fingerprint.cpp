#include "report/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>

namespace deadheat::report {

namespace {

constexpr std::size_t kShortDigits = 8;

// The words differ between the sorts of places, so that a variable "x" is no location "x".
std::string identity(const Place& place, std::string_view variable) {
  const auto joined = [](auto... parts) {
    std::string out;
    ((out += fmt::format("{}", parts), out += '\0'), ...);
    return out;
  };
  if (!place.known()) return joined("variable", variable);
  const bool without_file = place.file.empty() && (place.function.empty() || !place.module.empty());
  if (without_file) return joined("location", place.text);
  return joined("site", place.file, place.function, place.line, place.column);
}

// FNV-1a, then the mixing of MurmurHash3, which makes the leading digits as good as the others.
std::uint64_t hash(std::string_view text) {
  std::uint64_t h = 0xCBF29CE484222325u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDu;
  h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53u;
  return h ^ h >> 33;
}

}  // namespace

std::string Fingerprint::text() const { return fmt::format("{:016x}", value); }

std::string Fingerprint::short_text() const { return text().substr(0, kShortDigits); }

bool Fingerprint::begins_with(std::string_view digits) const {
  return digits.size() >= kShortDigits && text().starts_with(digits);
}

Fingerprint fingerprint_of(const Place& one, const Place& other, std::string_view variable) {
  std::string a = identity(one, variable), b = identity(other, variable);
  if (b < a) a.swap(b);
  return {hash(a + b)};
}

}  // namespace deadheat::report
