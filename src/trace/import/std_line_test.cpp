#include "trace/import/std_line.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "trace/import/marks.h"
#include "trace/import/plain_line.h"

namespace deadheat::trace {
namespace {

std::string reason(std::string_view line) {
  const auto parsed = parse_std_line(line);
  return parsed ? "none" : parsed.error();
}

TEST(StdLine, HasThreadOperationObjectAndLocation) {
  const auto line = parse_std_line("T0|r(V1)|45");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->thread, "T0");
  EXPECT_EQ(line->op.kind, EventKind::read);
  EXPECT_EQ(line->object, "V1");
  EXPECT_EQ(line->location, "45");
}

TEST(StdLine, NamesMayBeAnyText) {
  const auto line = parse_std_line("main thread (1)|w(std::map<int, f(int)>)::x)|a/b.c:12 (f(int)), é");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->thread, "main thread (1)");
  EXPECT_EQ(line->object, "std::map<int, f(int)>)::x");
  EXPECT_EQ(line->location, "a/b.c:12 (f(int)), é");
  EXPECT_EQ(parse_std_line("T|r(()|1")->object, "(");
  EXPECT_EQ(parse_std_line("T|r())|1")->object, ")");
}

TEST(StdLine, EveryKindHasItsWord) {
  for (std::size_t k = 0; k < kEventKinds; ++k) {
    const auto kind = static_cast<EventKind>(k);
    const bool has_object = object_kind(kind) != ObjectKind::none;
    const std::string text = "T0|" + std::string(name_of(kind)) + (has_object ? "(x)|1" : "()|1");
    const auto line = parse_std_line(text);
    ASSERT_TRUE(line) << name_of(kind);
    EXPECT_EQ(line->op, plain_op(kind));
    EXPECT_EQ(line->object, has_object ? "x" : "");
  }
}

TEST(StdLine, BeginAndEndMayNameTheirThread) {
  for (const char* text : {"T7|begin|1", "T7|begin()|1", "T7|begin(T7)|1", "T7|begin(7)|1"}) {
    const auto line = parse_std_line(text);
    ASSERT_TRUE(line) << text;
    EXPECT_EQ(line->op.kind, EventKind::begin);
    EXPECT_EQ(line->object, "");
  }
  EXPECT_EQ(reason("T7|end(T8)|1"), "end takes no object");
  EXPECT_EQ(reason("T7|fence(T7)|1"), "fence takes no object");
}

TEST(StdLine, AttributesStandInAFourthColumn) {
  EXPECT_EQ(parse_std_line("T0|r(x)|1|size=4,offset=2")->op,
            (Op{.kind = EventKind::read, .offset = 2, .value = 4}));
  EXPECT_EQ(parse_std_line("T0|aload(x)|1|acquire,size=8")->op,
            (Op{.kind = EventKind::atomic_load, .order = MemoryOrder::acquire, .value = 8}));
  EXPECT_EQ(parse_std_line("T0|fence||acq_rel")->op,
            (Op{.kind = EventKind::fence, .order = MemoryOrder::acq_rel}));
  EXPECT_EQ(parse_std_line("T0|enter(b)|1|gen=7")->op, (Op{.kind = EventKind::barrier_enter, .value = 7}));
  EXPECT_EQ(parse_std_line("T0|alloc(x)|1|size=8")->op, (Op{.kind = EventKind::alloc, .value = 8}));
  EXPECT_EQ(parse_std_line("T0|enter(b)|1|gen=18446744073709551615")->op,
            (Op{.kind = EventKind::barrier_enter, .value = UINT64_MAX}));
}

TEST(StdLine, AtomicsWithoutAnOrderAreSequentiallyConsistent) {
  EXPECT_EQ(parse_std_line("T0|armw(x)|1")->op.order, MemoryOrder::seq_cst);
  EXPECT_EQ(parse_std_line("T0|armw(x)|1|size=4")->op.order, MemoryOrder::seq_cst);
  EXPECT_EQ(parse_std_line("T0|w(x)|1")->op.order, MemoryOrder::relaxed);
}

TEST(StdLine, SaysWhyItCannotBeRead) {
  EXPECT_EQ(reason("hello"), "no \"|\"");
  EXPECT_EQ(reason("|r(x)|1"), "the thread has no name");
  EXPECT_EQ(reason("T0|r(x)"), "no \"|\" and location after the operation");
  EXPECT_EQ(reason("T0|x(V1)|3"), "unknown operation \"x\"");
  EXPECT_EQ(reason("T0||3"), "unknown operation \"\"");
  EXPECT_EQ(reason("T0|R(x)|3"), "unknown operation \"R\"");
  EXPECT_EQ(reason("T0| r(x)|3"), "unknown operation \" r\"");
  EXPECT_EQ(reason("T0|r|3"), "r needs an object in parentheses");
  EXPECT_EQ(reason("T0|acq()|3"), "acq of an object without a name");
  EXPECT_EQ(reason("T0|r(x|3"), "no \")\" at the end of \"r(x\"");
  EXPECT_EQ(reason("T0|r(x) |3"), "no \")\" at the end of \"r(x) \"");
  EXPECT_EQ(reason("T0|r(|3"), "no \")\" at the end of \"r(\"");
  EXPECT_EQ(reason("T0|r(x)|3\r|size=4"), "the location ends in a carriage return");
  EXPECT_EQ(reason("T0|fork(#1)|3"),
            "no thread has a name that begins as a comment or with a byte order mark");
  EXPECT_EQ(reason(std::string_view("T0|r(\0)|3", 10)), "it holds a NUL byte");
}

TEST(StdLine, SaysWhatIsWrongWithAnAttribute) {
  EXPECT_EQ(reason("T0|r(x)|1|"), "unknown attribute \"\"");
  EXPECT_EQ(reason("T0|r(x)|1|colour=red"), "unknown attribute \"colour=red\"");
  EXPECT_EQ(reason("T0|r(x)|1|size=4,"), "unknown attribute \"\"");
  EXPECT_EQ(reason("T0|r(x)|1|size"), "\"size\" is not size= and a number below 2^64");
  EXPECT_EQ(reason("T0|r(x)|1|size=-1"), "\"size=-1\" is not size= and a number below 2^64");
  EXPECT_EQ(reason("T0|r(x)|1|size=18446744073709551616"),
            "\"size=18446744073709551616\" is not size= and a number below 2^64");
  EXPECT_EQ(reason("T0|r(x)|1|size=4|size=4"), "\"size=4|size=4\" is not size= and a number below 2^64");
  EXPECT_EQ(reason("T0|r(x)|1|size=4,size=8"), "size is given a second time");
  EXPECT_EQ(reason("T0|r(x)|1|offset=8"), "offset=8 is not below 8");
  EXPECT_EQ(reason("T0|alloc(x)|1|offset=1"), "offset is no attribute of alloc");
  EXPECT_EQ(reason("T0|acq(x)|1|size=4"), "size is no attribute of acq");
  EXPECT_EQ(reason("T0|r(x)|1|gen=4"), "gen is no attribute of r");
  EXPECT_EQ(reason("T0|w(x)|1|seq_cst"), "seq_cst is no attribute of w");
  EXPECT_EQ(reason("T0|aload(x)|1|acquire,relaxed"), "relaxed is given a second time");
}

TEST(StdLine, NothingGoesBeyondItsVariable) {
  for (const char* text :
       {"T0|r(x)|1|size=8", "T0|w(x)|1|offset=7,size=1", "T0|armw(x)|1|size=4,offset=4,relaxed",
        "T0|r(x)|1|size=0,offset=7", "T0|free(x)|1|size=8"}) {
    EXPECT_EQ(reason(text), "none") << text;
  }
  const std::string beyond =
      " goes beyond the 8 bytes of a variable, and text does not say which one follows";
  EXPECT_EQ(reason("T0|r(x)|1|size=9"), "size=9,offset=0" + beyond);
  EXPECT_EQ(reason("T0|w(x)|1|offset=7,size=2"), "size=2,offset=7" + beyond);
  EXPECT_EQ(reason("T0|aload(x)|1|size=4,acquire,offset=5"), "size=4,offset=5" + beyond);
  EXPECT_EQ(reason("T0|alloc(x)|1|size=16"), "size=16,offset=0" + beyond);
  EXPECT_EQ(reason("T0|r(x)|1|size=18446744073709551615,offset=7"),
            "size=18446744073709551615,offset=7" + beyond);
}

// Lines near enough to the format to be interesting.
rc::Gen<std::string> any_line() {
  const auto word = rc::gen::element<std::string>("r", "w", "acq", "rel", "racq", "rrel", "aload", "astore",
                                                  "armw", "fork", "join", "send", "recv", "enter", "exit",
                                                  "alloc", "free", "begin", "end", "fence", "x", "");
  const auto text =
      rc::gen::container<std::string>(rc::gen::element('a', '1', '(', ')', '#', '\r', ' ', '\xFF'));
  return rc::gen::map(
      rc::gen::tuple(text, word, text, text, rc::gen::element<std::string>("(", "(", "(", "")),
      [](const auto& parts) {
        const auto& [thread, op, object, location, open] = parts;
        return thread + "|" + op + open + object + ")|" + location;
      });
}

TEST(PlainLine, ReadsAsTheFullParserDoesOrNotAtAll) {
  std::size_t taken = 0;
  EXPECT_TRUE(rc::check([&] {
    const std::string line = *any_line();
    const std::string text = std::string(16, '|') + line + "\n" + std::string(16, '(');
    const auto bar1 = static_cast<std::uint32_t>(text.find('|', 16));
    const auto bar2 = static_cast<std::uint32_t>(text.find('|', bar1 + 1));
    const auto end = static_cast<std::uint32_t>(16 + line.size());
    PlainLine plain;
    if (!read_plain_line(text.data(), 16, bar1, bar2, end, plain)) return;
    ++taken;
    std::string_view trimmed = line;
    while (trimmed.ends_with('\r')) trimmed.remove_suffix(1);
    const auto full = parse_std_line(trimmed);
    RC_ASSERT(full.has_value());
    RC_ASSERT(plain.thread == full->thread);
    RC_ASSERT(plain.object == full->object);
    RC_ASSERT(plain.location == full->location);
    RC_ASSERT(plain_op(plain.kind) == full->op);
  }));
  EXPECT_GT(taken, 20u);
}

TEST(PlainLine, TakesEveryKindThatHasAnObject) {
  for (std::size_t k = 0; k < kEventKinds; ++k) {
    const auto kind = static_cast<EventKind>(k);
    const std::string op(name_of(kind));
    const std::string text = "T0|" + op + "(x)|1\n                ";
    PlainLine plain;
    const auto bar2 = static_cast<std::uint32_t>(3 + op.size() + 3);
    const bool taken = read_plain_line(text.data(), 0, 2, bar2, bar2 + 2, plain);
    EXPECT_EQ(taken, object_kind(kind) != ObjectKind::none) << op;
    if (taken) {
      EXPECT_EQ(plain.kind, kind);
      EXPECT_EQ(plain.object, "x");
    }
  }
}

}  // namespace
}  // namespace deadheat::trace
