// Completion for bash.
#include <fmt/format.h>

#include <algorithm>

#include "cli/help.h"

namespace deadheat::cli {

namespace {

std::string words_of(std::string_view choices) {
  std::string words(choices);
  std::replace(words.begin(), words.end(), '|', ' ');
  return words;
}

// "    convert:--to|convert:-t) words='dht std text' ;;"
std::string case_of_choices(const Verb& verb, const Flag& flag) {
  if (flag.choices.empty() || !flag.implied.empty()) return "";
  std::string pattern = fmt::format("{}:--{}", verb.name, flag.name);
  if (flag.letter != 0) pattern += fmt::format("|{}:-{}", verb.name, flag.letter);
  return fmt::format("    {}) words='{}' ;;\n", pattern, words_of(flag.choices));
}

std::string flags_of(const Verb& verb) {
  std::string out = "--help";
  for (const Flag& flag : verb.flags) out += fmt::format(" --{}", flag.name);
  return out;
}

}  // namespace

std::string bash_completion() {
  std::string names, flags, choices;
  for (const Verb* verb : verbs()) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", verb->name);
    flags += fmt::format("      {}) words='{}' ;;\n", verb->name, flags_of(*verb));
    for (const Flag& flag : verb->flags) choices += case_of_choices(*verb, flag);
  }
  return fmt::format(
      R"(# bash completion for deadheat, made by 'deadheat help --completion bash'
_deadheat() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} verb=${{COMP_WORDS[1]}} words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='{names} --help --version'
  elif [ "$verb" = help ] && [[ $word != -* ]]; then
    words='{names}'
  fi
  case "$verb:$before" in
{choices}  esac
  if [ -z "$words" ] && [[ $word == -* ]]; then
    case "$verb" in
{flags}    esac
  fi
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}}
complete -o filenames -F _deadheat deadheat
)",
      fmt::arg("names", names), fmt::arg("choices", choices), fmt::arg("flags", flags));
}

}  // namespace deadheat::cli
