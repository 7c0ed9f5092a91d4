#include "cli/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace deadheat::cli {

namespace {
constexpr std::size_t kLongestWord = 64;  // longer ones are no typing mistakes
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table are enough: a swap looks two rows up.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  if (word.size() > kLongestWord) return "";
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(word.size(), 3) / 3 + 1;  // further off: no suggestion
  for (std::string_view candidate : known) {
    const bool begun = word.size() >= 2 && candidate.starts_with(word);
    const std::size_t distance = begun ? 1 : edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? "" : fmt::format("did you mean '{}'? ", best);
}

}  // namespace deadheat::cli
