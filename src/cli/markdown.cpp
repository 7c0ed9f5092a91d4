// docs/cli.md.
#include <fmt/format.h>

#include "base/text_layout.h"
#include "cli/help.h"

namespace deadheat::cli {

namespace {

// For a cell of a table: a bar would end it.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string body(std::string_view text) {
  std::string out;
  for (std::string_view one : base::paragraphs(text)) {
    out += base::is_preformatted(one) ? fmt::format("```\n{}\n```\n\n", one) : fmt::format("{}\n\n", one);
  }
  return out;
}

std::string section(const Verb& verb) {
  std::string out = fmt::format("\n## deadheat {}\n\n{}.\n\n", verb.name, verb.summary);
  out += fmt::format("```\ndeadheat {} {}\n```\n\n", verb.name, verb.usage) + body(verb.description);
  out += "| option | |\n| --- | --- |\n";
  for (const Flag& flag : verb.flags) {
    out += fmt::format("| `{}` | {} |\n", cell(spelling(flag)), cell(explanation(flag)));
  }
  out += fmt::format("| `{}` | {} |\n", spelling(kHelpFlag), kHelpFlag.help);
  if (verb.examples.empty()) return out;
  out += "\n```\n";
  for (std::string_view line : base::lines_of(verb.examples)) {
    out += line.starts_with("$ ") ? fmt::format("{}\n", line) : fmt::format("# {}\n", line);
  }
  return out + "```\n";
}

}  // namespace

std::string markdown() {
  std::string out =
      "# Command line\n\n<!-- Made by `deadheat help --markdown`: change the tables in src/cli, then run "
      "`scripts/generate-docs`. -->\n\n| verb | |\n| --- | --- |\n";
  for (const Verb* verb : verbs()) {
    out += fmt::format("| [{0}](#deadheat-{0}) | {1} |\n", verb->name, cell(verb->summary));
  }
  out += "\nResults go to standard output, everything else to standard error.\n\n";
  out += "| exit code | |\n| --- | --- |\n";
  for (const ExitCode& code : exit_codes()) out += fmt::format("| {} | {} |\n", code.code, code.meaning);
  out +=
      "\nIf the reader of standard output goes away (`| head`), deadheat ends without a word by SIGPIPE, as "
      "other\ntools do: a shell shows 141.\n";
  for (const Verb* verb : verbs()) out += section(*verb);
  return out;
}

}  // namespace deadheat::cli
