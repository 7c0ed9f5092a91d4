// Any bytes as a well-formed trace of few ids, so that things meet: every engine ends with an answer, the
// same for any blocks, shards and slots, and what engines promise of each other and of the oracles holds.
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/assert.h"
#include "engine/check.h"
#include "oracle/locksets.h"
#include "oracle/order.h"
#include "support/run_engine.h"

using namespace deadheat;
using oracle::Pairs;
using test::Cut;
using test::RaceList;

namespace {

// The oracles take the square of it, and more.
constexpr std::size_t kSmall = 48;
constexpr std::size_t kMostEvents = 600;

class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  std::uint32_t next() {
    if (bytes_.empty()) return 0;
    const std::uint32_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

// Where ids are: together, or far from each other. Clocks grow with threads, pages with all else.
struct Ids {
  std::array<std::uint32_t, 8> threads;
  std::array<std::uint32_t, 4> others;
  std::uint32_t first_variable;
};
constexpr std::array<Ids, 5> kIds = {{
    {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3}, 0},
    {{0, 7, 8, 9, 16, 17, 40, 300}, {0, 63, 64, 70'000}, 5},
    {{3, 2, 1, 0, 20, 31, 32, 33}, {100, 1, 127, 128}, 120},
    {{900, 1, 0, 2, 4, 5, 3, 100}, {1, 2, 1 << 10, 1 << 16}, 1 << 16},
    {{0, 1, 2, 3, 20, 31, 32, 33}, {UINT32_MAX, 1, UINT32_MAX - 64, 5}, UINT32_MAX - 20},
}};

std::uint64_t allocation_bytes(std::uint32_t byte, bool huge) {
  constexpr std::array<std::uint64_t, 8> kSizes = {0, 1, 8, 16, 24, 8 * 4096, 8 * 4096 + 1, 100'000};
  if (huge && byte % 16 == 15) return std::uint64_t{8} << (20 + byte / 16 % 12);
  return byte % 8 == 7 ? byte : kSizes[byte % 8];
}

Event next_event(Bytes& bytes, const Ids& ids, bool huge) {
  const std::uint32_t what = bytes.next(), where = bytes.next(), how = bytes.next();
  Event e;
  e.op.kind = static_cast<EventKind>(what % 20);
  e.thread = ThreadId{ids.threads[what / 20 % 4 + (where >= 192 ? 4 : 0)]};
  e.op.site = SiteId{how % 5};
  switch (object_kind(e.op.kind)) {
    case ObjectKind::variable:
      e.object = ids.first_variable + where % 12;
      if (is_allocation(e.op.kind)) {
        e.op.value = allocation_bytes(how, huge);
        if (e.object + cells(e.op) > std::uint64_t{1} << 32) e.op.value = 0;
      } else {
        e.op.offset = static_cast<std::uint8_t>(where / 12 % 2 == 0 ? 0 : how / 16 % 8);
        e.op.value = how / 4 % 18;
      }
      break;
    case ObjectKind::thread:
      e.object = ids.threads[where % 8];
      break;
    case ObjectKind::none:
      break;
    default:
      e.object = ids.others[where % 4];
  }
  if (has_order(e.op.kind)) e.op.order = static_cast<MemoryOrder>(how / 40 % 6);
  if (is_barrier(e.op.kind)) e.op.value = how / 5 % 3;
  return e;
}

// What breaks a rule is dropped, until nothing does.
void make_well_formed(std::vector<Event>& trace) {
  for (;;) {
    model::BlockBuilder builder(trace.size() + 1);
    for (const Event& e : trace) builder.append(e);
    model::WellFormed rules;
    rules.feed(builder.view(0));
    if (rules.ok()) return;
    std::vector<Event> kept;
    auto fault = rules.faults().begin();
    for (std::uint32_t i = 0; i < trace.size(); ++i) {
      if (fault == rules.faults().end() || fault->place != i) kept.push_back(trace[i]);
      while (fault != rules.faults().end() && fault->place == i) ++fault;
    }
    trace = std::move(kept);
  }
}

Cut next_cut(Bytes& bytes) {
  const std::uint32_t a = bytes.next(), b = bytes.next();
  return {1 + a % 64, b % 4, 1 + b / 4 % 6, b / 24 % 3 == 0 ? 0 : engine::kManyCells};
}

Pairs pairs_of(const RaceList& races) {
  Pairs pairs;
  for (const auto& pair : races.pairs) pairs.insert({pair.earlier.event, pair.later.event});
  return pairs;
}
std::vector<std::uint64_t> flagged(const Pairs& pairs) {
  std::set<std::uint64_t> events;
  for (const auto& [a, b] : pairs) events.insert(b);
  return {events.begin(), events.end()};
}
std::map<VarId, std::uint64_t> first_by_variable(const RaceList& races) {
  std::map<VarId, std::uint64_t> first;
  for (const auto& pair : races.pairs) first.try_emplace(pair.variable, pair.later.event);
  return first;
}
bool subset(const Pairs& a, const Pairs& b) { return std::ranges::includes(b, a); }

void check_told_truly(const RaceList& races, oracle::Trace trace) {
  for (const auto& pair : races.pairs) {
    DEADHEAT_ASSERT(pair.earlier.event < pair.later.event && pair.later.event < trace.size(),
                    "events of the trace are told, in order");
    DEADHEAT_ASSERT(pair.earlier.thread != pair.later.thread, "of two threads");
    for (const model::Side* side : {&pair.earlier, &pair.later}) {
      const Event& event = trace[side->event];
      DEADHEAT_ASSERT(
          side->thread == event.thread && side->site == event.op.site && side->kind == event.op.kind,
          "each side is told as it is");
      const std::uint64_t first = std::uint64_t{index(pair.variable)} * kCellBytes;
      DEADHEAT_ASSERT(oracle::bytes_of(event).overlap({first, first + kCellBytes}), "and where it is");
    }
  }
}

// Eraser tells of the variable: two reads may be all there is to show.
void check_conflicts(const RaceList& races, oracle::Trace trace) {
  for (const auto& pair : races.pairs) {
    DEADHEAT_ASSERT(oracle::conflicting(trace, pair.earlier.event, pair.later.event),
                    "what is told conflicts");
  }
}

void check_promises(const std::map<std::string_view, RaceList>& told) {
  const RaceList &djit = told.at("djit"), &fasttrack = told.at("fasttrack");
  DEADHEAT_ASSERT(std::ranges::includes(djit.flagged(), fasttrack.flagged()),
                  "djit flags what fasttrack does");
  DEADHEAT_ASSERT(first_by_variable(djit) == first_by_variable(fasttrack), "first of each variable alike");
  DEADHEAT_ASSERT(fasttrack.pairs == told.at("fasttrack-tree").pairs, "tree clocks are clocks");
}

// The same accesses flagged as in a closure, and no other pairs told.
void check_keeps_to(const RaceList& races, const Pairs& pairs) {
  DEADHEAT_ASSERT(races.flagged() == flagged(pairs), "what is flagged is what the closure flags");
  DEADHEAT_ASSERT(subset(pairs_of(races), pairs), "what is told is told by the closure");
}

void check_oracles(const std::map<std::string_view, RaceList>& told, oracle::Trace trace, const Cut& cut) {
  const Pairs hb = oracle::hb_order(trace).unordered();
  check_keeps_to(told.at("djit"), hb);
  DEADHEAT_ASSERT(subset(pairs_of(told.at("fasttrack")), hb), "what fasttrack tells is not ordered");
  const Pairs shb = oracle::shb_pairs(oracle::shb_and_allocations_order(trace));
  DEADHEAT_ASSERT(subset(shb, hb), "what need not come after is not ordered");
  check_keeps_to(told.at("shb"), shb);
  check_keeps_to(told.at("shb-ee"), shb);
  DEADHEAT_ASSERT(pairs_of(test::run_engine("shb-ee:limit=unlimited", trace, cut)) == shb,
                  "shb-ee tells all");
  const Pairs lockset = oracle::lockset_pairs(trace);
  check_keeps_to(told.at("lockset"), lockset);
  check_keeps_to(told.at("tsan1"), oracle::tsan1_pairs(lockset, oracle::hard_order(trace)));
  check_keeps_to(told.at("tsan1-wrd"),
                 oracle::tsan1_wrd_pairs(lockset, oracle::hard_rf_and_allocations_order(trace)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes({data, size});
  const Cut cut = next_cut(bytes), other = next_cut(bytes);
  const std::uint32_t mode = bytes.next();
  // The greatest ids and sizes take time, so they are rare.
  const Ids& ids = mode == 255 ? kIds[4] : kIds[mode % 4];
  const bool huge = mode == 254;
  std::vector<Event> trace;
  while (!bytes.empty() && trace.size() < kMostEvents) trace.push_back(next_event(bytes, ids, huge));
  make_well_formed(trace);
  std::map<std::string_view, RaceList> told;
  for (const engine::Row& row : engine::rows()) {
    if (row.notion == engine::Notion::none) continue;
    RaceList& races = told[row.name] = test::run_engine(row.name, trace, cut);
    check_told_truly(races, trace);
    if (row.name != "eraser") check_conflicts(races, trace);
    DEADHEAT_ASSERT(races.pairs == test::run_engine(row.name, trace, other).pairs, "cuts do not matter");
  }
  check_promises(told);
  if (trace.size() <= kSmall) check_oracles(told, trace, cut);
  return 0;
}
