// A place in the program, as far as a trace knows it.
#pragma once

#include <cstdint>
#include <string>

#include "deadheat/names.h"

namespace deadheat::report {

struct Place {
  std::string text;  // for people: "bank.c:31:3 (charge_fee)"; "": not known
  std::string file, function;
  std::uint32_t line = 0, column = 0;

  bool known() const { return !text.empty(); }
};

// A location that is text is read where it looks like "bank.c:31", with a column or " (function)" behind.
Place place_of(SiteId site, const Names& names);

}  // namespace deadheat::report
