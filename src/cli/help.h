// The tables of the verbs as text for people and tools.
#pragma once

#include <string>
#include <string_view>

#include "base/terminal.h"
#include "cli/verb.h"

namespace deadheat::cli {

std::string_view version();

// What `deadheat --help` and `deadheat VERB --help` print.
std::string overview(const base::Terminal& terminal);
std::string help_of(const Verb& verb, const base::Terminal& terminal);

// roff. Of the whole program, and of one verb.
std::string man_page();
std::string man_page(const Verb& verb);

std::string markdown();         // docs/cli.md
std::string bash_completion();  // for /usr/share/bash-completion/completions/deadheat

// "-o, --output FILE", "--compress[=LEVEL]".
std::string spelling(const Flag& flag);
// The help with choices and initial value.
std::string explanation(const Flag& flag);

// One exit code as every verb uses it.
struct ExitCode {
  int code;
  std::string_view meaning;
};
std::span<const ExitCode> exit_codes();

}  // namespace deadheat::cli
