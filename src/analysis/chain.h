// Why one event came after another in this run: the chain of one thread waiting for another that leads from
// the first to the second, as happens-before has it, or SHB: what a read finds was written before. Found by
// following what the first event reaches, in one pass; each thread is reached by the first thing that reaches
// it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/well_formed.h"

namespace deadheat::analysis {

// A thread did something that another one waited for.
struct Link {
  model::NumberedEvent signal, wait;
};

class Chain {
 public:
  // With values a read waits for the write that it finds; the last event itself does not. (What memory that
  // was allocated anew orders besides is not followed.)
  enum class Follow : std::uint8_t { synchronisation, values };
  Chain(std::uint64_t from, std::uint64_t to, Follow follow = Follow::synchronisation)
      : from_(from), to_(to), follow_(follow) {}

  // All events of the trace up to `to`, in order.
  void see(const model::NumberedEvent& e);
  // Whether the first event is before the second one; by program order alone if there are no links.
  bool is_ordered() const { return ordered_; }
  const std::vector<Link>& links() const { return links_; }  // in their order

 private:
  // How a thread was reached: the last link, and those before it.
  struct Reached {
    std::optional<Link> last;
    ThreadId before{};  // whose signal it was
  };
  // What waits to be found by others.
  struct Left {
    model::NumberedEvent signal;
  };

  void signal(const model::NumberedEvent& e);
  void wait(const model::NumberedEvent& e);
  void reach(ThreadId t, const Left& left, const model::NumberedEvent& by);
  bool is_reached(ThreadId t) const { return reached_.contains(index(t)); }
  void finish(ThreadId t);
  // By cell, byte by byte: the last write, and what who reads it comes to be after.
  struct Written {
    std::uint64_t event = 0;  // its number and one; 0: none
    std::optional<Left> left;
  };
  using Memory = std::unordered_map<std::uint64_t, std::array<Written, kCellBytes>>;
  std::optional<Left> read(const Event& e) const;
  static void leave(Memory& memory, const model::NumberedEvent& e, const std::optional<Left>& left);
  void read_value(const model::NumberedEvent& e);
  void write(const model::NumberedEvent& e);

  std::uint64_t from_, to_;
  Follow follow_;
  bool ordered_ = false;
  std::vector<Link> links_;
  std::map<std::uint32_t, Reached> reached_;  // by thread
  std::map<std::uint32_t, Left> forks_;       // by thread to be
  std::map<std::uint32_t, Left> locks_, reader_locks_, sends_;
  Memory atomics_;
  Memory values_;                                                   // if they are followed
  std::map<std::pair<std::uint32_t, std::uint64_t>, Left> enters_;  // by barrier and generation
  std::map<std::uint32_t, Left> fences_;                            // by thread: behind a release fence
  std::map<std::uint32_t, Left> read_;  // by thread: by relaxed reads, for an acquire fence to come
};

}  // namespace deadheat::analysis
