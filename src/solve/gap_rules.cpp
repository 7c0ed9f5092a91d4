// What schedules keep of gaps and failed attempts, as needs: more than has to be, so that a schedule passes
// the check, and a pair of which these needs say no may meet all the same.
//
// A gap of unknown bytes comes after all that happens before it, and before the accesses and gaps that happen
// after it; who has one of these has the gap. What is set before it is set in the order of the trace. One of
// known bytes reads and writes them. (Rule S of the literature on hidden accesses, and a little more.)
#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "solve/rules.h"

namespace deadheat::solve {

namespace {

bool acquires(MemoryOrder order) { return order != MemoryOrder::relaxed && order != MemoryOrder::release; }
bool releases(MemoryOrder order) {
  return order == MemoryOrder::release || order == MemoryOrder::acq_rel || order == MemoryOrder::seq_cst;
}

// The edges of happens-before that locks and atomics make.
class Edges {
 public:
  Edges(const Rules& rules, const Window& window, std::vector<Rules::Need>& out) : rules_(rules), out_(out) {
    for (const Window::Held& held : window.held) {
      depth_[{index(held.lock), index(held.thread), held.mode == model::HeldLocks::Mode::shared}] =
          held.depth;
    }
    for (Index i = 0; i < rules.size(); ++i) see(i, rules.event(i));
  }

 private:
  using Ends = std::shared_ptr<const std::vector<Index>>;
  struct Releases {
    std::map<Index, Index> exclusive, shared;  // by thread: the last
  };

  void edge(Index before, Index after) {
    if (rules_.thread(before) != rules_.thread(after)) out_.push_back({before, after});
  }

  void see(Index i, const Event& e) {
    if (is_of_lock(e.op.kind)) return lock(i, e);
    if (is_atomic(e.op.kind)) return atomic(i, e);
    if (e.op.kind == EventKind::fence) return fence(i, e);
  }

  void lock(Index i, const Event& e) {
    const bool shared = is_shared(e.op.kind);
    std::uint32_t& depth = depth_[{e.object, index(e.thread), shared}];
    Releases& lock = locks_[e.object];
    if (is_acquire(e.op.kind)) {
      if (depth++ > 0) return;
      for (const auto& [t, release] : lock.exclusive) edge(release, i);
      if (shared) return;
      for (const auto& [t, release] : lock.shared) edge(release, i);
    } else if (depth > 1) {
      --depth;
    } else if (depth == 1) {
      depth = 0;
      (shared ? lock.shared : lock.exclusive)[rules_.thread(i)] = i;
    }
  }

  // More than C++ says, where plain writes come between or parts of a cell are accessed: that is no harm
  // here.
  void atomic(Index i, const Event& e) {
    const Index t = rules_.thread(i);
    std::vector<Index> seen;
    if (e.op.kind != EventKind::atomic_store) {
      each_byte(e, [&](Ends& byte) {
        if (byte) seen.insert(seen.end(), byte->begin(), byte->end());
      });
      std::ranges::sort(seen);
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      if (acquires(e.op.order)) {
        for (const Index end : seen) edge(end, i);
      }
      relaxed_[t].insert(relaxed_[t].end(), seen.begin(), seen.end());
    }
    if (e.op.kind == EventKind::atomic_load) return;
    if (releases(e.op.order)) {
      seen.push_back(i);
    } else if (const auto at = fences_.find(t); at != fences_.end()) {
      seen.push_back(at->second);
    }
    const Ends ends = seen.empty() ? nullptr : std::make_shared<const std::vector<Index>>(std::move(seen));
    each_byte(e, [&](Ends& byte) { byte = ends; });
  }

  void fence(Index i, const Event& e) {
    const Index t = rules_.thread(i);
    if (acquires(e.op.order)) {
      for (const Index end : relaxed_[t]) edge(end, i);
      relaxed_[t].clear();
    }
    if (releases(e.op.order)) fences_[t] = i;
  }

  template <class F>
  void each_byte(const Event& e, F&& f) {
    const std::uint64_t begin = std::uint64_t{e.object} * kCellBytes + (e.op.value == 0 ? 0 : e.op.offset);
    const std::uint64_t end = begin + (e.op.value == 0 ? kCellBytes : e.op.value);
    for (std::uint64_t byte = begin; byte < end; ++byte) f(bytes_[byte]);
  }

  const Rules& rules_;
  std::vector<Rules::Need>& out_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::uint32_t> depth_;
  std::map<std::uint32_t, Releases> locks_;
  std::map<std::uint64_t, Ends> bytes_;  // that were stored to: by whom who reads them is released
  std::map<Index, std::vector<Index>> relaxed_;
  std::map<Index, Index> fences_;
};

}  // namespace

// Called when the needs of threads and messages are known, and nothing else: these are in happens-before.
void Rules::find_needs_of_gaps(const Window& window) {
  last_gap_ = 0;
  for (Index i = 0; i < events_.size(); ++i) {
    if (events_[i].op.kind == EventKind::gap) last_gap_ = i;
  }
  if (last_gap_ == 0 && (events_.empty() || events_[0].op.kind != EventKind::gap)) return;
  std::vector<Need> edges = across_;
  const Edges drawn(*this, window, edges);
  std::ranges::sort(edges, {}, [](const Need& n) { return std::pair(n.after, n.before); });
  std::vector<Index> past;
  close(past, edges);
  const std::size_t width = threads();
  std::vector<std::vector<Index>> gaps(width);  // by thread, in order
  // By thread: of each thread the first event that is not needed yet by its gaps, and the first gap by
  // others.
  std::vector<Cut> known(width, Cut(width)), known_gaps(width, Cut(width));
  for (Index i = 0; i < events_.size(); ++i) {
    const EventKind kind = events_[i].op.kind;
    const Index t = thread_[i];
    const bool gap = kind == EventKind::gap;
    if (!gap && !is_of_memory(kind) && kind != EventKind::gap_range) continue;
    for (Index u = 0; u < width; ++u) {
      const Index cut = past[i * width + u];
      if (u == t) continue;
      if (gap && cut > known[t][u]) {
        need(i, of_thread_[u][cut - 1]);
        known[t][u] = cut;
      }
      if (gap || cut <= known_gaps[t][u]) continue;
      known_gaps[t][u] = cut;
      const auto behind = std::ranges::partition_point(gaps[u], [&](Index g) { return rank_[g] < cut; });
      if (behind != gaps[u].begin()) need(i, *(behind - 1));
    }
    if (gap) gaps[t].push_back(i);
  }
}

// What made them fail stays as it is.
void Rules::find_needs_of_attempts(const Window& window) {
  if (std::ranges::none_of(events_, [](const Event& e) { return is_failed_attempt(e.op.kind); })) return;
  struct Hold {
    Index acquire = kNone;
    std::uint32_t depth = 0;
    std::vector<Index> found = {};  // by attempts
  };
  std::map<std::uint32_t, std::map<std::pair<bool, Index>, Hold>> holds;  // by lock: shared, thread
  for (const Window::Held& held : window.held) {
    const auto t = number_.find(index(held.thread));
    // Who does nothing here holds it all the time.
    const Index thread = t == number_.end() ? kNone : t->second;
    holds[index(held.lock)][{held.mode == model::HeldLocks::Mode::shared, thread}] = {kNone, held.depth, {}};
  }
  std::map<std::uint32_t, std::map<Index, Index>> messages, vain;  // by channel and thread: the last
  std::map<std::uint32_t, std::vector<Index>> joins;               // attempts, by thread
  std::vector<Index> last(threads(), kNone);
  Index alone = kNone;  // an attempt that keeps its place
  for (Index i = 0; i < events_.size(); ++i) {
    const Event& e = events_[i];
    if (alone != kNone) need(i, alone);
    switch (e.op.kind) {
      case EventKind::acquire:
      case EventKind::acquire_shared: {
        Hold& hold = holds[e.object][{is_shared(e.op.kind), thread_[i]}];
        if (hold.depth++ == 0) hold.acquire = i;
        break;
      }
      case EventKind::release:
      case EventKind::release_shared: {
        auto& of_lock = holds[e.object];
        const auto at = of_lock.find({is_shared(e.op.kind), thread_[i]});
        if (at == of_lock.end() || --at->second.depth > 0) break;
        for (const Index attempt : at->second.found) need(i, attempt);
        of_lock.erase(at);
        break;
      }
      case EventKind::try_acquire_failed: {
        auto& of_lock = holds[e.object];
        if (!of_lock.empty()) {  // a writer is first
          Hold& hold = of_lock.begin()->second;
          if (hold.acquire != kNone) need(i, hold.acquire);
          hold.found.push_back(i);
          break;
        }
        for (const Index before : last) need(i, before);
        alone = i;
        break;
      }
      case EventKind::send:
      case EventKind::recv:
        for (const auto& [t, attempt] : vain[e.object]) need(i, attempt);
        messages[e.object][thread_[i]] = i;
        break;
      case EventKind::try_recv_failed:
        for (const auto& [t, message] : messages[e.object]) need(i, message);
        vain[e.object][thread_[i]] = i;
        break;
      case EventKind::try_join_failed:
        joins[e.object].push_back(i);
        break;
      case EventKind::end:
        for (const Index attempt : joins[index(e.thread)]) need(i, attempt);
        break;
      default:
        break;
    }
    last[thread_[i]] = i;
  }
}

}  // namespace deadheat::solve
