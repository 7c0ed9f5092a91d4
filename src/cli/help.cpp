#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_layout.h"

namespace deadheat::cli {

namespace {

using base::Terminal;
using base::wrap;

constexpr ExitCode kExitCodes[] = {
    {kDone, "done; no race found"},
    {kRaces, "races found"},
    {kUsage, "wrong usage: unknown verb or flag, bad value"},
    {kCouldNot, "could not do it: bad input, a trace that breaks the rules, an error of the system"},
};

constexpr std::size_t kFlagIndent = 2, kWidestFlag = 26;

std::string heading(std::string_view text, const Terminal& terminal) {
  return terminal.colour ? fmt::format("\033[1m{}\033[0m\n", text) : fmt::format("{}\n", text);
}

std::string coloured(const std::string& text, const Terminal& terminal) {
  return terminal.colour ? fmt::format("\033[36m{}\033[0m", text) : text;
}

// A term and its explanation, in two columns; a long term has a line of its own.
std::string entry(const std::string& term, std::string_view text, std::size_t column,
                  const Terminal& terminal) {
  std::string out = std::string(kFlagIndent, ' ') + coloured(term, terminal);
  std::size_t taken = kFlagIndent + term.size();
  if (taken + 1 > column) {
    out += '\n';
    taken = 0;
  }
  return out + wrap(text, terminal.width, column, taken);
}

std::string body(std::string_view text, const Terminal& terminal) {
  std::string out;
  for (std::string_view one : base::paragraphs(text)) {
    out += base::is_preformatted(one) ? fmt::format("{}\n", one) : wrap(one, terminal.width, 0);
    out += '\n';
  }
  return out;
}

std::vector<Flag> flags_of(const Verb& verb) {
  std::vector<Flag> flags(verb.flags.begin(), verb.flags.end());
  flags.push_back(kHelpFlag);
  return flags;
}

}  // namespace

std::span<const ExitCode> exit_codes() { return kExitCodes; }

std::string_view version() { return DEADHEAT_VERSION; }

std::string spelling(const Flag& flag) {
  std::string out = flag.letter != 0 ? fmt::format("-{}, ", flag.letter) : std::string();
  out += fmt::format("--{}", flag.name);
  if (!flag.implied.empty()) return out + fmt::format("[={}]", flag.value);
  return flag.value.empty() ? out : out + fmt::format(" {}", flag.value);
}

std::string explanation(const Flag& flag) {
  std::string out(flag.help);
  if (!flag.choices.empty()) out += fmt::format(" [{}]", flag.choices);
  if (!flag.initial.empty()) out += fmt::format(" (default: {})", flag.initial);
  if (!flag.implied.empty()) out += fmt::format(" (alone: {})", flag.implied);
  if (flag.repeatable) out += " (may be repeated)";
  return out;
}

std::string overview(const Terminal& terminal) {
  std::string out = body(
      "Usage: deadheat VERB [options] [arguments]\n\n"
      "Deadheat finds data races in traces of C and C++ programs.",
      terminal);
  out += heading("Verbs", terminal);
  std::size_t column = 0;
  for (const Verb* verb : verbs()) column = std::max(column, verb->name.size() + kFlagIndent + 2);
  for (const Verb* verb : verbs()) out += entry(std::string(verb->name), verb->summary, column, terminal);
  out += '\n' + heading("Options", terminal);
  out += entry("-h, --help", "show this help; after a verb, the verb's", 19, terminal);
  out += entry("-V, --version", "print the version", 19, terminal);
  out += '\n' + heading("Exit codes", terminal);
  for (const ExitCode& code : exit_codes()) {
    out += entry(fmt::format("{:>2}", code.code), code.meaning, kFlagIndent + 4, terminal);
  }
  return out + "\n'deadheat VERB --help' tells more, with examples.\n";
}

std::string help_of(const Verb& verb, const Terminal& terminal) {
  std::string out = wrap(fmt::format("Usage: deadheat {} {}", verb.name, verb.usage), terminal.width, 0);
  out += '\n' + body(verb.description, terminal);
  out += heading("Options", terminal);
  // Names line up, with or without a letter before them.
  const auto term_of = [](const Flag& flag) { return (flag.letter == 0 ? "    " : "") + spelling(flag); };
  std::size_t column = 0;
  for (const Flag& flag : flags_of(verb)) {
    column = std::max(column, std::min(term_of(flag).size(), kWidestFlag) + kFlagIndent + 2);
  }
  for (const Flag& flag : flags_of(verb)) out += entry(term_of(flag), explanation(flag), column, terminal);
  if (verb.examples.empty()) return out;
  out += '\n' + heading("Examples", terminal);
  for (std::string_view line : base::lines_of(verb.examples)) {
    out += line.starts_with("$ ") ? fmt::format("  {}\n", line) : wrap(line, terminal.width, 6);
  }
  return out;
}

}  // namespace deadheat::cli
