#include "cli/help.h"
#include "cli/output.h"
#include "cli/verbs.h"

namespace deadheat::cli::cmd_help {

namespace {

constexpr Flag kFlags[] = {
    {.name = "man", .help = "print the man page, in roff"},
    {.name = "markdown", .help = "print docs/cli.md, about all verbs"},
    {.name = "completion", .value = "SHELL", .help = "print the completion script", .choices = "bash"},
};

Result<Exit> run(const Arguments& arguments) {
  if (arguments.has("markdown")) {
    write_out(markdown());
  } else if (arguments.has("completion")) {
    write_out(bash_completion());
  } else if (arguments.positional().empty()) {
    write_out(arguments.has("man") ? man_page() : overview(base::terminal_of_stdout()));
  } else {
    const auto verb = find_verb(arguments.positional()[0]);
    if (!verb) return fail(verb.error());
    write_out(arguments.has("man") ? man_page(**verb) : help_of(**verb, base::terminal_of_stdout()));
  }
  return kDone;
}

}  // namespace

constinit const Verb kVerb = {
    .name = "help",
    .summary = "Show help on a verb, or print manuals",
    .usage = "[options] [VERB]",
    .description = "Shows the help of a verb, or without one the list of the verbs.",
    .examples =
        "$ deadheat help convert\n"
        "the same as 'deadheat convert --help'\n"
        "$ deadheat help --man convert | man -l -\n"
        "the man page\n"
        "$ source <(deadheat help --completion bash)\n"
        "completes verbs, flags and their values in this shell",
    .flags = kFlags,
    .least_positional = 0,
    .most_positional = 1,
    .run = run,
};

}  // namespace deadheat::cli::cmd_help
