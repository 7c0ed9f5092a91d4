// Man pages, in the roff macros of man(7).
#include <fmt/format.h>

#include "base/text_layout.h"
#include "cli/help.h"

namespace deadheat::cli {

namespace {

// Keeps roff from reading text as commands, and hyphens from becoming typographic ones.
std::string escaped(std::string_view text) {
  std::string out;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_starts = c == '\n';
  }
  return out;
}

std::string title(std::string_view page, std::string_view summary) {
  return fmt::format(
      ".TH \"{0}\" 1 \"\" \"deadheat {1}\" \"User Commands\"\n.SH NAME\n{2} \\- {3}\n.SH SYNOPSIS\n", page,
      version(), escaped(page), escaped(summary));
}

std::string body(std::string_view text) {
  std::string out;
  for (std::string_view one : base::paragraphs(text)) {
    out += base::is_preformatted(one) ? fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(one))
                                      : fmt::format(".PP\n{}\n", escaped(one));
  }
  return out;
}

std::string entry(std::string_view term, std::string_view text) {
  return fmt::format(".TP\n.B {}\n{}\n", escaped(term), escaped(text));
}

std::string exit_status() {
  std::string out = ".SH EXIT STATUS\n";
  for (const ExitCode& code : exit_codes()) out += entry(fmt::format("{}", code.code), code.meaning);
  return out;
}

std::string examples_of(const Verb& verb) {
  std::string out;
  for (std::string_view line : base::lines_of(verb.examples)) {
    const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
    out += line.starts_with("$ ") ? fmt::format(".PP\n.nf\n.B {}\n.fi\n", escaped(line))
                                  : fmt::format("{}\n", escaped(line.substr(start)));
  }
  return out.empty() ? out : ".SH EXAMPLES\n" + out;
}

}  // namespace

std::string man_page() {
  std::string out = title("deadheat", "find data races in traces of C and C++ programs");
  out += ".B deadheat\n.I VERB\n[options] [arguments]\n.SH VERBS\n";
  for (const Verb* verb : verbs()) out += entry(verb->name, verb->summary);
  out += ".SH OPTIONS\n" + entry("-h, --help", "show a help; after a verb, the verb's") +
         entry("-V, --version", "print the version");
  out += exit_status() + ".SH SEE ALSO\n";
  std::string separator;
  for (const Verb* verb : verbs()) {
    out += fmt::format("{}.BR deadheat\\-{} (1)", separator, verb->name);
    separator = ",\n";
  }
  return out + '\n';
}

std::string man_page(const Verb& verb) {
  std::string out = title(fmt::format("deadheat-{}", verb.name), verb.summary);
  out += fmt::format(".B deadheat {}\n{}\n.SH DESCRIPTION\n", escaped(verb.name), escaped(verb.usage));
  out += body(verb.description) + ".SH OPTIONS\n";
  for (const Flag& flag : verb.flags) out += entry(spelling(flag), explanation(flag));
  out += entry(spelling(kHelpFlag), kHelpFlag.help);
  return out + exit_status() + examples_of(verb);
}

}  // namespace deadheat::cli
