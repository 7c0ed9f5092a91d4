#include "analysis/around.h"

#include <algorithm>

namespace deadheat::analysis {

namespace {

using model::HeldLocks;

// Locks held as the trace goes.
class Holders {
 public:
  void see(const Event& e) {
    const bool shared = e.op.kind == EventKind::acquire_shared || e.op.kind == EventKind::release_shared;
    const auto mode = shared ? HeldLocks::Mode::shared : HeldLocks::Mode::exclusive;
    if (e.op.kind == EventKind::acquire || e.op.kind == EventKind::acquire_shared) {
      held_.acquire(e.thread, LockId{e.object}, mode, 0);
      threads_.insert(e.thread);
    } else if (object_kind(e.op.kind) == ObjectKind::lock) {
      held_.release(e.thread, LockId{e.object}, mode);
    }
  }
  std::vector<solve::Window::Held> all() const {
    std::vector<solve::Window::Held> out;
    for (const ThreadId t : threads_) {
      for (const HeldLocks::Held& h : held_.held(t)) out.push_back({t, h.lock, h.mode, h.depth});
    }
    return out;
  }

 private:
  HeldLocks held_;
  std::set<ThreadId> threads_;
};

}  // namespace

Result<std::vector<Part>> parts_around(const std::string& path, const ReadOptions& read,
                                       std::span<const model::RacePair> pairs, const Reach& reach) {
  std::vector<Part> parts(pairs.size());
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    parts[i].first = pairs[i].earlier.event - std::min(pairs[i].earlier.event, reach.before);
    parts[i].end = pairs[i].later.event + 1 + reach.after;
    end = std::max(end, parts[i].end);
  }
  auto source = open_source(path, read);
  if (!source) return fail(source.error());
  Holders holders;
  std::uint64_t number = 0;
  bool at_end = false;
  while (number < end) {
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    at_end = *block == nullptr;
    if (at_end) break;
    for (std::size_t i = 0; i < (*block)->size() && number < end; ++i, ++number) {
      const Event e = (**block)[i];
      for (Part& part : parts) {
        if (number < part.first || number >= part.end) continue;
        if (number == part.first) part.held = holders.all();
        part.events.push_back(e);
      }
      holders.see(e);
    }
  }
  for (Part& part : parts) part.whole = at_end && part.first == 0;
  return parts;
}

}  // namespace deadheat::analysis
