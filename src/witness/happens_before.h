// Happens-before of a trace, event by event, for the judge of witnesses alone: it shares nothing with the
// orders that engines compute. From whichever event it begins, what it says of two events behind that is
// right: all that orders them lies between them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "deadheat/event.h"

namespace deadheat::witness {

// By thread: all of its events with a smaller number happen before. Its owner's own entry may lag behind.
using Past = std::vector<std::uint64_t>;

class HappensBefore {
 public:
  void see(std::uint64_t number, const Event& event);
  // What happens before the event seen last, of this thread.
  const std::shared_ptr<const Past>& past(ThreadId t) const { return threads_.at(index(t)).past; }

  static bool has(const Past& past, ThreadId t, std::uint64_t number) {
    return index(t) < past.size() && past[index(t)] > number;
  }

 private:
  struct Thread {
    std::shared_ptr<const Past> past = std::make_shared<Past>();
    Past release_fence, relaxed_reads;
    bool fenced = false;
  };
  struct Lock {
    Past released, shared_released;
  };
  using Message = std::shared_ptr<const Past>;  // none: nobody releases by it
  struct Set {                                  // the last of a byte
    std::uint64_t number = 0;                   // and one; 0: none
    Message message;
  };
  using Cell = std::array<Set, kCellBytes>;

  static void join(Past& to, const Past& from);
  void learn(std::uint32_t t, const Past& from);
  Past now(std::uint32_t t, std::uint64_t number) const;  // the event itself included
  void lock(std::uint64_t number, const Event& event);
  void atomic(std::uint64_t number, const Event& event);
  void fence(std::uint64_t number, const Event& event);
  void overwrite(std::uint64_t number, const Event& event);
  template <class F>
  static void each_cell(const Event& event, F&& f);

  std::unordered_map<std::uint32_t, Thread> threads_;
  std::unordered_map<std::uint32_t, Lock> locks_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::uint32_t> depths_;  // lock, thread, shared
  std::unordered_map<std::uint32_t, Past> sent_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Past> entered_;
  std::map<std::uint64_t, Cell> atomics_;  // cells that were stored to atomically
};

}  // namespace deadheat::witness
