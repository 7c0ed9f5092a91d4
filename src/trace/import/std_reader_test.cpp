#include "trace/import/std_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <filesystem>

#include "support/scratch.h"
#include "support/source_path.h"
#include "support/text_trace.h"

namespace deadheat::trace {
namespace {

using test::NamedEvent;
using test::read_text;

const std::string kExpected =
    "expected thread|op(object)|location with op one of r, w, aload, astore, armw, fence, acq, rel, racq, "
    "rrel, "
    "fork, join, begin, end, send, recv, enter, exit, alloc, free, gap, gapat, tryacq, tryrecv, tryjoin";

TEST(StdReader, ReadsEventsInOrderWithDenseIds) {
  const auto trace = read_text("T1|acq(L1)|1\nT1|w(V1)|2\nT1|rel(L1)|3\nT2|w(V1)|2\n");
  ASSERT_TRUE(trace) << trace.error().message;
  const std::vector<Event> expected = {
      {ThreadId{0}, {.kind = EventKind::acquire, .site = SiteId{1}}, 0},
      {ThreadId{0}, {.kind = EventKind::write, .site = SiteId{2}}, 0},
      {ThreadId{0}, {.kind = EventKind::release, .site = SiteId{3}}, 0},
      {ThreadId{1}, {.kind = EventKind::write, .site = SiteId{2}}, 0},
  };
  EXPECT_EQ(trace->events, expected);
  EXPECT_EQ(trace->names().threads[1], "T2");
  EXPECT_EQ(trace->names().display(SiteId{2}), "2");
  EXPECT_TRUE(trace->source->warnings().empty());
}

TEST(StdReader, NameSpacesAreApart) {
  const auto trace = read_text("x|r(x)|x\nx|acq(x)|x\nx|send(x)|x\nx|enter(x)|x\nx|fork(x)|x\n");
  ASSERT_TRUE(trace);
  for (const ObjectKind kind : {ObjectKind::variable, ObjectKind::lock, ObjectKind::thread,
                                ObjectKind::channel, ObjectKind::barrier}) {
    EXPECT_EQ(trace->names().of(kind).size(), 1u);
    EXPECT_EQ(trace->names().of(kind)[0], "x");
  }
  EXPECT_EQ(trace->names().sites.size(), 2u);
}

TEST(StdReader, BlankLinesAndCommentsArePassedOver) {
  const auto trace = read_text("# a comment |r(x)|1\n\n  \t\nT0|r(x)|1\n#T0|w(x)|2\n\r\n\nT0|w(x)|2\n\n");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->events.size(), 2u);
  EXPECT_TRUE(trace->source->warnings().empty());
}

TEST(StdReader, ReadsGapsAndFailedAttempts) {
  const auto trace = read_text(
      "T0|gap()|1\nT0|gap|1\nT0|gapat(x)|1|size=4,offset=2\nT0|tryacq(l)|1\nT0|tryrecv(c)|1\nT0|tryjoin(T1)|"
      "1\n");
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->events.size(), 6u);
  EXPECT_EQ(trace->events[0].op.kind, EventKind::gap);
  EXPECT_EQ(trace->events[1], trace->events[0]);
  const Op range{.kind = EventKind::gap_range, .offset = 2, .site = SiteId{1}, .value = 4};
  EXPECT_EQ(trace->events[2].op, range);
  EXPECT_EQ(trace->events[3].op.kind, EventKind::try_acquire_failed);
  EXPECT_EQ(trace->events[4].op.kind, EventKind::try_recv_failed);
  EXPECT_EQ(trace->events[5].op.kind, EventKind::try_join_failed);
  EXPECT_FALSE(read_text("T0|gap(x)|1\n"));
  EXPECT_FALSE(read_text("T0|gap(T0)|1\n"));
}

TEST(StdReader, IsCompleteUnlessItSaysOtherwise) {
  const auto completeness = [](const std::string& text) {
    const auto trace = read_text(text);
    EXPECT_TRUE(trace);
    return trace->source->completeness();
  };
  const auto unknown = [](std::uint32_t omissions) { return Completeness{false, omissions}; };
  EXPECT_EQ(completeness("T0|r(x)|1\n"), Completeness::complete());
  EXPECT_EQ(completeness("# completeness: complete\nT0|r(x)|1\n"), Completeness::complete());
  EXPECT_EQ(completeness("T0|r(x)|1\n# completeness: unknown\n"), unknown(0));
  EXPECT_EQ(completeness("T0|r(x)|1\n# completeness: unknown (sampled, ignored)"), unknown(12));
  // What nobody understands is not taken for a promise.
  EXPECT_EQ(completeness("# completeness: complete but for one\n"), unknown(0));
  EXPECT_EQ(completeness("# completeness:\n"), unknown(0));
}

TEST(StdReader, NothingButCommentsIsATraceWithoutEvents) {
  for (const char* text : {"", "\n", "# nothing\n", "# nothing", "\xEF\xBB\xBF", "\r\n\r\n"}) {
    const auto trace = read_text(text);
    ASSERT_TRUE(trace);
    EXPECT_TRUE(trace->events.empty());
  }
}

TEST(StdReader, LineEndsMayBeThoseOfWindowsOrMissingAtTheEnd) {
  const auto plain = read_text("T0|r(x)|1\nT0|begin|\nT0|w(y)|2|size=4\n");
  ASSERT_TRUE(plain);
  for (const char* text :
       {"T0|r(x)|1\r\nT0|begin|\r\nT0|w(y)|2|size=4\r\n", "T0|r(x)|1\nT0|begin|\nT0|w(y)|2|size=4",
        "T0|r(x)|1\r\nT0|begin|\r\r\nT0|w(y)|2|size=4\r",
        "\xEF\xBB\xBFT0|r(x)|1\nT0|begin|\nT0|w(y)|2|size=4"}) {
    const auto trace = read_text(text);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->named, plain->named);
  }
}

TEST(StdReader, AByteOrderMarkBeforeALineIsPassedOver) {
  const auto trace =
      read_text("\xEF\xBB\xBF# comment\nT0|r(x)|1\n\xEF\xBB\xBFT0|r(x)|1\n\xEF\xBC\xB4|r(x)|1\n");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->events.size(), 3u);
  EXPECT_EQ(trace->names().threads.size(), 2u);
}

TEST(StdReader, AThreadThatCouldNotActIsNoTarget) {
  for (const char* target : {"#", "#1", "\xEF\xBB\xBFT1"}) {
    EXPECT_FALSE(read_text("T0|fork(" + std::string(target) + ")|1\n")) << target;
    EXPECT_FALSE(read_text("T0|join(" + std::string(target) + ")|1|\n")) << target;
    EXPECT_TRUE(read_text("T0|acq(" + std::string(target) + ")|1\n")) << target;
  }
}

TEST(StdReader, AnEmptyLocationIsNoSite) {
  const auto trace = read_text("T0|r(x)|\nT0|fence()||acquire\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->events[0].op.site, SiteId::none);
  EXPECT_EQ(trace->events[1].op.site, SiteId::none);
}

TEST(StdReader, NumbersWithLeadingZerosAreOtherNames) {
  const auto trace = read_text("T0|r(7)|1\nT0|r(07)|01\nT00|r(V7)|001\nT0|r(V07)|1\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->names().variables.size(), 4u);
  EXPECT_EQ(trace->names().threads.size(), 2u);
  EXPECT_EQ(trace->names().sites.size(), 4u);
}

TEST(StdReader, AnUnreadableLineIsAnErrorThatSaysWhereAndWhy) {
  const auto trace = read_text("T0|r(x)|1\n# comment\n\nT0|x(V1)|3\nT0|r(x)|1\n");
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().message,
            "trace.std:4: cannot read \"T0|x(V1)|3\": unknown operation \"x\"; " + kExpected);
}

TEST(StdReader, TheTextInAnErrorIsShortAndPrintable) {
  const auto trace = read_text("T0|\x1b[31m" + std::string(1000, 'x') + "(y)|1\n");
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().message.find("trace.std:1: cannot read \"T0|\\x1b[31mxxx"), 0u)
      << trace.error().message;
  EXPECT_LT(trace.error().message.size(), 400u);
}

TEST(StdReader, ANulByteIsAnError) {
  const auto trace = read_text(std::string("T0|r(x)|1\nT0|r(\0)|1\n", 21));
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().message,
            "trace.std:2: cannot read \"T0|r(\\x00)|1\": it holds a NUL byte; " + kExpected);
}

TEST(StdReader, UnreadableLinesCanBeSkippedAndAreCounted) {
  const auto trace =
      read_text("oops\nT0|r(x)|1\nT0|q(x)|1\nT9|r(new)|9|size=x\n" + std::string("\0\n", 2) + "T0|w(x)|2\n",
                {.skip_bad = true});
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->events.size(), 2u);
  EXPECT_EQ(trace->names().variables.size(), 1u) << "a skipped line leaves no names behind";
  EXPECT_EQ(trace->names().threads.size(), 1u);
  EXPECT_EQ(trace->names().sites.size(), 3u);
  const auto warnings = trace->source->warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].count, 4u);
  EXPECT_EQ(
      warnings[0].message,
      "an unreadable line was left out, first trace.std:1: cannot read \"oops\": no \"|\"; " + kExpected);
}

TEST(StdReader, BytesThatAreNoTextAreRefusedAsSuch) {
  std::string bytes =
      "\x7f"
      "ELF\x02\x01\x01";
  for (int i = 0; i < 5000; ++i) bytes += static_cast<char>(i * i % 251);
  for (const bool skip : {false, true}) {
    const auto trace = read_text(bytes, {.skip_bad = skip});
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().message,
              "trace.std: does not look like a text trace: it holds bytes that are no text; " + kExpected);
  }
}

TEST(StdReader, BlocksHoldAFixedNumberOfEvents) {
  std::string text;
  for (std::size_t i = 0; i < 2 * kBlockEvents + 5; ++i) {
    text += i % 5 == 0 ? "T0|begin()|1\n"
                       : "T" + std::to_string(i % 3) + "|r(V" + std::to_string(i) + ")|" +
                             std::to_string(i % 700) + "\n";
  }
  auto source = open_std(std::make_unique<test::MemoryInput>(text), "x", "", {});
  ASSERT_TRUE(source);
  std::vector<std::size_t> sizes;
  while (true) {
    const auto block = (*source)->next();
    ASSERT_TRUE(block);
    if (*block == nullptr) break;
    sizes.push_back((*block)->size());
    EXPECT_LE((*block)->ops.size(), 1402u);
  }
  EXPECT_EQ(sizes, (std::vector<std::size_t>{kBlockEvents, kBlockEvents, 5}));
  EXPECT_EQ(*(*source)->next(), nullptr) << "the end stays the end";
}

TEST(StdReader, LongNamesAreNoTrouble) {
  const std::string thread(300'000, 't'), object(1'000'000, 'o'), location(200'000, '7');
  const auto trace =
      read_text("T0|r(x)|1\n" + thread + "|w(" + object + ")|" + location + "\nT0|r(x)|1\n", {}, 50'000);
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->events.size(), 3u);
  EXPECT_EQ(trace->named[1], (NamedEvent{thread, object, location, {.kind = EventKind::write}}));
}

constexpr std::size_t kLongest = std::size_t{16} << 20;

TEST(StdReader, NamesUpToSixteenMebibytesAreRead) {
  EXPECT_TRUE(read_text("T0|r(" + std::string(kLongest, 'x') + ")|1\n"));
  const auto trace = read_text("T0|r(" + std::string(kLongest + 1, 'x') + ")|1\nT0|r(y)|1\n");
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("a name is longer than 16777216 bytes"), std::string::npos);
  const auto skipped =
      read_text("T0|r(" + std::string(kLongest + 1, 'x') + ")|1\nT0|r(y)|1\n", {.skip_bad = true});
  ASSERT_TRUE(skipped);
  EXPECT_EQ(skipped->events.size(), 1u);
}

TEST(StdReader, ALineWithoutEndIsRefusedBeforeItFillsTheMemory) {
  const std::string endless = "T0|r(" + std::string(4 * kLongest, 'x');
  const auto trace = read_text(endless);
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().message.find("trace.std:1: cannot read \"T0|r(xxx"), std::string::npos);
  EXPECT_NE(trace.error().message.find("the line is longer than"), std::string::npos);
  // The rest of it looks like a line of its own, but is not.
  const auto skipped = read_text("T0|w(a)|1\n" + endless + "|r(x)|1\n|\nT0|r(y)|1\n", {.skip_bad = true});
  ASSERT_TRUE(skipped) << skipped.error().message;
  EXPECT_EQ(skipped->events.size(), 2u);
  EXPECT_EQ(skipped->source->warnings().front().count, 2u);
}

// A search from the start of the line at every piece would look at half a million times a million marks.
TEST(StdReader, ALineOfManyMarksInManyPiecesIsSearchedOnce) {
  const std::string bars(1'000'000, '|');
  const auto trace = read_text("T0|r(x)|1\n" + bars + "\n" + bars + "\nT0|w(x)|2\n", {.skip_bad = true}, 1);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->events.size(), 2u);
  EXPECT_EQ(trace->source->warnings().front().count, 2u);
}

TEST(StdReader, AFailingInputIsAnErrorNotAnEnd) {
  class Failing final : public ByteInput {
   public:
    Result<std::size_t> read(char* to, std::size_t) override {
      constexpr std::string_view kLine = "T0|r(x)|1\n";
      if (++reads_ > 1000) return io_error("disk: on fire");
      std::memcpy(to, kLine.data(), kLine.size());
      return kLine.size();
    }

   private:
    int reads_ = 0;
  };
  auto source = open_std(std::make_unique<Failing>(), "x", "", {});
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->next().error().message, "disk: on fire");
}

TEST(StdReader, BytesTakenBeforeAreReadFirst) {
  const auto trace = read_text("0|r(x)|1\n", {}, SIZE_MAX, "T0|w(x)|1\nT");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->events.size(), 2u);
}

rc::Gen<std::string> any_text() {
  const auto line = rc::gen::element<std::string>(
      "T0|r(V1)|1\n", "T1|w(V1)|2\r\n", "T1|acq(L1)|\n", "T1|rel(L1)|x y (z)\n", "main|fork(7)|1\n",
      "T7|begin|1\n", "T7|aload(a)|1|acquire,size=4\n", "# comment | | |\n", "\n", "\r\n",
      "T0|enter(b)|1|gen=3\n", "T0|free(h)|1\n", "bad\n", "T0|r(\xC3\xA9\xE2\x82\xAC)|1\n",
      "T0|r(10441065499006)|123456789\n", "T0|fence||\n",
      "T0|r(some_long_name_of_a_variable)|in some/long/file.cpp:12345\n");
  const auto noise =
      rc::gen::container<std::string>(rc::gen::element('|', '\n', '\r', '(', ')', 'r', 'T', '1', '\0', '#'));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(
                          rc::gen::weightedOneOf<std::string>({{9, line}, {1, noise}})),
                      [](const std::vector<std::string>& parts) {
                        std::string out;
                        for (const std::string& part : parts) out += part;
                        return out;
                      });
}

TEST(StdReader, TheSizesOfThePiecesAndBlocksDoNotMatter) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *any_text();
    const ReadOptions options{.skip_bad = *rc::gen::arbitrary<bool>()};
    const auto whole = read_text(text, options);
    for (std::size_t piece = 1; piece <= 7; ++piece) {
      const auto pieces = read_text(text, options, piece, "", *rc::gen::inRange<std::size_t>(1, 30));
      RC_ASSERT(whole.has_value() == pieces.has_value());
      if (!whole) {
        RC_ASSERT(whole.error().message == pieces.error().message);
        continue;
      }
      RC_ASSERT(whole->events == pieces->events);
      RC_ASSERT(whole->named == pieces->named);
      RC_ASSERT(whole->source->warnings().size() == pieces->source->warnings().size());
    }
  }));
}

TEST(StdReader, WhatItReadsComesBackFromCanonicalText) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *any_text();
    const auto trace = read_text(text);
    if (!trace) return;
    const auto written = test::write_text(trace->events, trace->names(), {.extended = true});
    RC_ASSERT(written.has_value());
    const auto again = read_text(written->text);
    RC_ASSERT(again.has_value());
    RC_ASSERT(again->events == trace->events);
    RC_ASSERT(again->named == trace->named);
    RC_ASSERT(test::write_text(again->events, again->names(), {.extended = true})->text == written->text);
  }));
}

// Corpora, read and written.

std::vector<std::filesystem::path> corpus(const char* folder) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("test/corpus/") + folder)) {
    if (entry.path().extension() == ".std") out.push_back(entry.path());
  }
  return out;
}

TEST(StdCorpus, ThePrecisionSuiteComesBackByteByByte) {
  const auto files = corpus("precision");
  EXPECT_EQ(files.size(), 33u);
  for (const auto& file : files) {
    std::string text = test::contents(file);
    const auto trace = read_text(text);
    ASSERT_TRUE(trace) << file << trace.error().message;
    if (!text.ends_with('\n')) text += '\n';
    EXPECT_EQ(test::write_text(trace->events, trace->names(), {})->text, text) << file;
  }
}

TEST(StdCorpus, ForksOfTheInjectedTracesAreBoundToTheirThreads) {
  const auto files = corpus("raceinjector");
  EXPECT_EQ(files.size(), 3u);
  for (const auto& file : files) {
    const std::string text = test::contents(file);
    const auto trace = read_text(text);
    ASSERT_TRUE(trace) << file << trace.error().message;
    std::size_t forks = 0, acting = 0;
    std::vector<bool> acts(trace->names().threads.size());
    for (const Event& event : trace->events) acts[index(event.thread)] = true;
    for (const Event& event : trace->events) {
      if (event.op.kind != EventKind::fork) continue;
      ++forks;
      acting += acts[event.object] ? 1u : 0u;
    }
    EXPECT_GT(forks, 20u);
    EXPECT_EQ(trace->source->warnings().front().count, forks);
    EXPECT_GT(acting, forks / 2) << file;
    const auto literal = read_text(text, {.literal_threads = true});
    EXPECT_EQ(test::write_text(literal->events, literal->names(), {})->text, text) << file;
  }
}

}  // namespace
}  // namespace deadheat::trace
