// Words of the command line against the table of a verb.
#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "cli/help.h"
#include "cli/number.h"
#include "cli/suggest.h"
#include "cli/verb.h"

namespace deadheat::cli {

const Flag* find_flag(const Verb& verb, std::string_view name) {
  for (const Flag& flag : verb.flags) {
    if (flag.name == name) return &flag;
  }
  return name == kHelpFlag.name ? &kHelpFlag : nullptr;
}

const Flag* find_flag(const Verb& verb, char letter) {
  for (const Flag& flag : verb.flags) {
    if (letter != 0 && flag.letter == letter) return &flag;
  }
  return letter == kHelpFlag.letter ? &kHelpFlag : nullptr;
}

class Parser {
 public:
  Parser(const Verb& verb, std::span<const char* const> words) : verb_(verb), words_(words) {
    arguments_.verb_ = &verb;
  }

  Result<Arguments> parse() {
    bool flags_over = false;
    while (at_ < words_.size()) {
      const std::string_view word = words_[at_++];
      if (flags_over || word.size() < 2 || word[0] != '-') {
        arguments_.positional_.emplace_back(word);
        flags_over = flags_over || verb_.flags_end != FlagsEnd::never;
      } else if (word == "--") {
        flags_over = true;
      } else if (verb_.flags_end == FlagsEnd::at_first_unknown && !is_ours(word)) {
        arguments_.positional_.emplace_back(word);
        flags_over = true;
      } else if (Status status = word[1] == '-' ? named(word) : lettered(word); !status) {
        return fail(std::move(status.error()));
      }
    }
    if (Status status = count_positional(); !status) return fail(std::move(status.error()));
    return std::move(arguments_);
  }

 private:
  tl::unexpected<Error> wrong(std::string_view what) const {
    return usage_error(fmt::format("{0}: {1}; 'deadheat {0} --help' shows how", verb_.name, what));
  }

  bool is_ours(std::string_view word) const {
    if (word[1] != '-') return false;
    return find_flag(verb_, word.substr(2, word.find('=') - 2)) != nullptr;
  }

  Status named(std::string_view word) {  // --name, --name value, --name=value
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
    const Flag* flag = find_flag(verb_, name);
    if (flag == nullptr) return unknown(name);
    if (equals == std::string_view::npos) return alone(*flag, fmt::format("--{}", name));
    if (flag->value.empty()) return wrong(fmt::format("--{} takes no value", name));
    return set(*flag, word.substr(equals + 1));
  }

  Status lettered(std::string_view word) {  // -o, -o value, -ovalue
    const Flag* flag = find_flag(verb_, word[1]);
    if (flag == nullptr) return unknown(word.substr(1));
    if (word.size() == 2) return alone(*flag, std::string(word));
    if (flag->value.empty()) return wrong(fmt::format("-{} takes no value", flag->letter));
    return set(*flag, word.substr(2));
  }

  // A flag whose value, if it has one, is the next word.
  Status alone(const Flag& flag, const std::string& as_given) {
    if (flag.value.empty() || !flag.implied.empty()) return set(flag, flag.implied);
    if (at_ == words_.size()) return wrong(fmt::format("{} needs a value, {}", as_given, flag.value));
    const std::string_view value = words_[at_];
    // "--output --to std" is a forgotten value, not a file called "--to".
    if (value.starts_with("--") && find_flag(verb_, value.substr(2)) != nullptr) {
      return wrong(fmt::format("{} needs a value, {}, before {}", as_given, flag.value, value));
    }
    ++at_;
    return set(flag, value);
  }

  Status set(const Flag& flag, std::string_view value) {
    if (!flag.choices.empty() && !is_choice(flag.choices, value)) {
      return wrong(fmt::format("--{}: '{}' is none of {}", flag.name, value, flag.choices));
    }
    arguments_.given_[std::string(flag.name)].emplace_back(value);
    return {};
  }

  static bool is_choice(std::string_view choices, std::string_view value) {
    while (true) {
      const std::size_t bar = choices.find('|');
      if (choices.substr(0, bar) == value) return true;
      if (bar == std::string_view::npos) return false;
      choices.remove_prefix(bar + 1);
    }
  }

  tl::unexpected<Error> unknown(std::string_view name) const {
    std::vector<std::string_view> names = {kHelpFlag.name};
    for (const Flag& flag : verb_.flags) names.push_back(flag.name);
    std::string meant = did_you_mean(name, names);
    if (const std::size_t quote = meant.find('\''); quote != std::string::npos) meant.insert(quote + 1, "--");
    return usage_error(fmt::format("{0}: unknown flag '{1}{2}'; {3}'deadheat {0} --help' lists the flags",
                                   verb_.name, name.size() == 1 ? "-" : "--", name, meant));
  }

  Status count_positional() {
    const auto& given = arguments_.positional_;
    if (arguments_.has(kHelpFlag.name)) return {};
    if (given.size() < verb_.least_positional) {
      return wrong(fmt::format("too few arguments, the usage is 'deadheat {} {}'", verb_.name, verb_.usage));
    }
    if (given.size() > verb_.most_positional) {
      return wrong(fmt::format("unexpected argument '{}'", given[verb_.most_positional]));
    }
    return {};
  }

  const Verb& verb_;
  std::span<const char* const> words_;
  std::size_t at_ = 0;
  Arguments arguments_;
};

Result<Arguments> parse(const Verb& verb, std::span<const char* const> words) {
  return Parser(verb, words).parse();
}

bool Arguments::has(std::string_view flag) const {
  DEADHEAT_ASSERT(find_flag(*verb_, flag) != nullptr, "a verb asks for flags of its table only");
  return given_.contains(flag);
}

std::string_view Arguments::get(std::string_view flag) const {
  const Flag* row = find_flag(*verb_, flag);
  DEADHEAT_ASSERT(row != nullptr, "a verb asks for flags of its table only");
  const auto found = given_.find(flag);
  return found != given_.end() ? std::string_view(found->second.back()) : row->initial;
}

std::span<const std::string> Arguments::all(std::string_view flag) const {
  const Flag* row = find_flag(*verb_, flag);
  DEADHEAT_ASSERT(row != nullptr && row->repeatable, "a verb asks for all values of repeatable flags only");
  const auto found = given_.find(flag);
  return found != given_.end() ? std::span<const std::string>(found->second) : std::span<const std::string>();
}

Result<std::string> Arguments::required(std::string_view flag) const {
  const std::string_view text = get(flag);
  if (!text.empty()) return std::string(text);
  return usage_error(fmt::format("{0}: {1} is missing; 'deadheat {0} --help' shows how", verb_->name,
                                 spelling(*find_flag(*verb_, flag))));
}

Result<std::uint64_t> Arguments::number(std::string_view flag, std::uint64_t least,
                                        std::uint64_t most) const {
  const std::string_view text = get(flag);
  const Number number = parse_number(text);
  if (number.fault == NumberFault::not_a_number) {
    return usage_error(
        fmt::format("{}: --{}: '{}' is not a number like {}", verb_->name, flag, text, kNumberExamples));
  }
  if (number.fault == NumberFault::not_whole) {
    return usage_error(fmt::format("{}: --{}: {} is not a whole number", verb_->name, flag, text));
  }
  if (number.fault == NumberFault::too_large || number.value < least || number.value > most) {
    const std::string range = most == UINT64_MAX && number.fault == NumberFault::none
                                  ? fmt::format("{} or more", least)
                                  : fmt::format("{} to {}", least, most);
    return usage_error(fmt::format("{}: --{}: {} is out of range ({})", verb_->name, flag, text, range));
  }
  return number.value;
}

namespace {

Result<double> in_range(std::optional<double> value, std::string_view like, const Verb& verb,
                        std::string_view flag, std::string_view text, double least, double most) {
  if (!value) return usage_error(fmt::format("{}: --{}: '{}' is not {}", verb.name, flag, text, like));
  if (*value < least || *value > most) {
    return usage_error(
        fmt::format("{}: --{}: {} is out of range ({} to {})", verb.name, flag, text, least, most));
  }
  return *value;
}

}  // namespace

Result<double> Arguments::real(std::string_view flag, double least, double most) const {
  const std::string_view text = get(flag);
  return in_range(parse_real(text), "a number like 0.25", *verb_, flag, text, least, most);
}

Result<double> Arguments::seconds(std::string_view flag, double least, double most) const {
  const std::string_view text = get(flag);
  return in_range(parse_seconds(text), "a time like 90, 90s or 1.5m", *verb_, flag, text, least, most);
}

}  // namespace deadheat::cli
