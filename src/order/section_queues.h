// The critical sections of each lock, for rule (b) of weak causal precedence: if something of a section is
// before something of a later one, its release is before the later one's.
// Departs from Kini et al., who keep two queues for each lock and pair of threads: here a section is found by
// what its end knows of each thread, in one list a lock and thread. A section of which nothing but its
// release can be known to others, since its thread told them nothing else in it, is never in the way: who
// knows of it at all knows of its release. So only those are kept in which another lock was released, a
// thread was forked, and the like.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "clock/flat_clocks.h"
#include "deadheat/event.h"
#include "model/table.h"

namespace deadheat::order {

class SectionQueues {
 public:
  using Time = clock::Time;
  using Message = clock::FlatClocks::Message;

  struct Section {
    Time acquired, released;
    Message known;  // what its release knows
  };

  // f(section) for the sections of the lock, but those of readers if this one is a reader's, of which begin
  // and end are on two sides of what its release knows: strictly(u) is the last event of thread u that is
  // before it, known(u) of another thread u also by the hard order.
  template <class Strictly, class Known, class F>
  void each_known_in_part(LockId l, ThreadId t, bool exclusive, Time acquired, Strictly&& strictly,
                          Known&& known, F&& f) {
    for (bool again = true; again;) {
      again = false;
      for (OfThread& of : locks_[index(l)].threads) {
        for (const bool mode : {true, false}) {
          if (!mode && !exclusive) continue;
          const auto& list = of.sections[mode ? 1 : 0];
          if (list.empty()) continue;
          const auto look = [&](Time end) {
            const Section* const section = last(list, end);
            if (section == nullptr || section->released <= end || section->released >= acquired) return;
            f(*section);
            again = true;
          };
          look(strictly(of.thread));
          if (of.thread != t) look(known(of.thread));
        }
      }
    }
  }

  // The known part of the section is the queue's from now on. least() is what all threads know of thread t:
  // sections that ended by then are not kept, forget(section) is told of them.
  template <class Least, class Forget>
  void add(LockId l, ThreadId t, bool exclusive, const Section& section, Least&& least, Forget&& forget) {
    OfThread& of = of_thread(l, t);
    auto& list = of.sections[exclusive ? 1 : 0];
    list.push_back(section);
    ++count_;
    if (list.size() < of.enough) return;
    const auto first = std::ranges::upper_bound(list, least(), {}, &Section::released);
    for (auto at = list.begin(); at != first; ++at) forget(*at);
    count_ -= static_cast<std::size_t>(first - list.begin());
    list.erase(list.begin(), first);
    of.enough = std::max(kFew, 2 * list.size());
  }

  std::size_t bytes() const { return locks_.bytes() + count_ * sizeof(Section) * 3 / 2; }
  std::size_t count() const { return count_; }

 private:
  static constexpr std::size_t kFew = 4;

  struct OfThread {
    ThreadId thread;
    std::vector<Section> sections[2];  // exclusive ones are the second
    std::size_t enough = kFew;
  };
  struct Lock {
    std::vector<OfThread> threads;
  };

  OfThread& of_thread(LockId l, ThreadId t) {
    auto& threads = locks_[index(l)].threads;
    const auto at = std::ranges::find(threads, t, &OfThread::thread);
    if (at != threads.end()) return *at;
    threads.push_back({t, {}, kFew});
    return threads.back();
  }
  // The last one that begins by then.
  static const Section* last(const std::vector<Section>& list, Time end) {
    if (list.front().acquired > end) return nullptr;
    if (list.back().acquired <= end) return &list.back();
    return &*std::prev(std::ranges::upper_bound(list, end, {}, &Section::acquired));
  }

  model::Table<Lock> locks_;
  std::size_t count_ = 0;
};

}  // namespace deadheat::order
