#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/format.h"

namespace deadheat::base {

namespace {

using namespace std::chrono_literals;
constexpr std::chrono::nanoseconds kFirst = 1s, kBetween = 100ms;
constexpr std::string_view kErase = "\r\033[K";

bool is_capable_terminal() {
  const char* type = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && type != nullptr && std::string_view(type) != "dumb";
}

void write_to_stderr(std::string_view text) {
  // A line that could not be shown is no reason to stop.
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

ProgressLine::ProgressLine(std::string_view verb, std::string_view unit)
    : ProgressLine(verb, unit,
                   is_capable_terminal()
                       ? Clock([] { return std::chrono::steady_clock::now().time_since_epoch(); })
                       : Clock(),
                   write_to_stderr) {}

ProgressLine::ProgressLine(std::string_view verb, std::string_view unit, Clock clock, Write write)
    : verb_(verb), unit_(unit), clock_(std::move(clock)), write_(std::move(write)) {
  if (!clock_) return;
  start_ = clock_();
  next_ = start_ + kFirst;
}

void ProgressLine::update(std::uint64_t count, std::uint64_t part, std::uint64_t whole) {
  if (!clock_) return;
  const auto now = clock_();
  if (now < next_) return;
  next_ = now + kBetween;
  // One write, so that the terminal never shows the erased line.
  write_(fmt::format("{}{}", kErase, line(now - start_, count, part, whole)));
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  write_(kErase);
  shown_ = false;
}

std::string ProgressLine::line(std::chrono::nanoseconds elapsed, std::uint64_t count, std::uint64_t part,
                               std::uint64_t whole) const {
  const double seconds = std::max(std::chrono::duration<double>(elapsed).count(), 1e-9);
  std::string out = verb_;
  const double share = whole == 0 ? 0 : std::min(1.0, static_cast<double>(part) / static_cast<double>(whole));
  if (whole != 0) out += fmt::format("  {:.0f} %", std::min(99.0, share * 100));  // 100 is for what is done
  out += fmt::format("  {} {}  {}/s", short_count(static_cast<double>(count)), unit_,
                     short_count(static_cast<double>(count) / seconds));
  // Beyond some days the guess means nothing, and the arithmetic of times would overflow.
  const double left = share > 0 ? seconds / share - seconds : 1e9;
  if (left < 1e6) out += fmt::format("  ETA {}", minutes(std::chrono::seconds(std::llround(left))));
  return out;
}

}  // namespace deadheat::base
