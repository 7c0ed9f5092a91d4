// An order, and besides: which critical sections each thread is in, and of those that are over what was known
// at their end. What follows from them is said by the orders that are made of this.
//
// A thread's sections of one lock come one after another, and each end knows what the one before knew. So if
// a thread knows u's events up to a time, of u's sections of a lock only the last one that began by then
// matters.
//
// A section in which u did nothing that others can come to know need not be kept: nobody knows of its
// beginning without knowing what came after its end. With a limit, of each lock, thread and mode only the
// last ones are kept; what is asked of the others, in vain, is counted. Sulzmann & Stadtmueller, "Efficient,
// Near Complete and Often Sound Hybrid Dynamic Data Race Prediction" (2020), the histories H(y) of algorithm
// 1, appendix F.4 and section 4.5. Departs: the paper has a history for each thread and lock, all other
// threads' sections in it. Here threads share one for each lock and thread that held it; a limit leaves no
// fewer sections than the paper's. Time O(T log n) for n sections. Memory O(1) a section, besides the clock.
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

  // The thread tells others something.
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
  void atomic(ThreadId t, VarId x, const Op& op, Time time) {
    Base::atomic(t, x, op, time);
    if (op.kind != EventKind::atomic_load) tells(t, time);
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
  // Of one thread, in order. The first ones may have been dropped.
  struct OfThread {
    ThreadId thread;
    std::size_t first = 0;
    Time oldest = 0;  // when the first one that was dropped began
    std::vector<Section> all;
  };
  struct Lock {
    std::vector<OfThread> of[2];  // by mode
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
      for (const OfThread& of : section.others->of[mode]) {
        if (of.thread != t) news |= join_section(t, of, Base::get(living(t).clock, of.thread), time);
      }
    }
    return news;
  }
  // The same for that of thread u in which this event was.
  void join_section_with(ThreadId t, const Held& section, Mode mode, clock::Epoch e, Time time) {
    for (const OfThread& of : section.others->of[mode]) {
      if (of.thread == e.thread()) join_section(t, of, e.time(), time);
    }
  }

 private:
  bool join_section(ThreadId t, const OfThread& of, Time known, Time time) {
    const auto begin = of.all.begin() + static_cast<std::ptrdiff_t>(of.first);
    if (begin == of.all.end() || known < begin->acquired) {
      missed_ += of.oldest != 0 && of.oldest <= known ? 1 : 0;
      return false;
    }
    const Section& last = of.all.back();
    const Section& section =
        last.acquired <= known
            ? last
            : *std::prev(std::upper_bound(begin, of.all.end(), known,
                                          [](Time at, const Section& s) { return at < s.acquired; }));
    if (section.end() <= known) return false;
    auto& own = living(t).clock;
    const auto before = own;
    clocks_.join(own, t, time, section.released);
    return own != before;
  }
  void keep(ThreadId t, const Held& section, Time time) {
    auto& of = section.others->of[section.mode];
    auto at = std::ranges::find(of, t, &OfThread::thread);
    if (at == of.end()) at = of.insert(of.end(), OfThread{t, 0, 0, {}});
    at->all.push_back({section.since, {}});
    clocks_.assign(at->all.back().released, living(t).clock, t, time);
    ++kept_;
    if (at->all.size() - at->first > limit_) drop_first(*at);
  }
  void drop_first(OfThread& of) {
    Section& oldest = of.all[of.first];
    if (of.oldest == 0) of.oldest = oldest.acquired;
    clocks_.clear(oldest.released);
    ++dropped_;
    --kept_;
    if (2 * ++of.first <= of.all.size()) return;
    of.all.erase(of.all.begin(), of.all.begin() + static_cast<std::ptrdiff_t>(of.first));
    of.first = 0;
  }

  std::uint64_t limit_ = kUnlimited;
  std::uint64_t dropped_ = 0, missed_ = 0;
  std::size_t kept_ = 0;
  std::vector<Thread> threads_;
  model::Table<Lock> locks_;
};

}  // namespace deadheat::order
