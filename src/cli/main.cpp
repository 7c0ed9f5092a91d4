// Finds the verb, runs it, and maps what came of it to an exit code.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>

#include "cli/help.h"
#include "cli/output.h"
#include "cli/verb.h"

namespace {

using namespace deadheat;
using namespace deadheat::cli;

// A trace opened while one of these is closed would get its number, and messages would end up in the trace.
// The stand-in is opened for the wrong direction: using it fails, as using the closed one would.
void hold_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) std::_Exit(kCouldNot);
  }
}

Result<Exit> run_verb(std::string_view name, std::span<const char* const> words) {
  const auto verb = find_verb(name);
  if (!verb) return fail(verb.error());
  const auto arguments = parse(**verb, words);
  if (!arguments) return fail(arguments.error());
  if (arguments->has(kHelpFlag.name)) {
    write_out(help_of(**verb, base::terminal_of_stdout()));
    return kDone;
  }
  auto outcome = (*verb)->run(*arguments);
  // What was found stands; that nothing was found, or all is well, is not known of what is missing.
  const auto allows = [&](const Flag& flag) {
    return flag.name == kAllowIncompleteFlag.name && arguments->has(flag.name);
  };
  if (outcome && *outcome == kDone && input_was_incomplete() &&
      std::ranges::none_of((*verb)->flags, allows)) {
    return kIncomplete;
  }
  return outcome;
}

Result<Exit> run_words(std::span<const char* const> words) {
  if (words.empty()) {
    return usage_error("no verb given; 'deadheat --help' lists the verbs");
  }
  const std::string_view first = words[0];
  if (first == "--version" || first == "-V") {
    print("deadheat {}\n", version());
    return kDone;
  }
  if (first == "--help" || first == "-h") {
    write_out(overview(base::terminal_of_stdout()));
    return kDone;
  }
  if (first.starts_with('-')) {
    return usage_error(
        fmt::format("unexpected '{}', the verb comes first; 'deadheat --help' lists the verbs", first));
  }
  return run_verb(first, words.subspan(1));
}

// Results that were not written are not results: an error of standard output turns success into failure.
Result<Exit> run_and_flush(std::span<const char* const> words) {
  try {
    auto outcome = run_words(words);
    const Status written = finish_output();
    if (outcome && !written) return fail(written.error());
    return outcome;
  } catch (const std::bad_alloc&) {
    return io_error("out of memory");
  } catch (const std::exception& caught) {
    if (const Status written = finish_output(); !written) return fail(written.error());
    return io_error(fmt::format("internal error: {}", caught.what()));
  }
}

// As if SIGPIPE had not been ignored: a shell sees 141 and says nothing, as of any other tool in a pipe.
[[noreturn]] void end_by_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  std::_Exit(128 + SIGPIPE);  // where the signal is blocked
}

}  // namespace

int main(int count, char** words) {
  hold_standard_descriptors();
  // Writers see the error and clean up behind themselves; end_by_closed_pipe() has the last word.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes (ulimit -f) is an error of the write, not a death
  const auto outcome = run_and_flush({words + 1, words + std::max(count, 1)});
  if (outcome) return *outcome;
  if (is_closed_output(outcome.error())) end_by_closed_pipe();
  say(outcome.error().message);
  return outcome.error().kind == Error::Kind::usage ? kUsage : kCouldNot;
}
