// A place in the program, as far as a trace knows it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deadheat/names.h"
#include "report/pattern.h"
#include "symbol/symbolizer.h"

namespace deadheat::report {

struct Place {
  std::string text;  // for people: "bank.c:31:3 (charge_fee)", "libbank.so+0x1234"; "": not known
  std::string file, function;
  std::uint32_t line = 0, column = 0;
  std::string module = {};    // path of the file of code; "": the trace knows no code addresses
  std::uint64_t address = 0;  // in that file, where the call returns to
  bool inlined = false;       // the function, into the one that called it

  bool known() const { return !text.empty(); }
};

// A location that is text is read where it looks like "bank.c:31", with a column or " (function)" behind.
// A code address is looked up in its module, unless `symbols` is nullptr; the place is then the innermost
// frame.
Place place_of(SiteId site, const Names& names, symbol::Symbolizer* symbols = nullptr);
// The same with the functions it is inlined into, innermost first. Not empty, but for SiteId::none.
std::vector<Place> frames_of(SiteId site, const Names& names, symbol::Symbolizer* symbols);

// In its text, function, file or module.
bool matches(const Pattern& pattern, const Place& place);

// True for code of the system's libraries and for what was inlined from its headers: who looks for a race
// looks elsewhere first.
bool is_of_system(const Place& place);
// The innermost frame that is not; 0 where there is none.
std::size_t first_of_program(std::span<const Place> stack);

// "bank.c:31:3 (charge_fee)": what is not known is left out.
std::string place_text(std::string_view file, std::uint32_t line, std::uint32_t column,
                       std::string_view function);

}  // namespace deadheat::report
