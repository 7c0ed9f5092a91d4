#include "cli/event_line.h"

#include <gtest/gtest.h>

namespace deadheat::cli {
namespace {

TEST(EventLine, IsALineOfTheTextFormat) {
  Names names;
  names.threads.add("main");
  const SiteId site = names.add_text_site("bank.c:12");
  const auto line = [&](const Op& op, std::uint32_t object = 0) {
    return event_line({ThreadId{0}, op, object}, names);
  };
  EXPECT_EQ(line({.kind = EventKind::acquire, .site = site}, 3), "main|acq(L3)|bank.c:12");
  EXPECT_EQ(line({.kind = EventKind::begin}), "main|begin(main)|");
  EXPECT_EQ(line({.kind = EventKind::barrier_enter, .value = 7}, 1), "main|enter(B1)||gen=7");
  EXPECT_EQ(line({.kind = EventKind::atomic_load, .order = MemoryOrder::acquire, .offset = 4, .value = 2}),
            "main|aload(V0)||acquire,size=2,offset=4");
}

TEST(EventLine, ShowsAttributesThatDoNotBelong) {
  EXPECT_EQ(event_line({ThreadId{1}, {.kind = EventKind::fork, .offset = 9, .value = 5}, 2}, Names{}),
            "T1|fork(T2)||size=5,offset=9");
}

TEST(EventLine, NamesCannotUpsetATerminal) {
  Names names;
  names.threads.add("a\x1b[2J\nb");
  EXPECT_EQ(event_line({ThreadId{0}, {.kind = EventKind::fence}, 0}, names),
            "a\\x1b[2J\\x0ab|fence()||relaxed");
}

}  // namespace
}  // namespace deadheat::cli
