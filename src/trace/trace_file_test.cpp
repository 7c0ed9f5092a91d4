// .dht files as a whole: written, read, sought in, cut, damaged, killed, repaired.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <random>
#include <thread>

#include "deadheat/trace.h"
#include "support/any_events.h"
#include "support/scratch.h"
#include "trace/block_io.h"
#include "trace/bytes.h"
#include "trace/event_stream.h"
#include "trace/format.h"
#include "trace/index_codec.h"

namespace deadheat::trace::trace_file_tests {
namespace {

using test::contents;
using test::events_of;
using test::put;
using test::Scratch;

// Well-typed events of a few kinds with named ids, the same for the same number.
Event nth_event(std::uint64_t n) {
  std::uint64_t x = (n + 1) * 0x9E3779B97F4A7C15u;
  const auto random = [&x] { return x = (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u; };
  Event e;
  e.thread = ThreadId{static_cast<std::uint32_t>(n / 7 % 5)};
  e.op.kind = n % 9 == 0 ? EventKind::acquire : n % 9 == 8 ? EventKind::release : EventKind::write;
  e.op.site = SiteId{static_cast<std::uint32_t>(1 + (random() >> 33) % 30)};
  e.object = static_cast<std::uint32_t>((random() >> 33) % 50);
  return e;
}

void name_everything(Names& names) {
  for (int i = 0; i < 5; ++i) names.threads.add("T" + std::to_string(i));
  for (int i = 0; i < 50; ++i) names.variables.add("V" + std::to_string(i));
  for (int i = 0; i < 50; ++i) names.locks.add("L" + std::to_string(i));
  for (int i = 0; i < 30; ++i) names.add_text_site("line " + std::to_string(i));
}

void write_trace(const std::string& path, std::uint64_t events, WriteOptions options = {}) {
  auto writer = TraceWriter::create(path, options);
  ASSERT_TRUE(writer) << writer.error().message;
  name_everything((*writer)->names());
  for (std::uint64_t i = 0; i < events; ++i) ASSERT_TRUE((*writer)->append(nth_event(i)));
  ASSERT_TRUE((*writer)->finish());
}

// All events of a source, or the error it ends with.
struct Outcome {
  std::vector<Event> events;
  std::string error;
};

Outcome drain(Source& source) {
  Outcome out;
  while (true) {
    const auto block = source.next();
    if (!block) return out.error = block.error().message, out;
    if (*block == nullptr) return out;
    const auto more = events_of(**block);
    EXPECT_EQ((*block)->first, out.events.size());
    out.events.insert(out.events.end(), more.begin(), more.end());
  }
}

Outcome read_file(const std::string& path) {
  auto reader = TraceReader::open(path);
  if (!reader) return {{}, reader.error().message};
  return drain(**reader);
}

std::vector<Event> first_events(std::uint64_t n) {
  std::vector<Event> events;
  for (std::uint64_t i = 0; i < n; ++i) events.push_back(nth_event(i));
  return events;
}

bool is_prefix(const std::vector<Event>& events) { return events == first_events(events.size()); }

TEST(TraceFile, GivesBackAllEventsNamesAndTheSummary) {
  Scratch dir;
  const std::string path = dir.path("t.dht");
  for (const WriteOptions options :
       {WriteOptions{}, WriteOptions{.zstd_level = 3}, WriteOptions{.block_events = 10}}) {
    write_trace(path, 50000, options);
    auto reader = TraceReader::open(path);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_TRUE((*reader)->complete());
    EXPECT_EQ((*reader)->events(), 50000u);
    const Outcome out = drain(**reader);
    EXPECT_EQ(out.error, "");
    EXPECT_EQ(out.events, first_events(50000));
    EXPECT_EQ((*reader)->names().variables[49], "V49");
    EXPECT_EQ((*reader)->names().display(SiteId{30}), "line 29");
    EXPECT_TRUE((*reader)->warnings().empty());
    const auto summary = (*reader)->summary();
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_EQ(summary->threads, 5u);
    EXPECT_EQ(summary->variables, 50u);
    EXPECT_EQ(summary->by_kind[static_cast<std::size_t>(EventKind::acquire)], (50000u + 8) / 9);
    EXPECT_EQ(summary->per_thread[1].first, 7u);
    EXPECT_EQ(summary->per_thread[1].last, 49993u);
    EXPECT_EQ(summary->per_thread[1].events, 7u * 1429);
  }
}

TEST(TraceFile, HoldsATraceWithoutEvents) {
  Scratch dir;
  const std::string path = dir.path("t.dht");
  write_trace(path, 0);
  auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader) << reader.error().message;
  EXPECT_TRUE((*reader)->complete());
  EXPECT_TRUE(drain(**reader).events.empty());
  EXPECT_TRUE((*reader)->load_names());
  EXPECT_FALSE((*reader)->seek(0));
}

TEST(TraceFile, KeepsNamesGivenAfterTheLastBlock) {
  Scratch dir;
  const std::string path = dir.path("t.dht");
  for (const std::uint64_t events :
       {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{7 * kBlocksPerIndex}}) {
    auto writer = TraceWriter::create(path, {.block_events = 7});
    for (std::uint64_t i = 0; i < events; ++i) ASSERT_TRUE((*writer)->append(nth_event(i)));
    (*writer)->names().threads.add("late");
    ASSERT_TRUE((*writer)->finish());
    auto reader = TraceReader::open(path);
    ASSERT_TRUE(reader) << reader.error().message;
    EXPECT_EQ(drain(**reader).events.size(), events);
    EXPECT_EQ((*reader)->names().threads[0], "late");
    auto by_index = TraceReader::open(path);
    ASSERT_TRUE((*by_index)->load_names());
    EXPECT_EQ((*by_index)->names().threads[0], "late");
    EXPECT_EQ((*by_index)->seek(events - 1).has_value(), events > 0);
  }
}

TEST(TraceFile, KeepsModulesAddressesAndRegionsThroughRepair) {
  test::Scratch dir;
  auto writer = TraceWriter::create(dir.path("a.dht"), {.block_events = 1});
  ASSERT_TRUE(writer);
  Names& names = (*writer)->names();
  const auto step = [&](std::uint32_t n) {
    const std::uint32_t module = names.add_module("/lib/a" + std::to_string(n), "ab");
    const SiteId site = names.add_site({.module = module, .address = 0x1000 + n});
    names.add_region({VarId{4 * n}, 0x7f0000000000u + 64 * n, 3});
    return (*writer)->append({ThreadId{0}, {.kind = EventKind::read, .site = site, .value = 8}, 4 * n});
  };
  for (std::uint32_t n = 0; n < 3; ++n) ASSERT_TRUE(step(n));
  // Not finished: what the blocks use is in the file before them.
  const auto report = repair(dir.path("a.dht"), dir.path("b.dht"));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->events, 3u);
  auto reader = TraceReader::open(dir.path("b.dht"));
  ASSERT_TRUE(reader);
  ASSERT_TRUE((*reader)->load_names());
  EXPECT_EQ((*reader)->names().sites, names.sites);
  EXPECT_EQ((*reader)->names().modules, names.modules);
  EXPECT_EQ((*reader)->names().regions, names.regions);
  EXPECT_EQ((*reader)->names().display(SiteId{3}), "a2+0x1002");
  EXPECT_EQ((*reader)->names().display(ObjectKind::variable, 9), "0x7f0000000088");
}

TEST(TraceFile, SeeksToEveryEvent) {
  Scratch dir;
  const std::string path = dir.path("t.dht");
  constexpr std::uint64_t kEvents = 3 * 7 * kBlocksPerIndex + 5;  // three index pages and a bit
  write_trace(path, kEvents, {.block_events = 7});
  auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader);
  for (std::uint64_t e = kEvents; e-- > 0;) {
    ASSERT_TRUE((*reader)->seek(e));
    const auto block = (*reader)->next();
    ASSERT_TRUE(block && *block != nullptr);
    ASSERT_LE((*block)->first, e);
    ASSERT_LT(e - (*block)->first, (*block)->size());
    ASSERT_EQ((**block)[e - (*block)->first], nth_event(e));
  }
  EXPECT_TRUE((*reader)->names().variables.size() == 0) << "seeking does not load names";
  ASSERT_TRUE((*reader)->load_names());
  EXPECT_EQ((*reader)->names().threads[4], "T4");
  // From a place in the middle to the end, as a window's reader does.
  ASSERT_TRUE((*reader)->seek(100));
  std::uint64_t last = 0;
  while (true) {
    const auto block = (*reader)->next();
    ASSERT_TRUE(block) << block.error().message;
    if (*block == nullptr) break;
    last = (*block)->first + (*block)->size();
  }
  EXPECT_EQ(last, kEvents);
  EXPECT_FALSE((*reader)->seek(kEvents));
}

TEST(TraceFile, FindsTheBlocksOfAThread) {
  Scratch dir;
  const std::string path = dir.path("t.dht");
  write_trace(path, 7000, {.block_events = 7});
  auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader);
  const auto blocks = (*reader)->blocks_of(ThreadId{3});
  ASSERT_TRUE(blocks);
  ASSERT_EQ(blocks->size(), 200u);  // every fifth block of seven events is thread 3's alone
  for (std::size_t i = 0; i < blocks->size(); ++i) EXPECT_EQ((*blocks)[i].first, 21 + 35 * i);
}

TEST(TraceFile, CountsLocksHeldWithoutReentrance) {
  Scratch dir;
  const std::string path = dir.path("t.dht");
  auto writer = TraceWriter::create(path);
  ASSERT_TRUE(writer);
  const auto lock = [&](std::uint32_t t, EventKind kind, std::uint32_t l) {
    Event e;
    e.thread = ThreadId{t};
    e.op.kind = kind;
    e.object = l;
    ASSERT_TRUE((*writer)->append(e));
  };
  lock(0, EventKind::acquire, 0);
  lock(0, EventKind::acquire, 0);
  lock(0, EventKind::acquire, 1);
  lock(1, EventKind::acquire_shared, 2);
  lock(0, EventKind::release, 0);
  lock(0, EventKind::release, 0);
  lock(1, EventKind::acquire, 3);
  lock(1, EventKind::release, 9);  // not held: counts for nothing
  ASSERT_TRUE((*writer)->finish());
  EXPECT_EQ((*writer)->summary().max_locks_held, 3u);
  EXPECT_EQ((*writer)->summary().max_locks_held_by_thread, 2u);
}

class Bytes final : public ByteInput {
 public:
  Bytes(std::string bytes, std::size_t step) : bytes_(std::move(bytes)), step_(step) {}
  Result<std::size_t> read(char* to, std::size_t n) override {
    n = std::min({n, step_, bytes_.size() - at_});
    std::memcpy(to, bytes_.data() + at_, n);
    at_ += n;
    return n;
  }

 private:
  std::string bytes_;
  std::size_t step_, at_ = 0;
};

struct Extent {
  std::size_t begin, end;
};

// Where the event blocks are in a file.
std::vector<Extent> event_blocks(const std::string& bytes) {
  std::size_t at = 0;
  BlockStream stream([&](char* to, std::size_t n) -> Result<std::size_t> {
    n = std::min(n, bytes.size() - at);
    std::memcpy(to, bytes.data() + at, n);
    at += n;
    return n;
  });
  EXPECT_TRUE(stream.read_file_header());
  std::vector<Extent> extents;
  for (auto block = stream.next(); (*block)->header.type != BlockType::footer; block = stream.next()) {
    if ((*block)->header.type != BlockType::events) continue;
    extents.push_back({(*block)->offset, stream.offset()});
  }
  return extents;
}

TEST(TraceFile, NoticesABlockThatIsMissing) {
  Scratch dir;
  const std::string path = dir.path("t.dht");
  write_trace(path, 500, {.block_events = 100});
  const std::string bytes = contents(path);
  const auto blocks = event_blocks(bytes);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::string less = bytes;
    less.erase(blocks[i].begin, blocks[i].end - blocks[i].begin);
    auto stream = open_dht_stream(std::make_unique<Bytes>(less, 1000), "pipe", "");
    ASSERT_TRUE(stream);
    const Outcome out = drain(**stream);
    EXPECT_EQ(out.events.size(), 100 * i);
    const bool last = i + 1 == blocks.size();
    EXPECT_NE(out.error.find(last ? "tells of 500 events, the file has 400" : "blocks are missing"),
              std::string::npos)
        << out.error;
    put(path, less);
    EXPECT_FALSE(TraceReader::open(path)) << "the trailer leads to no footer";
  }
}

// Whatever is cut off the end, what is read is the beginning of what was written, and nothing whole is lost.
TEST(TraceFile, CutAnywhereReadsUpToTheLastWholeBlockAndCanBeRepaired) {
  Scratch dir;
  const std::string path = dir.path("t.dht"), cut = dir.path("cut.dht"), whole = dir.path("whole.dht");
  write_trace(path, 1000, {.block_events = 100});
  const std::string bytes = contents(path);
  const auto blocks = event_blocks(bytes);
  ASSERT_EQ(blocks.size(), 10u);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    put(cut, bytes.substr(0, size));
    auto reader = TraceReader::open(cut);
    if (size < sizeof(FileHeader)) {
      EXPECT_FALSE(reader);
      continue;
    }
    ASSERT_TRUE(reader) << size << ": " << reader.error().message;
    EXPECT_FALSE((*reader)->complete());
    EXPECT_EQ((*reader)->warnings().size(), 1u);
    const Outcome out = drain(**reader);
    EXPECT_EQ(out.error, "") << size;
    const auto expected =
        100u * std::count_if(blocks.begin(), blocks.end(), [&](const Extent& b) { return b.end <= size; });
    ASSERT_EQ(out.events.size(), static_cast<std::size_t>(expected)) << size;
    ASSERT_TRUE(is_prefix(out.events));
    ASSERT_EQ((*reader)->events(), out.events.size());
    if (size % 37 != 0) continue;  // the dearer half at some sizes only
    const auto summary = (*reader)->summary();
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->events, out.events.size());
    if (!out.events.empty()) {
      ASSERT_TRUE((*reader)->seek(out.events.size() - 1));
      ASSERT_TRUE((*reader)->load_names());
      EXPECT_EQ((*reader)->names().threads[4], "T4");
    }
    const auto report = repair(cut, whole);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->events, out.events.size());
    auto repaired = TraceReader::open(whole);
    ASSERT_TRUE(repaired);
    EXPECT_TRUE((*repaired)->complete());
    EXPECT_EQ(drain(**repaired).events, out.events);
    EXPECT_EQ(*(*repaired)->summary(), *summary);
  }
}

// No changed byte goes unnoticed or makes other events; repair keeps what comes before it.
TEST(TraceFile, EveryFlippedByteIsNoticedOrHarmless) {
  Scratch dir;
  const std::string path = dir.path("t.dht"), flipped = dir.path("flipped.dht"),
                    whole = dir.path("whole.dht");
  for (const int zstd : {0, 3}) {
    write_trace(path, 600, {.zstd_level = zstd, .block_events = 100});
    const std::string bytes = contents(path);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
      put(flipped, changed);
      const Outcome out = read_file(flipped);
      ASSERT_TRUE(is_prefix(out.events)) << at;
      const bool minor_or_reserved = at >= 10 && at < sizeof(FileHeader);
      if (out.error.empty() && !minor_or_reserved) {
        // Read to the end: then only the index, the footer or the trailer were hit, or the file ends early
        // with a warning.
        auto reader = TraceReader::open(flipped);
        ASSERT_TRUE(reader) << at;
        const bool told = !(*reader)->complete() || !(*reader)->summary() || !(*reader)->seek(0);
        EXPECT_TRUE(told || out.events.size() == 600) << at;
      }
      if (at % 41 == 0 && at >= sizeof(FileHeader)) {
        const auto report = repair(flipped, whole);
        ASSERT_TRUE(report) << report.error().message;
        const Outcome again = read_file(whole);
        EXPECT_EQ(again.error, "");
        EXPECT_TRUE(is_prefix(again.events));
        EXPECT_GE(again.events.size(), out.events.size());
      }
    }
  }
}

TEST(TraceFile, RefusesAnotherVersionByName) {
  Scratch dir;
  const std::string path = dir.path("t.dht");
  write_trace(path, 10);
  std::string bytes = contents(path);
  bytes[8] = 9;
  put(path, bytes);
  const Outcome out = read_file(path);
  EXPECT_NE(out.error.find("version 9"), std::string::npos) << out.error;
  bytes[8] = 1;
  bytes.replace(0, 8,
                "\x89"
                "DHT\n\x1a\n\n");
  put(path, bytes);
  EXPECT_NE(read_file(path).error.find("text mode"), std::string::npos);
}

TEST(TraceFile, ReadsAStreamInPiecesOfAnySize) {
  Scratch dir;
  const std::string path = dir.path("t.dht");
  write_trace(path, 2000, {.block_events = 64});
  const std::string bytes = contents(path);
  for (const std::size_t step : {1u, 7u, 47u, 48u, 4096u, 1u << 20}) {
    auto stream = open_dht_stream(std::make_unique<Bytes>(bytes, step), "pipe", "");
    ASSERT_TRUE(stream);
    const Outcome out = drain(**stream);
    EXPECT_EQ(out.error, "");
    EXPECT_EQ(out.events, first_events(2000));
    EXPECT_TRUE((*stream)->warnings().empty());
  }
  auto cut = open_dht_stream(std::make_unique<Bytes>(bytes.substr(0, bytes.size() / 2), 100), "pipe", "");
  ASSERT_TRUE(cut);
  const Outcome out = drain(**cut);
  EXPECT_EQ(out.error, "");
  EXPECT_TRUE(is_prefix(out.events));
  EXPECT_FALSE((*cut)->warnings().empty());
}

TEST(TraceFile, WithMoreBytesBehindItsEndIsNotWhole) {
  Scratch dir;
  const std::string path = dir.path("t.dht"), whole = dir.path("whole.dht");
  write_trace(path, 1000, {.block_events = 100});
  const std::string more = contents(path) + "x";
  auto stream = open_dht_stream(std::make_unique<Bytes>(more, 100), "pipe", "");
  ASSERT_TRUE(stream);
  EXPECT_NE(drain(**stream).error.find("more bytes follow"), std::string::npos);
  put(path, more);
  const auto report = repair(path, whole);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->was_complete);
  EXPECT_EQ(report->events, 1000u);
  EXPECT_GT(report->bytes_dropped, 0u);
  EXPECT_EQ(read_file(whole).events, first_events(1000));
}

TEST(TraceFile, RepairSaysHowMuchIsLostOfAPipe) {
  Scratch dir;
  const std::string path = dir.path("t.dht"), whole = dir.path("whole.dht"), pipe = dir.path("pipe");
  write_trace(path, 1000, {.block_events = 100});
  const std::string bytes = contents(path);
  const std::size_t cut = event_blocks(bytes)[4].end + 7;
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { put(pipe, bytes.substr(0, cut)); });
  const auto report = repair(pipe, whole);
  writer.join();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->events, 500u);
  EXPECT_EQ(report->bytes_dropped, 7u);
}

// A pipe that is opened, looked at, closed and opened again has lost its writer in between.
TEST(TraceFile, OpensANamedPipeOnce) {
  Scratch dir;
  const std::string path = dir.path("t.dht"), pipe = dir.path("pipe");
  write_trace(path, 20000);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (int round = 0; round < 20; ++round) {
    std::thread writer([&] { put(pipe, contents(path)); });
    auto source = open_source(pipe);
    ASSERT_TRUE(source) << source.error().message;
    const Outcome out = drain(**source);
    writer.join();
    ASSERT_EQ(out.error, "");
    ASSERT_EQ(out.events.size(), 20000u);
  }
}

TEST(TraceFile, BelievesPackingOnlySoFar) {
  const auto accepts = [](BlockType type, std::uint32_t raw, std::uint32_t stored) {
    BlockHeader header{};
    header.magic = kBlockMagic;
    header.type = type;
    header.flags = kZstd;
    header.raw_bytes = raw;
    header.stored_bytes = stored;
    header.header_hash = hash_bytes(&header, offsetof(BlockHeader, header_hash));
    return check_block_header(header).has_value();
  };
  EXPECT_TRUE(accepts(BlockType::names, 1000, 100));
  EXPECT_FALSE(accepts(BlockType::names, 1 << 20, 100)) << "kilobytes of file, gigabytes of names";
  EXPECT_TRUE(accepts(BlockType::events, 500000, 100));
  EXPECT_FALSE(accepts(BlockType::events, 1 << 26, 100));
  EXPECT_FALSE(accepts(BlockType::threads, 1000, 100)) << "never packed";
  // A writer stores what would not be believed as it is.
  Scratch dir;
  const std::string path = dir.path("t.dht");
  auto writer = TraceWriter::create(path, {.zstd_level = 9});
  for (int i = 0; i < 100000; ++i) (*writer)->names().variables.add("");
  for (int i = 0; i < 30000; ++i) ASSERT_TRUE((*writer)->append(Event{}));
  ASSERT_TRUE((*writer)->finish());
  EXPECT_EQ(read_file(path).events.size(), 30000u);
}

// A real writer, really killed.
TEST(TraceFile, KilledWriterLosesTheBlockInHandOnly) {
  Scratch dir;
  const std::string path = dir.path("t.dht"), whole = dir.path("whole.dht");
  std::mt19937 random(12345);
  std::uint64_t kept = 0;
  for (int round = 0; round < 40; ++round) {
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto writer = TraceWriter::create(path, {.block_events = 256});
      name_everything((*writer)->names());
      for (std::uint64_t i = 0;; ++i) {
        if (!(*writer)->append(nth_event(i))) _exit(1);
        // Tells how many events are in whole blocks, after they were handed to the system.
        if ((i + 1) % 256 == 0 && write(told[1], "b", 1) != 1) _exit(1);
      }
    }
    close(told[1]);
    const unsigned blocks = random() % 200;
    unsigned seen = 0;
    char b = 0;
    while (seen < blocks && read(told[0], &b, 1) == 1) ++seen;
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    close(told[0]);
    const Outcome out = read_file(path);
    if (seen == 0 && !out.error.empty()) continue;  // killed before the file had a header
    EXPECT_EQ(out.error, "");
    EXPECT_GE(out.events.size(), seen * 256u);
    EXPECT_TRUE(is_prefix(out.events));
    ASSERT_TRUE(repair(path, whole));
    auto reader = TraceReader::open(whole);
    ASSERT_TRUE(reader);
    EXPECT_TRUE((*reader)->complete());
    EXPECT_EQ(drain(**reader).events, out.events);
    kept += out.events.size();
  }
  EXPECT_GT(kept, 0u);
}

TEST(TraceFile, SaysSoWhenTheDiskIsFull) {
  auto writer = TraceWriter::create("/dev/full");
  EXPECT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("No space left"), std::string::npos) << writer.error().message;
}

TEST(TraceFile, RoundTripOfAnyEvents) {
  Scratch dir;
  const std::string path = dir.path("t.dht");
  EXPECT_TRUE(rc::check([&] {
    const auto events = *rc::gen::container<std::vector<Event>>(test::any_event());
    auto writer = TraceWriter::create(
        path, {.zstd_level = *rc::gen::inRange(0, 2), .block_events = *rc::gen::inRange<std::size_t>(1, 20)});
    RC_ASSERT(writer.has_value());
    for (const Event& e : events) RC_ASSERT((*writer)->append(e).has_value());
    RC_ASSERT((*writer)->finish().has_value());
    const Outcome out = read_file(path);
    RC_ASSERT(out.error.empty());
    RC_ASSERT(out.events == events);
    auto reader = TraceReader::open(path);
    RC_ASSERT(*(*reader)->summary() == (*writer)->summary());
  }));
}

TEST(TraceFile, KeepsWhetherItIsComplete) {
  Scratch dir;
  const std::string path = dir.path("t.dht"), copy = dir.path("copy.dht");
  const auto of = [](const std::string& file) { return (*TraceReader::open(file))->completeness(); };
  write_trace(path, 10);
  EXPECT_EQ(of(path), Completeness{});  // nobody said
  for (const Completeness& said : {Completeness::complete(), Completeness::without(5), Completeness{}}) {
    auto writer = TraceWriter::create(path);
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->append(nth_event(0)));
    (*writer)->declare(said);
    ASSERT_TRUE((*writer)->finish());
    EXPECT_EQ(of(path), said);
    ASSERT_TRUE(repair(path, copy));
    EXPECT_EQ(of(copy), said);
    put(path, contents(path).substr(0, contents(path).size() - 1));  // its writer was stopped
    EXPECT_EQ(of(path), Completeness{});
  }
}

// A footer of minor version 2 ends before it, and tells of the first twenty kinds.
TEST(TraceFile, OfFilesThatDoNotSayCompletenessIsUnknown) {
  Footer footer;
  footer.completeness = Completeness::complete();
  std::vector<char> bytes;
  encode_footer(footer, bytes);
  ASSERT_TRUE(decode_footer(bytes));
  EXPECT_TRUE(decode_footer(bytes)->completeness.declared);
  bytes.resize(bytes.size() - 8);
  ASSERT_TRUE(decode_footer(bytes));
  EXPECT_EQ(decode_footer(bytes)->completeness, Completeness{});
  bytes.resize(bytes.size() + 7);  // cut
  EXPECT_FALSE(decode_footer(bytes));
}

}  // namespace
}  // namespace deadheat::trace::trace_file_tests
