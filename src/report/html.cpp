#include "report/html.h"

#include "report/words.h"

namespace deadheat::report {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : for_people(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace deadheat::report
