#include "engine/shb_ee.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/check.h"
#include "engine/dispatch.h"

namespace deadheat::engine {

using history::Access;
using history::EdgeHistory;
using history::Kept;

void ShbEe::order(const SortedBlock& block, RaceSink& races) {
  order_.begin_block(0, block.threads);
  order_.reserve(block.variables);
  history_.reserve(block.variables);
  const bool writes_end_sequences = block.atomics || order_.has_atomics();
  const BlockView& events = block.events;
  const OpClass* const classes = block.classes.data();
  const std::uint16_t* const codes = events.op.data();
  const std::uint32_t* const threads = events.thread.data();
  const std::uint32_t* const objects = events.object.data();
  const clock::Time first = clock::time_of(events.first);
  const std::size_t n = events.size();
  constexpr std::size_t kAhead = SortedBlock::kSlack;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (i + kAhead < n) {
      order_.prefetch(objects[i + kAhead]);
      history_.prefetch(objects[i + kAhead]);
      order_.prefetch_message(objects[i + kAhead / 2]);
      history_.prefetch_edges(objects[i + kAhead / 2]);
      history_.prefetch_next_edge(objects[i + kAhead / 4]);
    }
    const OpClass c = classes[codes[i]];
    const ThreadId t{threads[i]};
    if (c.kind == OpClass::other || (c.kind == OpClass::write && writes_end_sequences)) {
      if (!block.is_inner(i)) dispatch(order_, t, events.ops[codes[i]], objects[i], first + i);
      if (object_kind(c.event) != ObjectKind::variable) continue;
    }
    const Access a{t, first + i, objects[i], c.bytes, c.event, c.site};
    if (c.kind == OpClass::other || !history_.quick(a, order_.moment(t))) [[unlikely]] {
      access(block, i, races);
    } else if (c.kind == OpClass::read) {
      order_.narrow_read(t, objects[i], c.bytes, first + i);
    } else {
      order_.narrow_write(t, objects[i], c.bytes, first + i);
    }
  }
}

// All that is not quick. Its own synchronisation is done; what it reads is not ordered before it yet.
void ShbEe::access(const SortedBlock& block, std::uint32_t i, RaceSink& races) {
  const BlockView& events = block.events;
  const Op& op = events.ops[events.op[i]];
  const VarId x{events.object[i]};
  const ThreadId t{events.thread[i]};
  const clock::Time time = clock::time_of(events.first + i);
  Access a{t, time, 0, 0, op.kind, op.site};
  const model::ByteRange range{x, op};
  const model::Stretch stretch = Sharding{}.stretch(0, index(x), op);
  const bool many = is_allocation(op.kind) && cells(op) > many_cells_;
  const auto each_cell = [&](auto&& f) {
    if (many) {
      return history_.each_accessed(index(x), index(x) + cells(op), [&](std::uint32_t cell) {
        a.place = cell;
        a.bytes = model::bytes_in_cell(op, cell - index(x));
        f();
      });
    }
    range.each_cell([&](std::uint32_t cell, model::ByteMask bytes) {
      a.place = cell;
      a.bytes = bytes;
      f();
    });
  };
  if (op.kind == EventKind::alloc) {
    order_.accessed(t, x, op, time);
    history_.alloc_unaccessed(stretch);
    each_cell([&] { history_.alloc(a); });
    return;
  }
  const auto found = [&](const Kept& kept) { found_.push_back({kept, a.place}); };
  const order::Moment before = order_.moment(t);
  order_.accessed(t, x, op, time);
  const order::Moment after = order_.moment(t);
  bool all = true;
  if (many) {
    all = history_.meet_unaccessed(
        stretch, a, before, [&](const Kept& kept, std::uint32_t cell) { found_.push_back({kept, cell}); });
    history_.remember_unaccessed(stretch, a, after);
  }
  each_cell([&] {
    if (options_.paper) history_.meet_last_write(a, before, found);
    all &= history_.meet(a, options_.paper ? after : before, found);
  });
  each_cell([&] { history_.remember(a, after); });
  may_miss_ += all ? 0 : 1;
  tell(a, races);
}

// Each earlier access once, in the order of the trace, though they may have met in several places.
void ShbEe::tell(const Access& a, RaceSink& races) {
  std::ranges::sort(found_, {}, [](const Found& f) { return std::pair(f.access.epoch.time(), f.cell); });
  clock::Time told = 0;
  for (const Found& f : found_) {
    if (f.access.epoch.time() == told) continue;
    told = f.access.epoch.time();
    engine::tell(races, VarId{f.cell}, a, {f.access.epoch, f.access.site, f.access.kind()});
  }
  found_.clear();
}

std::vector<Counter> ShbEe::counters() const {
  return {{"edges dropped", history_.dropped()}, {"accesses with pairs that may be missing", may_miss_}};
}

Result<std::unique_ptr<Engine>> make_shb_ee(const Settings& settings, Shape shape) {
  ShbEe::Options options;
  options.paper = settings.on("paper");
  const std::string& limit = settings.get("limit");
  if (limit == "unlimited") {
    options.limit = EdgeHistory::kUnlimited;
  } else {
    const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), options.limit);
    if (limit.empty() || error != std::errc() || end != limit.data() + limit.size()) {
      return fail({Error::Kind::usage,
                   fmt::format("limit '{}' is not a number of edges; say 0 or more, or 'unlimited'", limit)});
    }
  }
  return std::make_unique<ShbEe>(options, shape);
}

}  // namespace deadheat::engine
