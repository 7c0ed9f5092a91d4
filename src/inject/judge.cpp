#include "inject/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "inject/overlap.h"
#include "model/block_builder.h"
#include "model/well_formed.h"
#include "solve/intervals.h"
#include "solve/rules.h"
#include "witness/checker.h"

namespace deadheat::inject {

namespace {

constexpr std::uint64_t kManyBytes = 1 << 20;

std::string ill_formed(const Injected& made, const Names& names) {
  model::WellFormed rules;
  model::BlockBuilder block;
  const auto& events = made.events;
  for (std::uint64_t i = 0; i < events.size(); ++i) {
    block.append(events[i]);
    if (!block.full() && i + 1 < events.size()) continue;
    rules.feed(block.view(i + 1 - block.size()));
    block.clear();
  }
  return rules.ok() ? "" : "not well formed: " + model::describe(rules.kept()[0], names);
}

// What each event finds when it is done, by ids: the last to set each stretch of bytes that it reads; of an
// alloc or free, how many events touched its bytes before; of a receive, how many sends came before; of a
// barrier, how many of each kind and generation. The last to set each stretch at the end, besides.
class Findings {
 public:
  explicit Findings(const std::vector<Event>& events) : intervals_(events), memory_(intervals_.size()) {}

  std::vector<std::uint64_t> see(Id id, const Event& e) {
    std::vector<std::uint64_t> found;
    const EventKind kind = e.op.kind;
    if (is_of_memory(kind)) {
      intervals_.each(e, [&](std::size_t at) {
        Stretch& m = memory_[at];
        if (solve::reads(kind)) found.push_back(m.last);
        if (is_allocation(kind)) found.push_back(m.touched);
        found.push_back(m.allocations);
        ++m.touched;
        if (is_allocation(kind)) ++m.allocations;
        if (solve::sets(kind)) m.last = std::uint64_t{id} + 1;
      });
    }
    if (kind == EventKind::send) ++counts_[{kind, e.object, 0}];
    if (kind == EventKind::recv) found.push_back(counts_[{EventKind::send, e.object, 0}]);
    if (is_barrier(kind)) {
      if (kind == EventKind::barrier_exit) {
        found.push_back(counts_[{EventKind::barrier_enter, e.object, e.op.value}]);
      }
      ++counts_[{kind, e.object, e.op.value}];
    }
    return found;
  }
  // Adds the bytes that others set last than in `other`, which is of the same events. False: far too many.
  bool differences(const Findings& other, std::unordered_set<std::uint64_t>& bytes) const {
    for (std::size_t at = 0; at < memory_.size(); ++at) {
      if (memory_[at].last == other.memory_[at].last) continue;
      if (bytes.size() + intervals_.end(at) - intervals_.begin(at) > kManyBytes) return false;
      for (std::uint64_t byte = intervals_.begin(at); byte < intervals_.end(at); ++byte) bytes.insert(byte);
    }
    return true;
  }

 private:
  struct Stretch {
    std::uint64_t last = 0, touched = 0, allocations = 0;
  };
  solve::Intervals intervals_;
  std::vector<Stretch> memory_;
  std::map<std::tuple<EventKind, std::uint32_t, std::uint64_t>, std::uint64_t> counts_;
};

// Against the base, with each injected access where it is in its thread. Those to the fresh variables are
// not looked at: nothing else depends on them.
std::string no_reordering(const Draft& draft) {
  const BaseTrace& base = draft.base();
  // All events before `begin` are as they were, and so are those behind `end`.
  std::uint64_t begin = 0, end = draft.size();
  while (begin < base.events.size() && begin < draft.size() && draft.id_at(begin) == begin) ++begin;
  const std::uint64_t more = draft.size() - base.events.size();
  while (end > begin + more && draft.id_at(end - 1) == end - 1 - more) --end;

  std::vector<Event> events(base.events.begin() + static_cast<std::ptrdiff_t>(begin),
                            base.events.begin() + static_cast<std::ptrdiff_t>(end - more));
  Findings was(events), is(events);
  std::unordered_map<Id, std::vector<std::uint64_t>> found;
  for (std::uint64_t i = begin; i < end - more; ++i) {
    found[static_cast<Id>(i)] = was.see(static_cast<Id>(i), base.events[i]);
  }
  std::unordered_map<std::uint32_t, Id> last;  // by thread
  std::uint64_t seen = 0;
  for (std::uint64_t place = begin; place < end; ++place) {
    const Id id = draft.id_at(place);
    if (id >= base.events.size()) continue;
    const auto at = found.find(id);
    if (at == found.end())
      return fmt::format("event {} of the base is there twice, or far from its place", id);
    const Event& e = base.events[id];
    if (const auto before = last.find(index(e.thread)); before != last.end() && before->second > id) {
      return fmt::format("events {} and {} of one thread changed places", before->second, id);
    }
    last[index(e.thread)] = id;
    if (is.see(id, e) != at->second) return fmt::format("event {} finds something else than in the base", id);
    ++seen;
  }
  if (seen != found.size()) return "events of the base are missing";
  std::unordered_set<std::uint64_t> changed;  // bytes, until they are set anew
  if (!is.differences(was, changed)) return "too many bytes are written last by another event";
  for (std::uint64_t i = end - more; i < base.events.size() && !changed.empty(); ++i) {
    const Event& e = base.events[i];
    if (!is_of_memory(e.op.kind)) continue;
    const Bytes bytes = bytes_of(e);
    const auto touches = [&](std::uint64_t byte) { return byte >= bytes.begin && byte < bytes.end; };
    if (solve::reads(e.op.kind) && std::ranges::any_of(changed, touches)) {
      return fmt::format("event {} reads what another event wrote", i);
    }
    if (solve::sets(e.op.kind)) std::erase_if(changed, touches);
  }
  return "";
}

std::string wrong_schedules(const Injected& made) {
  for (const LabelledPair& pair : made.pairs) {
    const witness::Witness& witness = pair.witness;
    witness::Checker checker(witness);
    witness::Before before;
    for (std::uint64_t i = 0; i < witness.last(); ++i) {
      if (i == witness.from) checker.begin(before);
      if (i >= witness.from) checker.see(i, made.events[i]);
      if (i < witness.from) before.see(made.events[i]);
    }
    const witness::Verdict verdict = checker.verdict();
    if (!verdict.ok()) return "the schedule does not hold: " + verdict.broken;
  }
  return "";
}

}  // namespace

std::string wrong_with(const Draft& draft, const Injected& made) {
  if (std::string wrong = ill_formed(made, draft.base().names); !wrong.empty()) return wrong;
  if (std::string wrong = no_reordering(draft); !wrong.empty()) return wrong;
  return wrong_schedules(made);
}

}  // namespace deadheat::inject
