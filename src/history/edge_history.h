// All accesses to each variable, or the last of them: those that no later one stands for, and from these the
// edges to the ones that they replaced. An access replaces only what is ordered before it, and what it
// conflicts with no less: then whoever meets the replaced one meets the one in its place too, and following
// edges from there finds everything that was met. Where nothing is met, no edge is looked at.
// Sulzmann & Stadtmueller, "Efficient, Near Complete and Often Sound Hybrid Dynamic Data Race Prediction"
// (2020), algorithm 2, definition 4.4 and section 4.5 (the limit).
// Departs: an access may be kept that could be replaced; that costs memory, at most an access a thread and
// kind, and loses nothing. And where an access has met many, those of its variable are kept by groups from
// then on (all_accesses.h), and told as such: else a race that fires n times costs n * n steps.
// Time O(1) an access that meets nothing; O(T) where accesses raced, after reads that were not ordered, and
// for atomics; and what it meets.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "history/all_accesses.h"
#include "history/edges.h"
#include "history/last_accesses.h"
#include "model/cells.h"

namespace deadheat::history {

// What an access may still find in a variable. A pair that is found and not told costs little: of these there
// may be many more.
struct Allowance {
  static constexpr std::uint64_t kLookedAtForATold = 100;

  explicit Allowance(std::uint64_t pairs)
      : told(pairs),
        looked_at(pairs > UINT64_MAX / kLookedAtForATold ? UINT64_MAX : pairs * kLookedAtForATold) {}
  bool used_up() const { return told == 0 || looked_at == 0; }

  std::uint64_t told, looked_at;
};

class EdgeHistory {
 public:
  static constexpr std::uint64_t kUnlimited = UINT64_MAX;

  // So many edges are kept for each variable; for each part of it, if parts are accessed. Once an access has
  // met more than `many` in one part, they are groups there; not where a limit counts edges.
  EdgeHistory(std::uint64_t limit, std::uint64_t many)
      : limit_(limit),
        most_room_(limit > clock::Epoch::kMaxTime ? kUnlimited : std::bit_ceil(limit)),
        many_(limit == kUnlimited ? many : kUnlimited) {}
  EdgeHistory(const EdgeHistory&) = delete;
  EdgeHistory& operator=(const EdgeHistory&) = delete;
  ~EdgeHistory() {
    cells_.for_each([](State& s) { s.drop(); });
  }

  void reserve(std::uint64_t places) { cells_.reserve(places); }
  void prefetch(std::uint32_t place) const { cells_.prefetch(place); }
  // f(place) for all places from `begin` to `end` that were ever accessed.
  template <class F>
  void each_accessed(std::uint64_t begin, std::uint64_t end, F&& f) const {
    cells_.each_visited(begin, end, f);
  }
  // To be called one after the other, when what the one before asked for has had time to arrive.
  void prefetch_edges(std::uint32_t place) const { __builtin_prefetch(cells_.cell(place).edges); }
  void prefetch_next_edge(std::uint32_t place) const {
    if (const Edges* const edges = cells_.cell(place).edges) edges->prefetch();
  }

  // Most accesses meet nothing but what is ordered before them. Does all there is to do for such a plain read
  // or write; false, and nothing done, if there is more: meet() and remember().
  template <class Now>
  [[gnu::always_inline]] bool quick(const Access& a, const Now& now) {
    State& s = cells_.cell(a.place);
    if (s.mask != a.bytes || s.form != Form::few) [[unlikely]]
      return false;
    if (!(static_cast<unsigned>(now.covers(a.thread, s.write.epoch)) &
          static_cast<unsigned>(now.covers(a.thread, s.read.epoch)))) [[unlikely]] {
      return false;
    }
    take_place(s, a.kind == EventKind::write ? s.write : s.read, {a, now.held});
    return true;
  }

  // Calls found(kept) for the accesses that conflict with this one and that `now` does not cover, once for
  // each part in which they meet, as far as allowed; it says whether the pair is told. Where they are groups,
  // found_last(group, first) for each of these, which are there until the next remember(). False if there may
  // be more, of which the limit dropped the edges.
  template <class Now, class F, class G>
  [[nodiscard]] bool meet(const Access& a, const Now& now, Allowance& allowed, F&& found, G&& found_last) {
    bool all = true;
    cells_.visit_known(a.place, a.bytes, [&](State& s) {
      if (s.form == Form::groups) {
        return s.groups->each_uncovered(a.thread, now, [&](const AccessGroup& group, std::size_t first) {
          if (conflict(group.kind, a.kind)) found_last(group, first);
        });
      }
      const std::uint64_t before = allowed.looked_at;
      s.for_each([&](const Kept& kept) { all &= follow(s, kept, a, now, allowed, found); });
      if (before - allowed.looked_at > many_) s.group();
    });
    return all;
  }
  // The same for a free, of what was never accessed in the stretch: found(kept, place), once for all places,
  // the first of them.
  template <class Now, class F>
  [[nodiscard]] bool meet_unaccessed(model::Stretch stretch, const Access& a, const Now& now,
                                     Allowance& allowed, F&& found) {
    bool all = true;
    cells_.visit_unvisited_known(stretch, [&](const State& s, model::Stretch part) {
      const auto place = cells_.first_unvisited(part);
      if (!place) return;
      const auto found_here = [&](const Kept& kept) { return found(kept, *place); };
      s.for_each([&](const Kept& kept) { all &= follow(s, kept, a, now, allowed, found_here); });
    });
    return all;
  }
  // The same for no other than what was last written in each part.
  template <class Now, class F>
  void meet_last_write(const Access& a, const Now& now, F&& found) {
    cells_.visit_known(a.place, a.bytes, [&](const State& s) {
      Kept last;
      s.for_each_last([&](const Kept& kept) {
        if (writes(kept.kind()) && last.epoch.time() < kept.epoch.time()) last = kept;
      });
      if (!last.none() && meets(last, a, now)) found(last);
    });
  }

  // Whether nothing is known of the cell.
  bool untouched(std::uint32_t place) {
    bool any = false;
    cells_.visit_known(place, 0xFF,
                       [&](const State& s) { s.for_each_last([&](const Kept&) { any = true; }); });
    return !any;
  }

  // Where an access is ordered after another by `now`, it may take its place.
  template <class Now>
  void remember(const Access& a, const Now& now) {
    cells_.visit(a.place, a.bytes, [&](State& s) {
      if (s.form == Form::groups) {
        s.groups->add({a, now.held});
      } else if (a.kind == EventKind::write || a.kind == EventKind::free) {
        remember_write(s, a, now);
      } else if (a.kind == EventKind::read && s.form == Form::few && now.covers(a.thread, s.read.epoch)) {
        take_place(s, s.read, {a, now.held});
      } else {
        s.share();
        take_place(s, s.others->at(a), {a, now.held});
      }
    });
  }
  // The same for a free, of what was never accessed in the stretch.
  template <class Now>
  void remember_unaccessed(model::Stretch stretch, const Access& a, const Now& now) {
    cells_.visit_unvisited(stretch, [&](State& s, model::Stretch) { remember_write(s, a, now); });
  }
  // The memory is new. Of what was never accessed it must be told first.
  void alloc_unaccessed(model::Stretch stretch) {
    cells_.forget_unvisited(stretch, [](State& s) { s.drop(); });
  }
  void alloc(const Access& a) {
    cells_.forget(a.place, a.bytes, [](State& s) { s.drop(); });
  }

  std::uint64_t dropped() const { return dropped_; }  // edges, for the limit
  std::size_t bytes() const {
    std::size_t sum = cells_.bytes();
    cells_.for_each([&](const State& s) {
      if (s.edges != nullptr) sum += s.edges->bytes();
      if (s.form == Form::shared) sum += s.others->bytes();
      if (s.form == Form::groups) sum += s.groups->bytes();
    });
    return sum;
  }

 private:
  enum class Form : std::uint8_t { few, shared, groups };
  // A cache line. All zeros: never accessed.
  struct alignas(64) State {
    Kept write;  // none, if there are groups
    union {
      Kept read;             // if few
      LastAccesses* others;  // if shared; the read is among them
      AllAccesses* groups;   // if groups; then there are no edges
    };
    Edges* edges;
    std::uint32_t next;
    ByteMask mask;
    Form form;

    State() : read(), edges(nullptr), next(0), mask(0), form(Form::few) {}

    // f(access) for those that no later one has replaced; not of groups.
    template <class F>
    void for_each(F&& f) const {
      if (!write.none()) f(write);
      if (form == Form::shared) {
        others->for_each(f);
      } else if (!read.none()) {
        f(read);
      }
    }
    // The same, or the last one of each group.
    template <class F>
    void for_each_last(F&& f) const {
      if (form != Form::groups) return for_each(f);
      groups->each_group([&](const AccessGroup& g) {
        f(Kept({g.thread, clock::time_of(g.events.back()), 0, 0, g.kind, g.site}, g.held));
      });
    }
    void share() {
      if (form == Form::shared) return;
      const Kept only = read;
      others = new LastAccesses;
      form = Form::shared;
      if (!only.none()) others->put(only);
    }
    void drop_others() {
      if (form == Form::few) return;
      if (form == Form::shared) delete others;
      if (form == Form::groups) delete groups;
      form = Form::few;
      read = {};
    }
    void drop() {
      drop_others();
      Edges::destroy(edges);
      edges = nullptr;
    }
    // From now on.
    void group() {
      std::vector<Kept> accesses;
      for_each([&](const Kept& kept) { accesses.push_back(kept); });
      const std::uint64_t replaced = edges == nullptr ? 0 : edges->count();
      for (std::uint64_t number = 0; number < replaced; ++number) accesses.push_back((*edges)[number]);
      std::ranges::sort(accesses, {}, [](const Kept& kept) { return kept.epoch.time(); });
      auto* const all = new AllAccesses;
      for (const Kept& kept : accesses) all->add(kept);
      drop();
      write = {};
      groups = all;
      form = Form::groups;
    }
    State clone() const {
      State copy = *this;
      if (edges != nullptr) copy.edges = edges->clone();
      if (form == Form::shared) copy.others = new LastAccesses(*others);
      if (form == Form::groups) copy.groups = new AllAccesses(*groups);
      return copy;
    }
  };
  static_assert(sizeof(State) == 64);
  struct Run {
    std::uint64_t first, end;
  };

  static bool writes(EventKind kind) { return kind != EventKind::read && kind != EventKind::atomic_load; }
  static bool conflict(EventKind a, EventKind b) {
    return (writes(a) || writes(b)) && !(is_atomic(a) && is_atomic(b));
  }
  template <class Now>
  static bool meets(const Kept& kept, const Access& a, const Now& now) {
    return conflict(kept.kind(), a.kind) && !now.covers(a.thread, kept.epoch);
  }

  // Who is not met has replaced nothing that is: there the search ends.
  template <class Now, class F>
  bool follow(const State& s, const Kept& from, const Access& a, const Now& now, Allowance& allowed,
              F& found) {
    if (allowed.used_up() || !meets(from, a, now)) return true;
    const auto note = [&](const Kept& kept) {
      --allowed.looked_at;
      allowed.told -= found(kept) ? 1 : 0;
    };
    note(from);
    bool all = true;
    const std::uint64_t count = s.edges == nullptr ? 0 : s.edges->count();
    const std::uint64_t oldest = limit_ == 0 ? UINT64_MAX : count > limit_ ? count - limit_ : 0;
    const auto push = [&](const Kept& kept) {
      if (kept.edges == 0) return;
      const std::uint64_t first = kept.first_edge, end = first + kept.edges;
      all &= first >= oldest;
      if (end > oldest) runs_.push_back({std::max(first, oldest), end});
    };
    for (push(from); !runs_.empty();) {
      const Run run = runs_.back();
      runs_.pop_back();
      for (std::uint64_t number = run.first; number < run.end; ++number) {
        const Kept& kept = (*s.edges)[number];
        if (!meets(kept, a, now)) continue;
        if (allowed.used_up()) {
          runs_.clear();
          return all;
        }
        note(kept);
        push(kept);
      }
    }
    return all;
  }

  template <class Now>
  void remember_write(State& s, const Access& a, const Now& now) {
    Kept kept(a, now.held);
    const auto covered = [&](const Kept& old) {
      return now.covers(a.thread, old.epoch) && kept.edges < Kept::kMostEdges;
    };
    const auto replace = [&](const Kept& old) {
      if (old.none()) return;
      const std::uint64_t number = add_edge(s, old);
      if (kept.edges++ == 0) kept.first_edge = number;
    };
    if (covered(s.write)) {
      replace(s.write);
    } else {
      s.share();
      s.others->put(s.write);
    }
    if (s.form == Form::shared) {
      s.others->erase_if([&](const Kept& old) {
        if (!covered(old)) return false;
        replace(old);
        return true;
      });
      if (s.others->empty()) s.drop_others();
    } else if (covered(s.read)) {
      replace(s.read);
      s.read = {};
    }
    s.write = kept;
  }
  [[gnu::always_inline]] void take_place(State& s, Kept& place, Kept kept) {
    if (!place.none()) {
      kept.first_edge = add_edge(s, place);
      kept.edges = 1;
    }
    place = kept;
  }
  // Its number.
  [[gnu::always_inline]] std::uint64_t add_edge(State& s, const Kept& replaced) {
    if (s.edges == nullptr || s.edges->full()) [[unlikely]]
      make_room(s);
    if (limit_ == 0) {
      ++dropped_;
      return 0;
    }
    const std::uint64_t number = s.edges->count();
    dropped_ += number >= limit_ ? 1 : 0;
    s.edges->put(replaced);
    return number;
  }
  [[gnu::noinline]] void make_room(State& s) const {
    if (limit_ == 0) return;
    if (s.edges == nullptr) {
      s.edges = Edges::make();
    } else if (s.edges->room() < most_room_) {
      s.edges = Edges::grown(s.edges);
    }
  }

  std::uint64_t limit_, most_room_, many_;
  std::uint64_t dropped_ = 0;
  mutable model::Cells<State> cells_;
  std::vector<Run> runs_;  // to be followed
};

}  // namespace deadheat::history
