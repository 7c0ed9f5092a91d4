#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace deadheat::base {

namespace {

constexpr std::size_t kNarrowest = 40, kWidest = 100;  // lines longer than this are hard to read

bool set_in_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0;
}

}  // namespace

Terminal terminal_of_stdout() {
  Terminal terminal;
  if (isatty(STDOUT_FILENO) == 0) return terminal;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.width = std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
  }
  const char* type = std::getenv("TERM");
  const bool dumb = type == nullptr || std::string_view(type) == "dumb";
  terminal.colour = !dumb && !set_in_environment("NO_COLOR");
  return terminal;
}

}  // namespace deadheat::base
