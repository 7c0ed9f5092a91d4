// A line that shows how far long work is:  convert  43 %  12.3 M events  24.1 M/s  ETA 0:07
// Shown on a terminal only, not before a second has passed, renewed some ten times a second, gone at the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace deadheat::base {

class ProgressLine {
 public:
  using Clock = std::function<std::chrono::nanoseconds()>;
  using Write = std::function<void(std::string_view)>;

  // On standard error; does nothing if that is no terminal.
  ProgressLine(std::string_view verb, std::string_view unit);
  // With a clock and a terminal of the caller's.
  ProgressLine(std::string_view verb, std::string_view unit, Clock clock, Write write);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  // `count` units are done, `part` of `whole` of the work (whole 0: not known). Cheap: meant for every block.
  void update(std::uint64_t count, std::uint64_t part, std::uint64_t whole);
  // Takes the line away, before anything else is written to the terminal.
  void clear();

 private:
  std::string line(std::chrono::nanoseconds elapsed, std::uint64_t count, std::uint64_t part,
                   std::uint64_t whole) const;

  std::string verb_, unit_;
  Clock clock_;  // none: nothing is shown
  Write write_;
  std::chrono::nanoseconds start_{}, next_{};
  bool shown_ = false;
};

}  // namespace deadheat::base
