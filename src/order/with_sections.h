// An order, and besides: which critical sections each thread is in, and of those that are over what was known
// at their end. What follows from them is said by the orders that are made of this.
//
// A thread's sections of one lock come one after another, and each end knows what the one before knew. So if
// a thread knows u's events up to a time, of u's sections of a lock only the last one that began by then
// matters.
//
// A section in which u did nothing that others can come to know need not be kept: nobody knows of its
// beginning without knowing what came after its end. With a limit, of each lock, thread (slot) and mode only
// the last ones are kept; what is asked of the others, in vain, is counted. Sulzmann & Stadtmueller,
// "Efficient, Near Complete and Often Sound Hybrid Dynamic Data Race Prediction" (2020), the histories H(y)
// of algorithm 1, appendix F.4 and section 4.5. Departs: the paper has a history for each thread and lock,
// all other threads' sections in it. Here threads share one for each lock and thread that held it; a limit
// leaves no fewer sections than the paper's. Time O(T log n) for n sections. Memory O(1) a section, besides
// the clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "deadheat/event.h"
#include "model/table.h"

namespace deadheat::order {

template <class Base>
class WithSections : public Base {
 public:
  using Base::Base;
  using typename Base::Message;
  using typename Base::Time;

  static constexpr std::uint64_t kUnlimited = UINT64_MAX;

  // Of each lock, thread and mode so many sections are kept.
  void keep_sections(std::uint64_t limit) { limit_ = limit; }
  std::uint64_t sections_dropped() const { return dropped_; }
  std::uint64_t sections_missed() const { return missed_; }

  bool begin_block(std::uint32_t slot, std::uint32_t threads) {
    if (threads > threads_.size()) threads_.resize(threads);
    return Base::begin_block(slot, threads);
  }
  // Where ids are of slots, the sections of a slot's owners come one after another like those of a thread:
  // all of one owner's ended before the next one's fork, which knows of these ends. One that never ended is
  // not the next owner's.
  bool reserve_threads(std::uint32_t threads) {
    if (threads > threads_.size()) threads_.resize(threads);
    return Base::reserve_threads(threads);
  }
  Message take_ended(ThreadId u) {
    threads_[index(u)].held.clear();
    return Base::take_ended(u);
  }

  // The thread tells others something. (Writes do, by their values: orders made of this say so.)
  void tells(ThreadId t, Time time) { threads_[index(t)].told = time; }
  void fork(ThreadId t, ThreadId u, Time time) {
    Base::fork(t, u, time);
    tells(t, time);
  }
  void send(ThreadId t, ChannelId c, Time time) {
    Base::send(t, c, time);
    tells(t, time);
  }
  void barrier_enter(ThreadId t, BarrierId b, std::uint64_t generation, Time time) {
    Base::barrier_enter(t, b, generation, time);
    tells(t, time);
  }
  void fence(ThreadId t, MemoryOrder order, Time time) {
    Base::fence(t, order, time);
    tells(t, time);
  }

  std::size_t bytes() const { return Base::bytes() + locks_.bytes() + kept_ * sizeof(Section) * 3 / 2; }

 protected:
  using Base::clocks_;
  using Base::living;

  enum Mode : std::uint8_t { exclusive, shared };

 private:
  struct Section {
    Time acquired;
    Message released;
    Time end() const { return released.last.time(); }
  };
  // Of one thread, in order. Those before `first` were dropped.
  struct List {
    std::size_t first = 0;
    std::vector<Section> all;
  };
  // Of one thread: when its first section began, and the first one that is kept; when its last one ended.
  // Most that is asked is answered by these.
  struct Bounds {
    ThreadId thread;
    Time first, oldest, end;
  };
  struct OfMode {
    std::vector<Bounds> bounds;
    std::vector<List> lists;            // in the same order
    std::vector<std::uint32_t> places;  // by thread: the place in these and one
  };
  struct Lock {
    OfMode of[2];
  };

 protected:
  // A section that a thread is in.
  struct Held {
    LockId lock;
    Mode mode;
    Time since;
    Lock* others;
  };

  struct Thread {
    std::vector<Held> held;
    Time told = 0;  // when it last told others something
  };

  const std::vector<Held>& held(ThreadId t) const { return threads_[index(t)].held; }
  const Held& enter(ThreadId t, LockId l, Mode mode, Time time) {
    return threads_[index(t)].held.emplace_back(Held{l, mode, time, &locks_[index(l)]});
  }
  // The section that thread t is about to leave, to be handed to leave(). One of which the beginning was not
  // seen began before all that is known.
  const Held& inside(ThreadId t, LockId l, Mode mode) {
    const std::vector<Held>& all = held(t);
    const auto at = std::ranges::find_if(all, [&](const Held& h) { return h.lock == l && h.mode == mode; });
    return at == all.end() ? enter(t, l, mode, 1) : *at;
  }
  void leave(ThreadId t, const Held& section, Time time) {
    if (threads_[index(t)].told >= section.since) {
      keep(t, section, time);
      tells(t, time);
    }
    std::vector<Held>& all = threads_[index(t)].held;
    all.erase(all.begin() + (&section - all.data()));
  }

  // If thread t, in this section, knows of the beginning of one that excludes it, it now knows of its end.
  // True if that was news.
  bool catch_up(ThreadId t, const Held& section, Time time) {
    bool news = false;
    for (const Mode mode : {exclusive, shared}) {
      if (mode == shared && section.mode == shared) break;
      const OfMode& others = section.others->of[mode];
      const Time* times = Base::moment(t).times;
      for (std::size_t i = 0; i < others.bounds.size(); ++i) {
        const Bounds& of = others.bounds[i];
        const Time known = times[index(of.thread)];
        if (known >= of.end || known < of.first || of.thread == t) continue;
        news |= join_section(t, of, others.lists[i], known, time);
        times = Base::moment(t).times;
      }
    }
    return news;
  }
  // The same for that of thread u in which this event was.
  void join_section_with(ThreadId t, const Held& section, Mode mode, clock::Epoch e, Time time) {
    const OfMode& others = section.others->of[mode];
    if (index(e.thread()) >= others.places.size()) return;
    const std::uint32_t place = others.places[index(e.thread())];
    if (place == 0) return;
    join_section(t, others.bounds[place - 1], others.lists[place - 1], e.time(), time);
  }

 private:
  // `known`: a time between the bounds.
  bool join_section(ThreadId t, const Bounds& of, const List& list, Time known, Time time) {
    if (known < of.oldest) {
      ++missed_;
      return false;
    }
    const Section* section = &list.all.back();
    if (known < section->acquired) {
      const auto begin = list.all.begin() + static_cast<std::ptrdiff_t>(list.first);
      section = &*std::prev(std::upper_bound(begin, list.all.end(), known,
                                             [](Time at, const Section& s) { return at < s.acquired; }));
    }
    if (section->end() <= known) return false;
    auto& own = living(t).clock;
    const auto before = own;
    clocks_.join(own, t, time, section->released);
    return own != before;
  }
  void keep(ThreadId t, const Held& section, Time time) {
    OfMode& of = section.others->of[section.mode];
    if (index(t) >= of.places.size()) of.places.resize(index(t) + std::size_t{1});
    std::uint32_t& place = of.places[index(t)];
    if (place == 0) {
      of.bounds.push_back({t, section.since, section.since, 0});
      of.lists.emplace_back();
      place = static_cast<std::uint32_t>(of.bounds.size());
    }
    Bounds& bounds = of.bounds[place - 1];
    List& list = of.lists[place - 1];
    list.all.push_back({section.since, {}});
    clocks_.assign(list.all.back().released, living(t).clock, t, time);
    ++kept_;
    bounds.end = time;
    if (list.all.size() - list.first <= limit_) return;
    drop_first(list);
    bounds.oldest = list.first == list.all.size() ? time : list.all[list.first].acquired;
  }
  void drop_first(List& list) {
    clocks_.clear(list.all[list.first].released);
    ++dropped_;
    --kept_;
    if (2 * ++list.first <= list.all.size()) return;
    list.all.erase(list.all.begin(), list.all.begin() + static_cast<std::ptrdiff_t>(list.first));
    list.first = 0;
  }

  std::uint64_t limit_ = kUnlimited;
  std::uint64_t dropped_ = 0, missed_ = 0;
  std::size_t kept_ = 0;
  std::vector<Thread> threads_;
  model::Table<Lock> locks_;
};

}  // namespace deadheat::order
