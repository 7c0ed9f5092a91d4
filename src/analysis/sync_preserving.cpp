#include "analysis/sync_preserving.h"

#include <algorithm>
#include <tuple>

#include "engine/dispatch.h"

namespace deadheat::analysis {

using order::Ideal;

namespace {

// What was done before `from` need not be said again.
void shorten(witness::Witness& witness) {
  std::size_t used = 0;
  for (std::size_t t = 0; t < witness.ends.size(); ++t) {
    if (witness.ends[t] > witness.from) {
      used = t + 1;
    } else {
      witness.ends[t] = 0;
    }
  }
  witness.ends.resize(used);
  witness.ends.shrink_to_fit();
}

}  // namespace

SyncPreserving::SyncPreserving(std::span<const model::RacePair> pairs, bool writes_read,
                               std::span<const std::size_t> groups, std::size_t most_bytes)
    : writes_read_(writes_read),
      pairs_(pairs),
      earlier_(pairs.size()),
      found_(pairs.size()),
      groups_(groups),
      left_out_(pairs.size()),
      most_bytes_(most_bytes) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    wanted_.push_back({pairs[i].earlier.event, i, false});
    wanted_.push_back({pairs[i].later.event, i, true});
  }
  std::ranges::sort(wanted_, {}, [](const Wanted& w) { return std::tuple(w.event, w.is_later, w.pair); });
}

void SyncPreserving::see(const engine::SortedBlock& block) {
  order_.begin_block(0, block.threads);
  order_.reserve(block.variables);
  last_.resize(std::max<std::size_t>(last_.size(), block.threads));
  const BlockView& events = block.events;
  for (std::uint32_t i = 0; i < events.size() && wants_more(); ++i) {
    const Op& op = events.ops[events.op[i]];
    const ThreadId t{events.thread[i]};
    const std::uint64_t number = events.first + i;
    const clock::Time time = clock::time_of(number);
    if (number == wanted_[next_].event) access(number, t);
    if (!block.is_inner(i)) engine::dispatch(order_, t, op, events.object[i], time);
    if (is_of_memory(op.kind)) {
      if (writes_read_ && op.kind == EventKind::write) {
        Op read = op;
        read.kind = EventKind::read;
        order_.accessed(t, VarId{events.object[i]}, read, time);
      }
      order_.accessed(t, VarId{events.object[i]}, op, time);
    } else if (is_of_lock(op.kind) && !block.is_inner(i)) {
      const LockId l{events.object[i]};
      const bool shared = op.kind == EventKind::acquire_shared || op.kind == EventKind::release_shared;
      const auto mode = shared ? Sections::shared : Sections::exclusive;
      if (op.kind == EventKind::acquire || op.kind == EventKind::acquire_shared) {
        sections_.acquire(t, l, mode, time);
      } else {
        sections_.release(t, l, mode, time, order_.knows(t, time));
      }
    }
    last_[index(t)] = time;
  }
}

// What comes before the next event of the thread, whichever thread gets a lock first.
Ideal SyncPreserving::needed_by(ThreadId t) {
  Ideal set(last_.size());
  Message known = order_.knows(t, last_[index(t)]);
  order::join(set, known);
  order_.forget(known);
  return set;
}

void SyncPreserving::access(std::uint64_t event, ThreadId t) {
  const Ideal needed = needed_by(t);
  for (; next_ < wanted_.size() && wanted_[next_].event == event; ++next_) {
    const std::size_t pair = wanted_[next_].pair;
    Earlier& earlier = earlier_[pair];
    if (done_.contains(group_of(pair))) {
      bytes_ -= earlier.bytes();
      earlier = {};
      continue;
    }
    if (!wanted_[next_].is_later) {
      // The first one always fits, so that whoever comes back with the rest comes to an end.
      left_out_[pair] = bytes_ > 0 && bytes_ + 2 * needed.size() * sizeof(needed[0]) > most_bytes_;
      if (left_out_[pair]) continue;
      earlier = {last_, needed};
      bytes_ += earlier.bytes();
      continue;
    }
    if (left_out_[pair]) continue;
    bytes_ -= earlier.bytes();
    for (Ideal* const set : {&earlier.all, &earlier.needed}) {
      set->resize(last_.size());
      for (std::size_t u = 0; u < needed.size(); ++u) (*set)[u] = std::max((*set)[u], needed[u]);
    }
    found_[pair] = schedule(pair);
    if (found_[pair]) {
      shorten(*found_[pair]);
      bytes_ += found_[pair]->ends.capacity() * sizeof(found_[pair]->ends[0]);
      done_.insert(group_of(pair));
    }
    earlier = {};
  }
}

std::optional<witness::Witness> SyncPreserving::schedule(std::size_t n) {
  const model::RacePair& pair = pairs_[n];
  witness::Witness witness{.earlier = pair.earlier.event, .later = pair.later.event};
  if (close(earlier_[n].all, pair)) {
    witness.from = pair.earlier.event;
    witness.ends = std::move(earlier_[n].all);
    return witness;
  }
  if (!close(earlier_[n].needed, pair)) return {};
  witness.ends = std::move(earlier_[n].needed);
  return witness;
}

// Nothing later than the later access can be in it.
bool SyncPreserving::close(Ideal& set, const model::RacePair& pair) const {
  const ThreadId t = pair.earlier.thread;
  const clock::Time time = clock::time_of(pair.earlier.event);
  return set[index(t)] < time &&
         sections_.close(set, t, time, [](Ideal& to, const Message& known) { order::join(to, known); });
}

}  // namespace deadheat::analysis
