// Order, then check: the shape that most papers share. For each block the order first goes over all that
// synchronises, and writes down when a thread comes to know more; then the accesses are checked, shard by
// shard of the variables, each with what its thread knew at that moment.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "engine/by_slots.h"
#include "engine/check.h"
#include "engine/dispatch.h"
#include "engine/engine.h"
#include "history/access.h"
#include "order/moment.h"
#include "order/slots.h"

namespace deadheat::engine {

// Whether each thread has a slot of its own in clocks, or several have one after another. (Not where
// histories go by what one thread has done: its eras.)
enum class SlotUse : std::uint8_t { own, shared };

template <class Order, class History, SlotUse kUse = SlotUse::own>
class Detector final : public Engine {
 public:
  explicit Detector(Shape shape) : shape_(shape), order_(shape.slots), slots_(shape.slots) {
    for (std::uint32_t shard = 0; shard < shape.sharding.shards(); ++shard) lanes_.emplace_back(order_);
  }

  void order(const SortedBlock& block, RaceSink&) override {
    const bool wider = begin_block(block);
    Slot& slot = slots_[block.slot];
    slot.changes.clear();
    if (known_.size() < block.threads) known_.resize(block.threads);
    if (wider) note_all(slot, 0);
    if constexpr (kShared) {
      for (const order::Slots::Owner& owner : by_slots_.news()) note(slot, owner.thread, 0);
    }
    slot.nothing = {order_.knows_nothing(), order::LocksetId::empty};
    slot.threads = block.threads;
    const bool writes_end_sequences = block.atomics || order_.has_atomics();
    if constexpr (Order::kFollowsValues) {
      follow_values(block, slot, writes_end_sequences);
    } else if constexpr (requires { Order::kFollowsAccesses; }) {
      follow_accesses(block, slot, writes_end_sequences);
    } else if (writes_end_sequences) {
      for (std::uint32_t i = 0; i < block.events.size(); ++i) order_unless_plain(block, slot, i);
    } else {
      for (const std::uint16_t i : block.order()) order_event(block, slot, i);
    }
    slot.changes.push_back({UINT32_MAX, ThreadId{}, {}});
    if constexpr (kShared) slot.owners = by_slots_.news();
  }

  void check(const SortedBlock& block, std::uint32_t shard, RaceSink& races) override {
    Lane& lane = lanes_[shard];
    const Slot& slot = slots_[block.slot];
    lane.begin(slot);
    lane.history.reserve(block.sharding.places(block.variables));
    // In locals: the compiler cannot know that the history does not change them.
    const Change* change = slot.changes.data();
    const OpClass* const classes = block.classes.data();
    order::Moment* const known = lane.now.data();
    const Position* const positions = block.accesses(shard).data();
    const std::size_t count = block.accesses(shard).size();
    const std::uint32_t* const threads = block.events.thread.data();
    const clock::Time first = clock::time_of(block.events.first);
    for (std::size_t k = 0; k < count; ++k) {
      lane.history.prefetch(positions[k + SortedBlock::kSlack].place);
      const Position at = positions[k];
      for (; change->from <= 2u * at.event; ++change) known[index(change->thread)] = change->moment;
      const OpClass c = classes[at.code];
      const std::uint32_t thread = threads[at.event];
      const order::Moment& now = known[thread];
      const ThreadId t{kShared ? now.era : thread};
      const history::Access a{t, first + at.event, at.place, c.bytes, c.event, c.site};
      if (c.kind == OpClass::other || !check_quickly(lane.history, a, now)) [[unlikely]] {
        const Scope scope{block.sharding, shard, shape_.many_cells, t, kShared ? &lane.owners : nullptr};
        check_with_care(lane.history, block, scope, at.event, now, races);
      }
    }
    // Those behind the last access count for the next block.
    for (; change->from != UINT32_MAX; ++change) lane.now[index(change->thread)] = change->moment;
  }

  void checked(std::uint32_t slot) override {
    if constexpr (requires { order_.checked(slot); }) order_.checked(slot);
  }

  std::vector<Counter> counters() const override {
    std::vector<Counter> counters;
    if constexpr (requires { order_.counted(); }) {
      for (const auto& [name, value] : order_.counted()) counters.push_back({std::string(name), value});
    }
    return counters;
  }
  std::uint64_t bytes() const override {
    std::uint64_t sum = order_.bytes() + by_slots_.bytes();
    for (const Lane& lane : lanes_) sum += lane.history.bytes();
    return sum;
  }

 private:
  static constexpr bool kShared = kUse == SlotUse::shared;
  struct ByThreads {
    static std::size_t bytes() { return 0; }
  };

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
    std::vector<order::Slots::Owner> owners;  // that came
  };
  // What the checks of a shard keep from block to block.
  struct Lane {
    History history;
    std::vector<order::Moment> now;  // by thread
    order::Moment nothing;
    order::Owners owners;

    explicit Lane(const Order& order) : history(make_history(order)) {}
    // Some want to know what the numbers in moments mean.
    static History make_history(const Order& order) {
      if constexpr (std::is_constructible_v<History, const Order&>) {
        return History(order);
      } else {
        return History();
      }
    }

    void begin(const Slot& slot) {
      for (const order::Slots::Owner& owner : slot.owners) owners.add(owner);
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
    if constexpr (kShared) {
      if (by_slots_.order_event(order_, t, op, events.object[i], time)) note_all(slot, 2 * i);
    } else {
      dispatch(order_, t, op, events.object[i], time);
    }
    note(slot, t, 2 * i);
    if (op.kind == EventKind::fork) note(slot, ThreadId{events.object[i]}, 2 * i);
  }
  void order_unless_plain(const SortedBlock& block, Slot& slot, std::uint32_t i) {
    const OpClass c = block.classes[block.events.op[i]];
    if (c.kind == OpClass::read) return;
    if (c.kind == OpClass::write) {
      return order_.narrow_plain_write(block.events.object[i], c.bytes,
                                       clock::time_of(block.events.first + i));
    }
    if (!block.is_inner(i)) order_event(block, slot, i);
  }
  // The same for orders that are told of every access, after what it synchronises.
  void follow_values(const SortedBlock& block, Slot& slot, bool writes_end_sequences) {
    order_.reserve(block.variables);
    const BlockView& events = block.events;
    const OpClass* const classes = block.classes.data();
    const std::uint16_t* const codes = events.op.data();
    const std::uint32_t* const threads = events.thread.data();
    const std::uint32_t* const objects = events.object.data();
    const clock::Time first = clock::time_of(events.first);
    const std::size_t n = events.size();
    // Most events take little time, and what they need may come from memory: far enough ahead for that,
    // twice.
    constexpr std::size_t kAhead = 64;
    const order::Moment* const known = known_.data();
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i + kAhead < n) {
        order_.prefetch(objects[i + kAhead]);
        order_.prefetch_left(objects[i + kAhead / 2]);
      }
      const OpClass c = classes[codes[i]];
      const ThreadId t{threads[i]};
      const std::uint32_t object = objects[i];
      if (c.kind == OpClass::read) {
        // What was noted of the thread is what it knows now.
        const order::Moment& now = known[threads[i]];
        if (order_.finds_no_news(ThreadId{kShared ? now.era : threads[i]}, now, object, c.bytes)) [[likely]]
          continue;
        if (order_.narrow_read(as(t), object, c.bytes, first + i)) note(slot, t, 2 * i + 1);
      } else if (c.kind == OpClass::write) {
        if (writes_end_sequences) order_.narrow_plain_write(object, c.bytes, first + i);
        order_.narrow_write(as(t), object, c.bytes, first + i);
      } else {
        if (!block.is_inner(i)) order_event(block, slot, i);
        if (is_of_memory(c.event)) [[unlikely]]
          follow_access(block, slot, i);
      }
    }
  }
  // Of accesses that are not plain, or not within one cell.
  [[gnu::noinline]] void follow_access(const SortedBlock& block, Slot& slot, std::uint32_t i) {
    const BlockView& events = block.events;
    const ThreadId t{events.thread[i]};
    order_.accessed(as(t), VarId{events.object[i]}, events.ops[events.op[i]],
                    clock::time_of(events.first + i));
    note(slot, t, 2 * i + 1);
  }
  // The same for orders that are told of every access, before what it synchronises.
  void follow_accesses(const SortedBlock& block, Slot& slot, bool writes_end_sequences) {
    order_.reserve(block.variables);
    const BlockView& events = block.events;
    const clock::Time first = clock::time_of(events.first);
    const std::size_t n = events.size();
    constexpr std::size_t kAhead = SortedBlock::kSlack;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (i + kAhead < n) {
        order_.prefetch(events.object[i + kAhead]);
        const std::size_t next = i + kAhead / 2;
        if (block.classes[events.op[next]].kind != OpClass::other) order_.prefetch_notes(events.object[next]);
      }
      const OpClass c = block.classes[events.op[i]];
      const ThreadId t{events.thread[i]};
      const std::uint32_t object = events.object[i];
      if (c.kind == OpClass::other) {
        if (is_of_memory(c.event)) {
          order_.access(as(t), VarId{object}, events.ops[events.op[i]], first + i);
        }
        if (!block.is_inner(i)) order_event(block, slot, i);
      } else {
        if (order_.narrow_access(as(t), c.event, object, c.bytes, first + i)) note(slot, t, 2 * i);
        if (c.kind == OpClass::write && writes_end_sequences)
          order_.narrow_plain_write(object, c.bytes, first + i);
      }
    }
  }
  bool begin_block(const SortedBlock& block) {
    if constexpr (kShared) {
      return by_slots_.begin_block(order_, block, block.slot);
    } else {
      return order_.begin_block(block.slot, block.threads);
    }
  }
  // What the order knows the thread as.
  ThreadId as(ThreadId t) const {
    if constexpr (kShared) {
      return by_slots_[t];
    } else {
      return t;
    }
  }
  void note_all(Slot& slot, std::uint32_t from) {
    for (std::uint32_t t = 0; t < known_.size(); ++t) {
      if (known_[t].times == nullptr) continue;
      if constexpr (kShared) {
        if (!by_slots_.owns(ThreadId{t})) continue;
      }
      note(slot, ThreadId{t}, from);
    }
  }
  // Writes down what thread t knows, if that is new.
  [[gnu::always_inline]] void note(Slot& slot, ThreadId t, std::uint32_t from) {
    order::Moment moment = order_.moment(as(t));
    if constexpr (kShared) moment.era = index(as(t));
    order::Moment& known = known_[index(t)];
    if (known == moment) return;
    known = moment;
    slot.changes.push_back({from, t, moment});
  }

  Shape shape_;
  Order order_;
  std::conditional_t<kShared, BySlots<Order>, ByThreads> by_slots_;
  std::vector<order::Moment> known_;  // by thread: as last noted
  std::vector<Slot> slots_;
  std::vector<Lane> lanes_;
};

}  // namespace deadheat::engine
