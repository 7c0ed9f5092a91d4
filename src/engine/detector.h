// Order, then check: the shape that most papers share. For each block the order first goes over all that
// synchronises, and writes down when a thread comes to know more; then the accesses are checked, shard by
// shard of the variables, each with what its thread knew at that moment.
#pragma once

#include <vector>

#include "engine/dispatch.h"
#include "engine/engine.h"
#include "engine/registry.h"
#include "history/access.h"
#include "order/moment.h"

namespace deadheat::engine {

template <class Order, class History>
class Detector final : public Engine {
 public:
  explicit Detector(Shape shape)
      : order_(shape.slots), slots_(shape.slots), lanes_(shape.sharding.shards()) {}

  void order(const SortedBlock& block, RaceSink&) override {
    const bool wider = order_.begin_block(block.slot, block.threads);
    Slot& slot = slots_[block.slot];
    slot.changes.clear();
    if (known_.size() < block.threads) known_.resize(block.threads);
    if (wider) {
      for (std::uint32_t t = 0; t < known_.size(); ++t) {
        if (known_[t].times != nullptr) note(slot, ThreadId{t}, 0);
      }
    }
    slot.nothing = {order_.knows_nothing(), order::LocksetId::empty};
    slot.threads = block.threads;
    if (Order::kFollowsValues || block.atomics || order_.has_atomics()) {
      for (std::uint32_t i = 0; i < block.events.size(); ++i) order_event(block, slot, i);
    } else {
      for (const std::uint16_t i : block.order) order_event(block, slot, i);
    }
    slot.changes.push_back({UINT32_MAX, ThreadId{}, {}});
  }

  void check(const SortedBlock& block, std::uint32_t shard, RaceSink& races) override {
    Lane& lane = lanes_[shard];
    const Slot& slot = slots_[block.slot];
    lane.begin(slot);
    const Change* change = slot.changes.data();
    const BlockView& events = block.events;
    const std::span<const std::uint16_t> positions = block.accesses[shard];
    const Sharding sharding = block.sharding;
    for (std::size_t k = 0; k < positions.size(); ++k) {
      if (k + kAhead < positions.size())
        lane.history.prefetch(sharding.place(events.object[positions[k + kAhead]]));
      const std::uint32_t i = positions[k];
      for (; change->from <= 2 * i; ++change) lane.now[index(change->thread)] = change->moment;
      const std::uint16_t code = events.op[i];
      const OpClass c = block.classes[code];
      const ThreadId t{events.thread[i]};
      const std::uint32_t object = events.object[i];
      const order::Moment& now = lane.now[index(t)];
      const history::Access a{t,
                              clock::time_of(events.first + i),
                              sharding.place(object),
                              c.bytes,
                              events.ops[code].kind,
                              events.ops[code].site};
      const auto race = [&](const history::Met& met) { tell(races, VarId{object}, a, met); };
      if (c.kind == OpClass::read) {
        lane.history.read(a, now, race);
      } else if (c.kind == OpClass::write) {
        lane.history.write(a, now, race);
      } else {
        check_other(lane, sharding, shard, a, events.ops[code], object, now, races);
      }
    }
    // Those behind the last access count for the next block.
    for (; change->from != UINT32_MAX; ++change) lane.now[index(change->thread)] = change->moment;
  }

  std::uint64_t bytes() const override {
    std::uint64_t sum = order_.bytes();
    for (const Lane& lane : lanes_) sum += lane.history.bytes();
    return sum;
  }

 private:
  static constexpr std::size_t kAhead = 16;

  // From when on a thread knows more.
  struct Change {
    std::uint32_t from;  // 2 i: from event i on; 2 i + 1: from behind it
    ThreadId thread;
    order::Moment moment;
  };
  // What the order leaves for the checks of a block.
  struct Slot {
    std::vector<Change> changes;
    order::Moment nothing;  // of threads that never came to know of another
    std::uint32_t threads = 0;
  };
  // What the checks of a shard keep from block to block.
  struct Lane {
    History history;
    std::vector<order::Moment> now;  // by thread
    order::Moment nothing;

    void begin(const Slot& slot) {
      if (slot.nothing != nothing) {
        for (order::Moment& moment : now) {
          if (moment == nothing) moment = slot.nothing;
        }
        nothing = slot.nothing;
      }
      if (now.size() < slot.threads) now.resize(slot.threads, nothing);
    }
  };

  void order_event(const SortedBlock& block, Slot& slot, std::uint32_t i) {
    const BlockView& events = block.events;
    const ThreadId t{events.thread[i]};
    const Op& op = events.ops[events.op[i]];
    const clock::Time time = clock::time_of(events.first + i);
    if (op.kind != EventKind::read) {
      dispatch(order_, held_, t, op, events.object[i], time);
      note(slot, t, 2 * i);
      if (op.kind == EventKind::fork) note(slot, ThreadId{events.object[i]}, 2 * i);
    }
    if constexpr (Order::kFollowsValues) {
      if (object_kind(op.kind) != ObjectKind::variable) return;
      order_.accessed(t, VarId{events.object[i]}, op, time);
      note(slot, t, 2 * i + 1);
    }
  }
  // Writes down what thread t knows, if that is new.
  void note(Slot& slot, ThreadId t, std::uint32_t from) {
    const order::Moment moment = order_.moment(t);
    if (known_[index(t)] == moment) return;
    known_[index(t)] = moment;
    slot.changes.push_back({from, t, moment});
  }

  [[gnu::noinline]] static void check_other(Lane& lane, Sharding sharding, std::uint32_t shard,
                                            history::Access a, const Op& op, std::uint32_t object,
                                            const order::Moment& now, RaceSink& races) {
    model::ByteRange{VarId{object}, op}.each_cell([&](std::uint32_t cell, model::ByteMask bytes) {
      if (sharding.shard(cell) != shard) return;
      a.place = sharding.place(cell);
      a.bytes = bytes;
      const auto race = [&](const history::Met& met) { tell(races, VarId{cell}, a, met); };
      if (op.kind == EventKind::read) {
        lane.history.read(a, now, race);
      } else if (op.kind == EventKind::write || op.kind == EventKind::free) {
        lane.history.write(a, now, race);
      } else if (op.kind == EventKind::alloc) {
        lane.history.alloc(a);
      } else {
        lane.history.atomic(a, now, race);
      }
    });
  }
  [[gnu::noinline]] static void tell(RaceSink& races, VarId x, const history::Access& a,
                                     const history::Met& met) {
    races.race({x,
                {met.epoch.event(), met.epoch.thread(), met.site, met.kind},
                {a.time - 1, a.thread, a.site, a.kind}});
  }

  Order order_;
  model::HeldLocks held_;
  std::vector<order::Moment> known_;  // by thread: as last noted
  std::vector<Slot> slots_;
  std::vector<Lane> lanes_;
};

}  // namespace deadheat::engine
