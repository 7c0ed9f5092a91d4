// The generated manuals, for every verb there is.
#include "cli/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text_layout.h"

namespace deadheat::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Verbs, HaveTablesThatCanBeUsed) {
  std::set<std::string_view> names;
  for (const Verb* verb : verbs()) {
    EXPECT_TRUE(names.insert(verb->name).second) << verb->name;
    EXPECT_NE(verb->run, nullptr) << verb->name;
    EXPECT_FALSE(verb->summary.empty() || verb->description.empty() || verb->examples.empty()) << verb->name;
    EXPECT_LE(verb->least_positional, verb->most_positional) << verb->name;
    std::set<std::string_view> flags = {kHelpFlag.name};
    std::set<char> letters = {kHelpFlag.letter};
    for (const Flag& flag : verb->flags) {
      EXPECT_TRUE(flags.insert(flag.name).second) << verb->name << " " << flag.name;
      EXPECT_TRUE(flag.letter == 0 || letters.insert(flag.letter).second) << verb->name << " " << flag.name;
      EXPECT_FALSE(flag.help.empty() || flag.help.ends_with('.')) << verb->name << " " << flag.name;
      EXPECT_TRUE(!flag.value.empty() ||
                  (flag.initial.empty() && flag.choices.empty() && flag.implied.empty()))
          << verb->name << " " << flag.name << ": a switch has no value";
    }
  }
}

TEST(Verbs, ExamplesOnlyUseFlagsThatExist) {
  for (const Verb* verb : verbs()) {
    for (std::string_view line : base::lines_of(verb->examples)) {
      const std::string command = "$ deadheat " + std::string(verb->name);
      if (!line.starts_with(command)) continue;
      line = line.substr(0, line.find(" | "));
      line = line.substr(0, line.find(" -- "));  // what follows is for another program
      for (std::size_t at = line.find(" --"); at != std::string_view::npos; at = line.find(" --", at + 1)) {
        const std::string_view flag = line.substr(at + 3, line.find_first_of(" =)", at + 3) - at - 3);
        EXPECT_NE(find_flag(*verb, flag), nullptr) << line;
      }
    }
  }
}

TEST(Help, FitsTheTerminal) {
  for (const std::size_t width : {std::size_t{60}, std::size_t{80}, std::size_t{100}}) {
    for (const Verb* verb : verbs()) {
      const std::string help = help_of(*verb, {.width = width});
      for (const std::string_view line : base::lines_of(help)) {
        const bool stays = line.starts_with("  $ ") || (width < 80 && line.starts_with("  "));
        EXPECT_TRUE(line.size() <= width || stays) << line;
      }
    }
  }
}

TEST(Help, IsColouredOnATerminalOnly) {
  const Verb& verb = *verbs().front();
  EXPECT_THAT(help_of(verb, {.width = 80, .colour = true}), HasSubstr("\033["));
  EXPECT_THAT(help_of(verb, {.width = 80, .colour = false}), Not(HasSubstr("\033[")));
  EXPECT_THAT(overview({.width = 80, .colour = false}), Not(HasSubstr("\033[")));
}

TEST(Help, EveryManualHasEveryVerbAndFlag) {
  const std::string page = markdown(), completion = bash_completion(), whole = man_page();
  for (const Verb* verb : verbs()) {
    EXPECT_THAT(page, HasSubstr("## deadheat " + std::string(verb->name)));
    EXPECT_THAT(whole, HasSubstr("deadheat\\-" + std::string(verb->name)));
    EXPECT_THAT(completion, HasSubstr(verb->name));
    for (const Flag& flag : verb->flags) {
      const std::string name = "--" + std::string(flag.name);
      EXPECT_THAT(help_of(*verb, {}), HasSubstr(name));
      EXPECT_THAT(page, HasSubstr(name));
      EXPECT_THAT(completion, HasSubstr(name));
    }
  }
}

TEST(Help, ManPagesEscapeWhatRoffWouldRead) {
  constexpr Verb verb = {
      .name = "odd", .summary = "S", .usage = "", .description = ".hidden 'quote -x \\n", .examples = ""};
  const std::string page = man_page(verb);
  EXPECT_THAT(page, HasSubstr("\n\\&.hidden 'quote \\-x \\en\n"));
}

TEST(Help, SpellsFlagsAsTheyAreTyped) {
  EXPECT_EQ(spelling({.name = "output", .letter = 'o', .value = "FILE"}), "-o, --output FILE");
  EXPECT_EQ(spelling({.name = "compress", .value = "LEVEL", .implied = "3"}), "--compress[=LEVEL]");
  EXPECT_EQ(explanation({.name = "to", .value = "F", .help = "how", .initial = "a", .choices = "a|b"}),
            "how [a|b] (default: a)");
}

}  // namespace
}  // namespace deadheat::cli
