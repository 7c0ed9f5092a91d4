#include "cli/output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/format.h"
#include "base/shown.h"

namespace deadheat::cli {

namespace {

int first_error = 0;
bool incomplete_input = false;

void remember(bool failed) {
  if (failed && first_error == 0) first_error = errno != 0 ? errno : EIO;
}

}  // namespace

void write_out(std::string_view text) {
  // Names of files and of what is in traces are by others: on a terminal they are text, and nothing else.
  static const bool is_terminal = isatty(STDOUT_FILENO) != 0;
  const std::string harmless = is_terminal ? base::for_terminal(text, base::Colours::keep) : "";
  if (is_terminal) text = harmless;
  errno = 0;
  remember(std::fwrite(text.data(), 1, text.size(), stdout) != text.size());
}

void say(std::string_view text) {
  // One call, so that lines of several processes do not mix. An error of stderr has nowhere to be told.
  const std::string line = fmt::format("deadheat: {}\n", base::for_terminal(text));
  std::fflush(stderr);
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

void say_warnings(std::string_view trace, std::span<const Warning> warnings) {
  for (const Warning& warning : warnings) {
    incomplete_input |= warning.is_incomplete;
    const std::string times =
        warning.count == 1 ? "" : fmt::format(" ({} times)", base::grouped(warning.count));
    say(fmt::format("warning: {}: {}{}", trace, warning.message, times));
  }
}

bool input_was_incomplete() { return incomplete_input; }

bool output_failed() { return first_error != 0 || std::ferror(stdout) != 0; }

Status finish_output() {
  errno = 0;
  remember(std::fflush(stdout) != 0 || std::ferror(stdout) != 0);
  if (first_error == 0) return {};
  const auto kind = first_error == EPIPE ? Error::Kind::closed_pipe : Error::Kind::io;
  return fail({kind, fmt::format("cannot write to standard output: {}", std::strerror(first_error))});
}

bool is_closed_output(const Error& error) {
  if (error.kind != Error::Kind::closed_pipe) return false;
  // It may have been another pipe, given by -o. A pipe whose reader is gone polls as an error.
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace deadheat::cli
