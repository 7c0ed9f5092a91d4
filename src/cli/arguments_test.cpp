#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/verb.h"

namespace deadheat::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Flag kFlags[] = {
    {.name = "output", .letter = 'o', .value = "FILE"},
    {.name = "to", .value = "FORMAT", .choices = "dht|std"},
    {.name = "events", .letter = 'n', .value = "N", .initial = "1e3"},
    {.name = "rate", .value = "P", .initial = "0.5"},
    {.name = "compress", .value = "LEVEL", .implied = "3"},
    {.name = "quiet", .letter = 'q'},
    {.name = "only", .value = "PATTERN", .repeatable = true},
};
constexpr Verb kVerb = {
    .name = "try", .usage = "TRACE", .flags = kFlags, .least_positional = 1, .most_positional = 2};

Result<Arguments> parse_words(std::vector<const char*> words) { return parse(kVerb, words); }

Arguments parsed(std::vector<const char*> words) {
  auto arguments = parse_words(std::move(words));
  EXPECT_TRUE(arguments.has_value());
  return arguments ? *arguments : Arguments{};
}

std::string refusal(std::vector<const char*> words) {
  const auto arguments = parse_words(std::move(words));
  EXPECT_FALSE(arguments.has_value());
  if (arguments) return "";
  EXPECT_EQ(arguments.error().kind, Error::Kind::usage);
  return arguments.error().message;
}

TEST(Arguments, KeepEveryValueOfARepeatableFlag) {
  EXPECT_THAT(parsed({"x", "--only", "a", "-q", "--only=b"}).all("only"), ElementsAre("a", "b"));
  EXPECT_THAT(parsed({"x"}).all("only"), ElementsAre());
  EXPECT_EQ(parsed({"x", "--only", "a", "--only", "b"}).get("only"), "b");
}

TEST(Arguments, LeaveTheFlagsOfACommandAlone) {
  Verb verb = kVerb;
  verb.most_positional = SIZE_MAX;
  verb.flags_end = FlagsEnd::at_first_argument;
  const char* const command[] = {"-q", "--only", "a", "run", "-q", "--unknown", "--", "x"};
  const auto arguments = parse(verb, command);
  ASSERT_TRUE(arguments.has_value());
  EXPECT_THAT(arguments->all("only"), ElementsAre("a"));
  EXPECT_THAT(arguments->positional(), ElementsAre("run", "-q", "--unknown", "--", "x"));
  const char* const unknown[] = {"--unknown", "run"};
  EXPECT_FALSE(parse(verb, unknown).has_value());
}

TEST(Arguments, EndAtTheFirstFlagOfAnother) {
  Verb verb = kVerb;
  verb.most_positional = SIZE_MAX;
  verb.flags_end = FlagsEnd::at_first_unknown;
  const char* const command[] = {"--rate", "1", "-c", "--rate", "2", "x.c"};
  const auto arguments = parse(verb, command);
  ASSERT_TRUE(arguments.has_value());
  EXPECT_EQ(arguments->get("rate"), "1");
  EXPECT_THAT(arguments->positional(), ElementsAre("-c", "--rate", "2", "x.c"));
}

TEST(Arguments, TakeAValueInEverySpelling) {
  for (const auto& words : std::vector<std::vector<const char*>>{{"x", "--output", "a=b"},
                                                                 {"--output=a=b", "x"},
                                                                 {"-o", "a=b", "x"},
                                                                 {"x", "-oa=b"},
                                                                 {"-o", "first", "-o", "a=b", "x"}}) {
    const Arguments arguments = parsed(words);
    EXPECT_EQ(arguments.get("output"), "a=b");
    EXPECT_THAT(arguments.positional(), ElementsAre("x"));
  }
}

TEST(Arguments, KnowWhatWasGiven) {
  const Arguments arguments = parsed({"x", "-q", "--output="});
  EXPECT_TRUE(arguments.has("quiet"));
  EXPECT_TRUE(arguments.has("output"));
  EXPECT_EQ(arguments.get("output"), "");
  EXPECT_FALSE(arguments.has("events"));
  EXPECT_EQ(arguments.get("events"), "1e3");
}

TEST(Arguments, AnOptionalValueIsGivenWithAnEqualsSign) {
  EXPECT_EQ(parsed({"--compress", "x"}).get("compress"), "3");
  EXPECT_EQ(parsed({"--compress=9", "x"}).get("compress"), "9");
  EXPECT_FALSE(parsed({"x"}).has("compress"));
}

TEST(Arguments, ADashIsAWordAndTwoEndTheFlags) {
  EXPECT_THAT(parsed({"-"}).positional(), ElementsAre("-"));
  EXPECT_THAT(parsed({"-q", "--", "-q", "--"}).positional(), ElementsAre("-q", "--"));
  EXPECT_EQ(parsed({"x", "--output", "-"}).get("output"), "-");
}

TEST(Arguments, RefuseUnknownFlagsWithASuggestion) {
  EXPECT_THAT(refusal({"--ouptut", "x"}),
              HasSubstr("unknown flag '--ouptut'; did you mean '--output'? 'deadheat try --help'"));
  EXPECT_THAT(refusal({"-z"}), HasSubstr("unknown flag '-z'; 'deadheat try --help'"));
  EXPECT_THAT(refusal({"--=x"}), HasSubstr("unknown flag"));
}

TEST(Arguments, RefuseAValueThatIsMissingOrTooMuch) {
  EXPECT_THAT(refusal({"x", "--output"}), HasSubstr("--output needs a value, FILE"));
  EXPECT_THAT(refusal({"x", "-o"}), HasSubstr("-o needs a value, FILE"));
  EXPECT_THAT(refusal({"x", "-o", "--to", "std"}), HasSubstr("-o needs a value, FILE, before --to"));
  EXPECT_THAT(refusal({"x", "--quiet=1"}), HasSubstr("--quiet takes no value"));
  EXPECT_THAT(refusal({"x", "-qq"}), HasSubstr("-q takes no value"));
}

TEST(Arguments, RefuseWhatIsNoChoice) {
  EXPECT_EQ(parsed({"x", "--to=std"}).get("to"), "std");
  EXPECT_THAT(refusal({"x", "--to=st"}), HasSubstr("--to: 'st' is none of dht|std"));
  EXPECT_THAT(refusal({"x", "--to="}), HasSubstr("none of"));
}

TEST(Arguments, RefuseTheWrongNumberOfWords) {
  EXPECT_THAT(refusal({}), HasSubstr("too few arguments, the usage is 'deadheat try TRACE'"));
  EXPECT_THAT(refusal({"a", "b", "c"}), HasSubstr("unexpected argument 'c'"));
}

TEST(Arguments, HelpIsKnownEverywhereAndNeedsNothingElse) {
  EXPECT_TRUE(parsed({"--help"}).has("help"));
  EXPECT_TRUE(parsed({"-h"}).has("help"));
}

TEST(Arguments, NumbersAreCheckedAgainstTheirRange) {
  EXPECT_EQ(parsed({"x"}).number("events", 1, 10'000).value(), 1000u);
  EXPECT_EQ(parsed({"x", "-n4Ki"}).number("events", 1, 10'000).value(), 4096u);
  const auto message = [](const char* flag) {
    return parsed({"x", flag}).number("events", 1, 10'000).error().message;
  };
  EXPECT_EQ(message("-n0"), "try: --events: 0 is out of range (1 to 10000)");
  EXPECT_EQ(message("-n1e99"), "try: --events: 1e99 is out of range (1 to 10000)");
  EXPECT_EQ(message("-n1.5"), "try: --events: 1.5 is not a whole number");
  EXPECT_EQ(message("-nmany"), "try: --events: 'many' is not a number like 1000, 1e6, 4M or 16Ki");
  EXPECT_THAT(parsed({"x", "-n0"}).number("events", 1, UINT64_MAX).error().message, HasSubstr("(1 or more)"));
}

TEST(Arguments, RealsAreCheckedAgainstTheirRange) {
  EXPECT_EQ(parsed({"x"}).real("rate", 0, 1).value(), 0.5);
  EXPECT_EQ(parsed({"x", "--rate=2"}).real("rate", 0, 1).error().message,
            "try: --rate: 2 is out of range (0 to 1)");
  EXPECT_THAT(parsed({"x", "--rate=half"}).real("rate", 0, 1).error().message, HasSubstr("is not a number"));
}

TEST(Arguments, AFlagThatMustBeGivenIsMissed) {
  EXPECT_EQ(parsed({"x", "-oy"}).required("output").value(), "y");
  EXPECT_EQ(parsed({"x"}).required("output").error().message,
            "try: -o, --output FILE is missing; 'deadheat try --help' shows how");
  EXPECT_FALSE(parsed({"x", "--output="}).required("output"));
}

TEST(Arguments, AskingForAFlagThatIsNotInTheTableIsABug) {
  EXPECT_DEATH(static_cast<void>(parsed({"x"}).get("nosuch")), "flags of its table only");
}

}  // namespace
}  // namespace deadheat::cli
