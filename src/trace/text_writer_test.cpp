#include "trace/text_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

#include "support/any_events.h"
#include "support/scratch.h"
#include "support/text_trace.h"
#include "trace/import/std_line.h"
#include "trace/text_names.h"

namespace deadheat::trace {
namespace {

using test::read_text;
using test::write_text;

Event event(EventKind kind, std::uint32_t thread, std::uint32_t object, SiteId site = SiteId::none) {
  Event out{ThreadId{thread}, {.kind = kind, .site = site}, object};
  if (has_order(kind)) out.op.order = MemoryOrder::seq_cst;
  return out;
}

std::uint64_t count_of(const std::vector<Warning>& losses, std::string_view words) {
  for (const Warning& loss : losses) {
    if (loss.message.find(words) != std::string::npos) return loss.count;
  }
  return 0;
}

TEST(TextWriter, WritesOneLineAnEvent) {
  Names names;
  names.threads.add("main");
  names.threads.add("T1");
  names.locks.add("m");
  names.variables.add("x");
  const SiteId site = names.add_text_site("45");
  const auto written =
      write_text({event(EventKind::fork, 0, 1, site), event(EventKind::begin, 1, 0),
                  event(EventKind::acquire, 1, 0, site), event(EventKind::write, 1, 0, site),
                  event(EventKind::release, 1, 0), event(EventKind::end, 1, 0), event(EventKind::join, 0, 1)},
                 names, {});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(
      written->text,
      "main|fork(T1)|45\nT1|begin(T1)|\nT1|acq(m)|45\nT1|w(x)|45\nT1|rel(m)|\nT1|end(T1)|\nmain|join(T1)|\n");
  EXPECT_TRUE(written->losses.empty());
}

TEST(TextWriter, ExtendedTextHasAllKindsAndAttributes) {
  Names names;
  names.threads.add("T0");
  Event load = event(EventKind::atomic_load, 0, 0), read = event(EventKind::read, 0, 0);
  load.op.order = MemoryOrder::acquire;
  load.op.value = 4;
  read.op.value = 2;
  read.op.offset = 6;
  Event enter = event(EventKind::barrier_enter, 0, 0), alloc = event(EventKind::alloc, 0, 0);
  enter.op.value = 7;
  alloc.op.value = 8;
  const auto written =
      write_text({load, read, enter, alloc, event(EventKind::fence, 0, 0)}, names, {.extended = true});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->text,
            "T0|aload(V0)||acquire,size=4\nT0|r(V0)||size=2,offset=6\nT0|enter(B0)||gen=7\n"
            "T0|alloc(V0)||size=8\nT0|fence()||seq_cst\n");
}

TEST(TextWriter, SitesAreWrittenAsPeopleSeeThem) {
  Names names;
  Site site{.file = names.strings.add("a.c"), .function = names.strings.add("f"), .line = 12, .column = 3};
  const SiteId id = names.add_site(site);
  EXPECT_EQ(write_text({event(EventKind::read, 0, 0, id)}, names, {})->text, "T0|r(V0)|a.c:12:3 (f)\n");
}

TEST(TextWriter, WhatStdDoesNotHaveIsAnErrorThatNamesTheEvent) {
  const Names names;
  const Event plain = event(EventKind::read, 0, 0);
  const auto message = [&](const Event& bad, bool extended) {
    const auto written = write_text({plain, plain, bad}, names, {.extended = extended});
    return written ? std::string("none") : written.error().message;
  };
  const std::string next =
      "; --to text writes all kinds and attributes, --lossy leaves out what STD text does not have";
  EXPECT_EQ(message(event(EventKind::acquire_shared, 0, 0), false),
            "out.std: event 2: STD text has no racq" + next);
  Event sized = plain, shifted = plain, stacked = plain;
  sized.op.value = 4;
  shifted.op.offset = 1;
  stacked.op.stack = StackId{1};
  EXPECT_EQ(message(sized, false), "out.std: event 2: STD text has no size of r" + next);
  EXPECT_EQ(message(shifted, false), "out.std: event 2: STD text has no offset of r" + next);
  EXPECT_EQ(message(stacked, false), "out.std: event 2: text has no call stacks; --lossy leaves it out");
  EXPECT_EQ(message(stacked, true), "out.std: event 2: text has no call stacks; --lossy leaves it out");
  EXPECT_EQ(message(sized, true), "none");
  for (std::size_t k = 0; k < kEventKinds; ++k) {
    const auto kind = static_cast<EventKind>(k);
    const bool in_std =
        std::set<std::string_view>{"r", "w", "acq", "rel", "fork", "join", "begin", "end"}.contains(
            name_of(kind));
    EXPECT_EQ(message(event(kind, 0, 0), false) == "none", in_std) << name_of(kind);
    EXPECT_EQ(message(event(kind, 0, 0), true), "none");
  }
}

TEST(TextWriter, OperationsThatAreNotUsedDoNotMatter) {
  const Names names;
  model::BlockBuilder block;
  block.code({.kind = EventKind::acquire_shared});
  block.append(event(EventKind::read, 0, 0));
  std::string text;
  auto writer = TextWriter::to(std::make_unique<test::MemoryOutput>(text), "x", {});
  EXPECT_TRUE(writer->append(block.view(0), names));
}

TEST(TextWriter, LossyTextLeavesOutAndCounts) {
  const Names names;
  Event sized = event(EventKind::write, 0, 0);
  sized.op.value = 4;
  sized.op.offset = 2;
  sized.op.stack = StackId{1};
  const auto written = write_text({event(EventKind::acquire_shared, 0, 0), sized,
                                   event(EventKind::fence, 0, 0), sized, event(EventKind::fence, 0, 0)},
                                  names, {.lossy = true});
  ASSERT_TRUE(written);
  EXPECT_EQ(written->text, "T0|w(V0)|\nT0|w(V0)|\n");
  EXPECT_EQ(written->losses.size(), 5u);
  EXPECT_EQ(count_of(written->losses, "STD text has no racq"), 1u);
  EXPECT_EQ(count_of(written->losses, "STD text has no fence"), 2u);
  EXPECT_EQ(count_of(written->losses, "no sizes"), 2u);
  EXPECT_EQ(count_of(written->losses, "no offsets"), 2u);
  EXPECT_EQ(count_of(written->losses, "no call stacks"), 2u);
}

// As names they would be read as neighbours of others: V1 and V0 below would change places.
TEST(TextWriter, WhatCoversSeveralVariablesIsAnErrorOrWrittenAsItsFirst) {
  const Names names;
  Event wide = event(EventKind::write, 0, 1), alloc = event(EventKind::alloc, 0, 0);
  wide.op.value = 4;
  wide.op.offset = 5;
  alloc.op.value = 24;
  const std::string next =
      ", and text does not say which are neighbours; a .dht holds it, convert --lossy writes the first of "
      "them alone";
  const std::vector<Event> events = {wide, event(EventKind::read, 0, 0), alloc};
  EXPECT_EQ(write_text(events, names, {.extended = true}).error().message,
            "out.std: event 0: w covers 2 variables" + next);
  EXPECT_EQ(write_text(events, names, {}).error().message, "out.std: event 0: w covers 2 variables" + next);
  EXPECT_EQ(write_text({alloc}, names, {.extended = true}).error().message,
            "out.std: event 0: alloc covers 3 variables" + next);

  const auto lossy = write_text(events, names, {.extended = true, .lossy = true});
  ASSERT_TRUE(lossy);
  EXPECT_EQ(lossy->text, "T0|w(V1)||size=3,offset=5\nT0|r(V0)|\nT0|alloc(V0)||size=8\n");
  EXPECT_EQ(lossy->losses.size(), 1u);
  EXPECT_EQ(count_of(lossy->losses, "the first was written alone"), 2u);
  const auto lossy_std = write_text(events, names, {.lossy = true});
  ASSERT_TRUE(lossy_std);
  EXPECT_EQ(lossy_std->text, "T0|w(V1)|\nT0|r(V0)|\n");
  EXPECT_EQ(count_of(lossy_std->losses, "the first was written alone"), 1u);
}

TEST(TextWriter, AMalformedEventIsRefusedAlways) {
  const Names names;
  Event huge = event(EventKind::read, 0, 0);
  huge.op.value = UINT64_MAX;
  huge.op.offset = 7;
  EXPECT_FALSE(write_text({huge}, names, {.extended = true, .lossy = true}));
  Event bad = event(EventKind::acquire, 0, 0);
  bad.op.value = 4;
  EXPECT_FALSE(write_text({bad}, names, {.extended = true, .lossy = true}));
}

TEST(TextWriter, NamesThatCannotBeReadBackAreErrors) {
  struct Case {
    const char* thread;
    const char* variable;
    const char* location;
    const char* reason;
  };
  const Case cases[] = {
      {"T|0", "x", "1", "the thread name \"T|0\" holds \"|\", a line end or a NUL byte"},
      {"#1", "x", "1", "the thread name \"#1\" begins as a comment or with a byte order mark"},
      {"\xEF\xBB\xBF", "x", "1", "begins as a comment or with a byte order mark"},
      {"T0", "a\nb", "1", "the variable name \"a\\x0ab\" holds \"|\", a line end or a NUL byte"},
      {"T0", "x", "a|b", "its location \"a|b\" holds \"|\", a line end or a NUL byte"},
      {"T0", "x", "1\r", "its location \"1\\x0d\" ends in a carriage return"},
  };
  for (const Case& c : cases) {
    Names names;
    names.threads.add(c.thread);
    names.variables.add(c.variable);
    const Event e = event(EventKind::read, 0, 0, names.add_text_site(c.location));
    const auto written = write_text({e}, names, {.extended = true});
    ASSERT_FALSE(written) << c.reason;
    EXPECT_NE(written.error().message.find(c.reason), std::string::npos) << written.error().message;
    EXPECT_NE(written.error().message.find("event 0: "), std::string::npos);
    EXPECT_NE(written.error().message.find("--lossy"), std::string::npos);
    const auto lossy = write_text({e}, names, {.lossy = true});
    ASSERT_TRUE(lossy);
    EXPECT_EQ(lossy->losses.size(), 1u);
    EXPECT_EQ(read_text(lossy->text)->events.size(), 1u) << lossy->text;
  }
}

TEST(TextWriter, OddNamesThatCanBeReadBackAreKept) {
  Names names;
  names.threads.add("\r( ");
  names.variables.add("#)\r");
  const Event e = event(EventKind::read, 0, 0, names.add_text_site("\r#,x=("));
  const auto written = write_text({e}, names, {});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(read_text(written->text)->named[0], test::named(e, names));
}

TEST(TextWriter, IdsWithoutNameDoNotTakeTheNamesOfOthers) {
  Names names;
  names.variables.add("");
  names.variables.add("V0");
  names.variables.add("V0_0");
  const auto written = write_text(
      {event(EventKind::read, 0, 0), event(EventKind::read, 0, 1), event(EventKind::read, 0, 2)}, names, {});
  ASSERT_TRUE(written);
  EXPECT_EQ(written->text, "T0|r(V0_0_)|\nT0|r(V0)|\nT0|r(V0_0)|\n");
}

TEST(TextWriter, TwoIdsOfOneNameAreAnErrorOrMadeDistinct) {
  Names names;
  for (int i = 0; i < 3; ++i) names.threads.add("worker");
  const std::vector<Event> events = {event(EventKind::fork, 2, 0), event(EventKind::fork, 0, 1)};
  EXPECT_EQ(write_text(events, names, {}).error().message,
            "out.std: event 0: the thread name \"worker\" is the name of another one too; --lossy writes the "
            "nearest "
            "text that can be read back");
  const auto lossy = write_text(events, names, {.lossy = true});
  EXPECT_EQ(lossy->text, "worker_2|fork(worker)|\nworker|fork(worker_1)|\n");
  EXPECT_EQ(count_of(lossy->losses, "a name that cannot be read back"), 2u);
}

TEST(TextWriter, ANameTakenByAnUnnamedIdBeforeIsAnError) {
  Names names;
  std::string text;
  auto writer = TextWriter::to(std::make_unique<test::MemoryOutput>(text), "x", {});
  model::BlockBuilder block;
  block.append(event(EventKind::read, 0, 1));
  ASSERT_TRUE(writer->append(block.view(0), names));
  names.variables.add("V1");
  block.clear();
  block.append(event(EventKind::read, 0, 0));
  EXPECT_FALSE(writer->append(block.view(1), names)) << "both would be V1";
}

TEST(TextWriter, AGreatIdTakesNoGreatTable) {
  const Names names;
  const auto written = write_text(
      {event(EventKind::read, 0xFFFFFFFFu, 0xFFFFFFFEu), event(EventKind::read, 0xFFFFFFFFu, 0xFFFFFFFEu)},
      names, {});
  ASSERT_TRUE(written);
  EXPECT_EQ(written->text, "T4294967295|r(V4294967294)|\nT4294967295|r(V4294967294)|\n");
}

// A thread is one thread in the text, whatever its table calls it later.
TEST(TextWriter, AThreadRenamedAfterItWasWrittenKeepsItsFirstName) {
  Names names;
  names.threads.add("main");
  names.threads.add("151");
  std::string text;
  auto writer = TextWriter::to(std::make_unique<test::MemoryOutput>(text), "x", {});
  model::BlockBuilder block;
  block.append(event(EventKind::fork, 0, 1));
  ASSERT_TRUE(writer->append(block.view(0), names));
  names.threads.rename(1, "T151");
  block.clear();
  block.append(event(EventKind::read, 1, 0));
  ASSERT_TRUE(writer->append(block.view(1), names));
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(text, "main|fork(151)|\n151|r(V0)|\n");
  EXPECT_EQ(count_of(writer->losses(), "the first one was kept"), 1u);
}

TEST(TextWriter, ANameGivenUpBeforeItWasWrittenIsFree) {
  Names names;
  names.threads.add("T1");
  std::string text;
  auto writer = TextWriter::to(std::make_unique<test::MemoryOutput>(text), "x", {});
  model::BlockBuilder block;
  ASSERT_TRUE(writer->append(block.view(0), names));
  names.threads.rename(0, "1");
  names.threads.add("T1");
  block.append(event(EventKind::fork, 0, 1));
  ASSERT_TRUE(writer->append(block.view(0), names));
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(text, "1|fork(T1)|\n");
  EXPECT_TRUE(writer->losses().empty());
}

TEST(TextWriter, WritesFilesPlainAndCompressed) {
  const test::Scratch scratch;
  for (const char* file : {"a.std", "a.std.gz", "a.std.zst"}) {
    const Names names;
    auto writer = TextWriter::create(scratch.path(file), {});
    ASSERT_TRUE(writer);
    model::BlockBuilder block;
    for (int i = 0; i < 10'000; ++i) block.append(event(EventKind::read, 0, static_cast<std::uint32_t>(i)));
    for (std::uint64_t b = 0; b < 30; ++b) ASSERT_TRUE((*writer)->append(block.view(b * 10'000), names));
    ASSERT_TRUE((*writer)->finish());
    auto source = open_source(scratch.path(file));
    ASSERT_TRUE(source);
    std::uint64_t events = 0;
    while (true) {
      const auto read = (*source)->next();
      ASSERT_TRUE(read);
      if (*read == nullptr) break;
      events += (*read)->size();
    }
    EXPECT_EQ(events, 300'000u) << file;
  }
}

TEST(TextWriter, AFullDiskIsAnErrorAtTheLatestAtTheEnd) {
  const Names names;
  auto writer = TextWriter::create("/dev/full", {});
  ASSERT_TRUE(writer);
  model::BlockBuilder block;
  block.append(event(EventKind::read, 0, 0));
  ASSERT_TRUE((*writer)->append(block.view(0), names));
  EXPECT_EQ((*writer)->finish().error().message, "/dev/full: cannot write: No space left on device");
}

// Random traces.

rc::Gen<std::string> any_name(std::string letters) {
  return rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::move(letters))));
}
const std::string kHarmless = "aV01(),= \r\t\xC3\xA9#";
const std::string kAny = kHarmless + std::string("|\n\0\xEF\xBB\xBF_", 7);

struct RandomTrace {
  Names names;
  std::vector<Event> events;
};

// Ids below 8 have names, if these are distinct; stacks there are none.
RandomTrace random_trace(const std::string& letters) {
  RandomTrace out;
  for (std::size_t k = 1; k < kObjectKinds; ++k) {
    for (const std::string& name : *rc::gen::container<std::vector<std::string>>(any_name(letters))) {
      if (out.names.of(static_cast<ObjectKind>(k)).size() < 8)
        out.names.of(static_cast<ObjectKind>(k)).add(name);
    }
  }
  while (out.names.sites.size() < 5) out.names.add_text_site(*any_name(letters));
  out.events = *rc::gen::container<std::vector<Event>>(test::any_event());
  for (Event& event : out.events) {
    event.op.stack = StackId::none;
    event.op.site = SiteId{index(event.op.site) % 5};
  }
  return out;
}

// As much of an event as is in its first variable.
Op first_cell(Op op) {
  if (object_kind(op.kind) == ObjectKind::variable) {
    op.value = std::min<std::uint64_t>(op.value, kCellBytes - op.offset);
  }
  return op;
}

bool expressible(const Names& names) {
  for (std::size_t k = 1; k < kObjectKinds; ++k) {
    const NameTable& table = names.of(static_cast<ObjectKind>(k));
    std::set<std::string_view> seen;
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      if (!seen.insert(table[i]).second) return false;
      if (k == static_cast<std::size_t>(ObjectKind::thread) && table[i].starts_with('#')) return false;
    }
  }
  for (std::uint32_t i = 1; i < names.sites.size(); ++i) {
    if (names.display(SiteId{i}).ends_with('\r')) return false;
  }
  return true;
}

TEST(TextWriter, ExtendedTextComesBackAsItWas) {
  EXPECT_TRUE(rc::check([] {
    RandomTrace trace = random_trace(kHarmless);
    RC_PRE(expressible(trace.names));
    for (Event& event : trace.events) event.op = first_cell(event.op);
    const std::size_t block = *rc::gen::inRange<std::size_t>(1, 40);
    const auto written = write_text(trace.events, trace.names, {.extended = true}, block);
    RC_ASSERT(written.has_value());
    RC_ASSERT(written->losses.empty());
    const auto read = read_text(written->text, {.literal_threads = true});
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->events.size() == trace.events.size());
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      RC_ASSERT(read->named[i] == test::named(trace.events[i], trace.names));
    }
  }));
}

TEST(TextWriter, ExtendedTextRefusesWhatCoversSeveralVariables) {
  EXPECT_TRUE(rc::check([] {
    RandomTrace trace = random_trace(kHarmless);
    RC_PRE(expressible(trace.names));
    const bool wide = std::any_of(trace.events.begin(), trace.events.end(), [](const Event& event) {
      return object_kind(event.op.kind) == ObjectKind::variable && cells(event.op) > 1;
    });
    RC_ASSERT(write_text(trace.events, trace.names, {.extended = true}).has_value() == !wide);
  }));
}

// What is the same stays the same, what differs stays different.
TEST(TextWriter, LossyTextNeverTakesTwoThingsForOne) {
  EXPECT_TRUE(rc::check([] {
    const RandomTrace trace = random_trace(kAny);
    const std::size_t block = *rc::gen::inRange<std::size_t>(1, 40);
    const auto written = write_text(trace.events, trace.names, {.extended = true, .lossy = true}, block);
    RC_ASSERT(written.has_value());
    const auto read = read_text(written->text, {.literal_threads = true});
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->events.size() == trace.events.size());
    std::uint64_t wide = 0;
    std::map<std::pair<ObjectKind, std::uint32_t>, std::uint32_t> there;
    std::map<std::pair<ObjectKind, std::uint32_t>, std::uint32_t> back;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const Event &a = trace.events[i], &b = read->events[i];
      const ObjectKind kind = object_kind(a.op.kind);
      RC_ASSERT(a.op.kind == b.op.kind && a.op.order == b.op.order && a.op.offset == b.op.offset &&
                first_cell(a.op).value == b.op.value);
      wide += first_cell(a.op) == a.op ? 0 : 1;
      const auto same = [&](ObjectKind space, std::uint32_t x, std::uint32_t y) {
        return there.emplace(std::pair(space, x), y).first->second == y &&
               back.emplace(std::pair(space, y), x).first->second == x;
      };
      RC_ASSERT(same(ObjectKind::thread, index(a.thread), index(b.thread)));
      if (kind != ObjectKind::none) RC_ASSERT(same(kind, a.object, b.object));
    }
    RC_ASSERT(count_of(written->losses, "the first was written alone") == wide);
  }));
}

TEST(TextWriter, SaysThatCompletenessIsNotKnown) {
  test::Scratch dir;
  const auto written = [&](const Completeness* completeness) {
    auto writer = TextWriter::create(dir.path("t.txt"), {.extended = true});
    EXPECT_TRUE(writer);
    if (completeness != nullptr) (*writer)->declare(*completeness);
    EXPECT_TRUE((*writer)->finish());
    return test::contents(dir.path("t.txt"));
  };
  const Completeness complete = Completeness::complete(), unknown{};
  const Completeness sampled =
      Completeness::without(static_cast<std::uint32_t>(Omission::sampled) |
                            static_cast<std::uint32_t>(Omission::stock_instrumentation));
  EXPECT_EQ(written(nullptr), "\n");  // a file without a byte is no trace
  EXPECT_EQ(written(&complete), "\n");
  EXPECT_EQ(written(&unknown), "# completeness: unknown\n");
  EXPECT_EQ(written(&sampled), "# completeness: unknown (stock-instrumentation, sampled)\n");
  EXPECT_EQ(parse_completeness(written(&sampled)), sampled);
}

}  // namespace
}  // namespace deadheat::trace
