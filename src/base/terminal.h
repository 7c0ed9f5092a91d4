// What the terminal can do, if there is one.
#pragma once

#include <cstddef>

namespace deadheat::base {

struct Terminal {
  std::size_t width = 80;  // columns that text is wrapped to
  bool colour = false;
};

// Of standard output. Not a terminal: 80 columns, no colour. NO_COLOR and TERM=dumb are respected.
Terminal terminal_of_stdout();

}  // namespace deadheat::base
