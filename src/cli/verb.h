// A verb of the command line as data: the parser, help, man pages, completions and docs/cli.md are made from
// these tables.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deadheat/result.h"

namespace deadheat::cli {

// Exit codes, the same for every verb.
// Incomplete: all is done, and nothing was found, of input that ends before its end.
enum Exit : int { kDone = 0, kUsage = 2, kCouldNot = 3, kIncomplete = 4, kRaces = 66 };

struct Flag {
  std::string_view name;       // "output", used as --output
  char letter = 0;             // 'o', used as -o; 0: none
  std::string_view value{};    // "FILE"; empty: a switch without value
  std::string_view help{};     // one sentence, no full stop
  std::string_view initial{};  // value if not given; shown in the help
  std::string_view choices{};  // "text|json": anything else is a usage error
  std::string_view implied{};  // value of the flag alone; makes the value optional: --compress[=LEVEL]
  bool repeatable = false;     // each value counts, not only the last; shown in the help
};

// What the user gave, checked against the table. A flag given twice has its last value, unless it is
// repeatable.
class Arguments {
 public:
  bool has(std::string_view flag) const;  // given by the user
  // The value given, or the flag's initial one. Asking for a flag that is not in the table is a bug.
  std::string_view get(std::string_view flag) const;
  // All values of a repeatable flag, in the order given.
  std::span<const std::string> all(std::string_view flag) const;
  // The same of a flag that must be given; a usage error if it is not.
  Result<std::string> required(std::string_view flag) const;
  // The same as a number ("1000", "1e6", "16Ki", "4M"); a usage error names the flag, the text and the range.
  Result<std::uint64_t> number(std::string_view flag, std::uint64_t least, std::uint64_t most) const;
  Result<double> real(std::string_view flag, double least, double most) const;
  // The same of a time: 90, 90s, 1.5m.
  Result<double> seconds(std::string_view flag, double least, double most) const;
  std::span<const std::string> positional() const { return positional_; }

 private:
  friend class Parser;
  const struct Verb* verb_ = nullptr;
  std::map<std::string, std::vector<std::string>, std::less<>> given_;
  std::vector<std::string> positional_;
};

// Where the flags of a verb end.
enum class FlagsEnd : std::uint8_t {
  never,              // they may stand between the arguments; "--" ends them
  at_first_argument,  // which is a command with flags of its own
  at_first_unknown,   // the rest, flags or not, is for another program
};

struct Verb {
  std::string_view name{};
  std::string_view summary{};  // one line, for the list of verbs
  std::string_view usage{};    // "[options] TRACE", after the verb
  // Paragraphs, an empty line between them; one that starts with a blank stays as it is.
  std::string_view description{};
  std::string_view examples{};    // lines "$ deadheat ..." with a remark below each
  std::span<const Flag> flags{};  // --help is every verb's and not listed
  std::size_t least_positional = 0, most_positional = SIZE_MAX;
  FlagsEnd flags_end = FlagsEnd::never;
  Result<Exit> (*run)(const Arguments&) = nullptr;
};

inline constexpr Flag kAllowIncompleteFlag = {
    .name = "allow-incomplete", .help = "a trace that ends before its end is no reason for exit code 4"};
inline constexpr Flag kHelpFlag = {.name = "help", .letter = 'h', .help = "show this help"};

// The flag of the verb (or --help) with this name or letter; nullptr if there is none.
const Flag* find_flag(const Verb& verb, std::string_view name);
const Flag* find_flag(const Verb& verb, char letter);

// `words` are those after the verb. With --help among them the number of positional words is not checked.
Result<Arguments> parse(const Verb& verb, std::span<const char* const> words);

// Every verb there is; one row each in verbs.cpp.
std::span<const Verb* const> verbs();
// The verb, or a usage error with what may have been meant.
Result<const Verb*> find_verb(std::string_view name);

inline tl::unexpected<Error> usage_error(std::string message) {
  return fail({Error::Kind::usage, std::move(message)});
}

}  // namespace deadheat::cli
