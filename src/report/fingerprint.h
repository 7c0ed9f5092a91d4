// What makes two races the same one, in this run, in the next, and in another program version's report.
//
// A race is its two places, in any order: file, function, line and column, or the location where there is
// only that, which of code without debug information is the module and the address in it. A place that is not
// known gives way to the variable's name. Event numbers, ids, addresses, threads and the number of instances
// change from run to run and take no part; nor do the kinds of the accesses: of a line that reads and writes,
// the one that is seen first differs between runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/place.h"

namespace deadheat::report {

struct Fingerprint {
  std::uint64_t value = 0;

  std::string text() const;        // 16 hexadecimal digits
  std::string short_text() const;  // the first 8 of them, for people
  // True for 8 to 16 digits with which it begins.
  bool begins_with(std::string_view digits) const;

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

Fingerprint fingerprint_of(const Place& one, const Place& other, std::string_view variable);

}  // namespace deadheat::report
