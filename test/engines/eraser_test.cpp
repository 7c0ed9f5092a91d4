// Eraser has no promise: known traces, and a slow twin that says what the paper says, variable by variable.
#include "deadheat/trace.h"
#include "engines/promises.h"
#include "support/load_trace.h"
#include "support/source_path.h"

namespace deadheat::test {
namespace {

using Locks = std::set<std::uint32_t>;

Locks locks_held(Trace trace, std::size_t i) {
  Locks held;
  for (const auto& [lock, exclusive] : oracle::locks_held(trace, i)) held.insert(lock);
  return held;
}
Locks write_locks_held(Trace trace, std::size_t i) {
  Locks held;
  for (const auto& [lock, exclusive] : oracle::locks_held(trace, i)) {
    if (exclusive) held.insert(lock);
  }
  return held;
}

// Of one variable, accessed as a whole.
struct Variable {
  enum { virgin, exclusive, shared, shared_modified } state = virgin;
  ThreadId first{};
  bool all = true;  // C(v) is the set of all locks
  Locks candidates;
  std::vector<std::size_t> accesses;

  void refine(const Locks& held) {
    Locks rest;
    for (const std::uint32_t lock : held) {
      if (all || candidates.contains(lock)) rest.insert(lock);
    }
    candidates = rest;
    all = false;
  }
  // True if there is a warning.
  bool access(Trace trace, std::size_t i) {
    const bool writes = trace[i].op.kind != EventKind::read;
    if (state == virgin) {
      state = exclusive;
      first = trace[i].thread;
    } else if (state == exclusive && trace[i].thread != first) {
      state = writes ? shared_modified : shared;
    } else if (state == shared && writes) {
      state = shared_modified;
    }
    if (state == shared || state == shared_modified) {
      refine(writes ? write_locks_held(trace, i) : locks_held(trace, i));
    }
    return state == shared_modified && candidates.empty();
  }
  // The last access of another thread that conflicts, or else the last of another thread.
  std::size_t partner(Trace trace, std::size_t i) const {
    for (const bool any : {false, true}) {
      for (std::size_t k = accesses.size(); k-- > 0;) {
        const std::size_t a = accesses[k];
        const bool conflict = trace[a].op.kind != EventKind::read || trace[i].op.kind != EventKind::read;
        if (trace[a].thread != trace[i].thread && (conflict || any)) return a;
      }
    }
    return i;
  }
};

Pairs eraser_pairs(Trace trace) {
  std::map<std::uint32_t, Variable> variables;
  Pairs found;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const EventKind kind = trace[i].op.kind;
    if (kind == EventKind::alloc) variables.erase(trace[i].object);
    if (kind != EventKind::read && kind != EventKind::write && kind != EventKind::free) continue;
    Variable& v = variables[trace[i].object];
    if (v.access(trace, i)) found.insert({v.partner(trace, i), i});
    v.accesses.push_back(i);
  }
  return found;
}

class Eraser : public Profile {};
INSTANTIATE_TEST_SUITE_P(Profiles, Eraser, testing::Values("basic", "all"),
                         [](const auto& profile) { return std::string(profile.param); });

TEST_P(Eraser, TellsWhatThePaperSays) {
  auto whole = options();
  whole.parts = whole.across = false;
  oracle::for_many_traces(whole, kTraces, [](Trace trace) {
    const Pairs pairs = eraser_pairs(trace);
    const RaceList races = run_engine("eraser", trace, any_cut(trace));
    return oracle::promised(!pairs.empty(), pairs_of(races) == pairs && told_truly(races, trace));
  });
}

// Bytes that no access has in common with another are variables of their own.
TEST_P(Eraser, LooksAtBytes) {
  const auto part = [](std::uint32_t thread, EventKind kind, std::uint8_t offset, std::uint64_t size) {
    return Event{ThreadId{thread}, {.kind = kind, .offset = offset, .value = size}, 7};
  };
  const std::vector<Event> trace = {part(0, EventKind::write, 0, 4), part(1, EventKind::write, 4, 4),
                                    part(2, EventKind::write, 6, 2)};
  EXPECT_EQ(pairs_of(run_engine("eraser", trace)), (Pairs{{1, 2}}));
}

struct Known {
  const char* trace;
  Pairs pairs;  // from 1
};

TEST(EraserTraces, AreToldAsTheirNamesSay) {
  const Known kKnown[] = {
      {"write-then-read", {}},
      {"eraser-tells", {{2, 6}}},
      {"eraser-initialisation", {}},
      {"eraser-read-shared", {}},
      {"eraser-reader-lock", {{2, 6}}},
      {"eraser-shared-modified", {{8, 11}, {8, 13}}},
      {"eraser-fork-join", {{1, 3}, {3, 5}}},
  };
  for (const Known& known : kKnown) {
    const auto trace =
        load_trace(test::source_path("test/corpus/promises/") + std::string(known.trace) + ".std");
    Pairs told;
    for (const auto& [a, b] : pairs_of(run_engine("eraser", trace))) told.insert({a + 1, b + 1});
    EXPECT_EQ(told, known.pairs) << known.trace;
  }
}

}  // namespace
}  // namespace deadheat::test
