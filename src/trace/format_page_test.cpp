// docs/trace-format.md against the program: a reader written from the page alone gets the same events and
// names.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <random>
#include <string>

#include "deadheat/trace.h"
#include "support/scratch.h"
#include "support/source_path.h"

namespace deadheat::trace {
namespace {

std::string output_of(const std::string& command) {
  std::string out;
  std::array<char, 65536> buffer;
  std::FILE* pipe = popen(command.c_str(), "r");
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    out.append(buffer.data(), n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return out;
}

Event random_event(std::mt19937_64& random, std::uint32_t threads) {
  const auto below = [&](std::uint64_t end) { return static_cast<std::uint32_t>(random() % end); };
  Event e;
  e.op.kind = static_cast<EventKind>(below(kEventKinds));
  e.thread = ThreadId{below(threads)};
  e.op.site = SiteId{below(4)};
  e.op.stack = StackId{below(3)};
  if (object_kind(e.op.kind) != ObjectKind::none) e.object = below(1u << below(16));
  if (object_kind(e.op.kind) == ObjectKind::variable) e.object = below(1u << below(32));
  if (has_order(e.op.kind)) e.op.order = static_cast<MemoryOrder>(below(kMemoryOrders));
  if (has_offset(e.op.kind)) e.op.offset = static_cast<std::uint8_t>(below(kCellBytes));
  if (object_kind(e.op.kind) == ObjectKind::variable || is_barrier(e.op.kind)) e.op.value = below(40);
  return e;
}

void name_some(Names& names) {
  names.threads.add("main");
  names.threads.add("worker");
  names.threads.rename(0, "T0");
  names.locks.add("a lock");
  names.variables.add("x");
  names.channels.add("queue");
  names.barriers.add("phase");
  const std::uint32_t file = names.strings.add("a.c");
  const SiteId f =
      names.add_site({.file = file, .function = names.strings.add("f"), .line = 300, .column = 7});
  names.add_text_site("45");
  const std::uint32_t module = names.add_module("/bin/prog", "c0ffee", 0x555500000000);
  names.add_site({.module = module, .address = 0x1234});
  names.add_site({});
  names.add_site({.module = module, .address = UINT64_MAX});
  names.add_region({VarId{7}, 0x7f0000001000, 2});
  names.add_region({VarId{20}, 8, 1});
  names.mappings.push_back({Mapping::What::module, module, 0x555500000000, 0x10000, 2});
  names.add_stack({StackId::none, f});
}

std::string expected_lines(const std::vector<Event>& events) {
  std::string out;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& e = events[i];
    out += fmt::format("{} {} {} {} {} {} {} {} {}\n", i, static_cast<int>(e.op.kind), index(e.thread),
                       e.object, index(e.op.site), index(e.op.stack), static_cast<int>(e.op.order),
                       e.op.offset, e.op.value);
  }
  return out;
}

class FormatPage : public testing::TestWithParam<std::tuple<std::uint32_t, int>> {};

TEST_P(FormatPage, DescribesEveryByteThatMatters) {
  const auto [threads, zstd_level] = GetParam();
  test::Scratch dir;
  const std::string path = dir.path("t.dht");
  auto writer = TraceWriter::create(path, {.zstd_level = zstd_level, .block_events = 700});
  ASSERT_TRUE(writer);
  name_some((*writer)->names());
  std::mt19937_64 random(threads);
  std::vector<Event> events;
  for (int i = 0; i < 2000; ++i) {
    // Runs of one thread, and places where every event has another.
    if (i % 500 < 300 && i % 7 != 0) {
      events.push_back(events.back());
    } else {
      events.push_back(random_event(random, threads));
    }
    ASSERT_TRUE((*writer)->append(events.back()));
  }
  ASSERT_TRUE((*writer)->finish());
  const std::string script = test::source_path("test/e2e/read_dht.py");
  const std::string printed = output_of("python3 '" + script + "' '" + path + "'");
  const std::size_t names_at = printed.find("name 0 0");
  ASSERT_NE(names_at, std::string::npos);
  EXPECT_EQ(printed.substr(0, names_at), expected_lines(events));
  for (const char* line :
       {"name 1 0 T0\n", "name 1 1 worker\n", "name 2 0 a lock\n", "name 3 0 x\n", "name 4 0 queue\n",
        "name 5 0 phase\n", "name 6 1 (0, 1, 2, 300, 7)\n", "name 6 2 (3, 0, 0, 0, 0)\n", "name 7 1 (0, 1)\n",
        "name 8 1 (4, 5, 93823560581120)\n", "name 9 3 (1, 4660)\n", "name 9 4 (0, 0)\n",
        "name 9 5 (1, 18446744073709551615)\n", "name 10 0 (7, 139637976731648, 2)\n",
        "name 10 1 (20, 8, 1)\n"}) {
    EXPECT_NE(printed.find(line), std::string::npos) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FormatPage,
                         testing::Combine(testing::Values(2, 100, 1000), testing::Values(0, 3)));

}  // namespace
}  // namespace deadheat::trace
