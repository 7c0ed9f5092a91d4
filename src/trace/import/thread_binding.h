// Which thread a fork or join means, where traces write fork(151) for the thread that they call T151.
//
// A target that is a number N is the thread N if a thread N acts in the trace. Otherwise it is the thread TN
// if the trace names one, or if a thread that forks or joins N is itself called T and a number. Otherwise it
// is a thread N that never acts. All this in one pass: while it is open, the thread has its likelier name,
// and is renamed when it turns out otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "deadheat/names.h"
#include "deadheat/result.h"

namespace deadheat::trace {

class ThreadBinding {
 public:
  enum class Reading { bind_numbers, literal };

  ThreadBinding(NameTable& threads, Reading reading) : threads_(threads), reading_(reading) {}

  // The thread that acts under this name.
  Result<std::uint32_t> actor(std::string_view name);
  // The thread that `actor` forks or joins.
  std::uint32_t target(std::string_view name, std::uint32_t actor);

  // Forks and joins whose target was written as a number and is taken for the thread T<number>.
  std::uint64_t bound_targets() const;

 private:
  struct Thread {
    bool acts = false;
    bool named = false;                // written out in full, as an actor or as a target
    bool bound = false;                // called T<number>, known by the number too
    std::uint64_t number_targets = 0;  // forks and joins that wrote the number
  };

  std::uint32_t thread_named(std::string_view name);  // found, bound or new
  std::uint32_t thread_numbered(const std::string& number, std::uint32_t actor);
  std::uint32_t add(const std::string& name);
  void bind(std::uint32_t id, const std::string& number);
  Status unbind(std::uint32_t id, const std::string& number);
  std::uint32_t find(const std::string& name) const;

  NameTable& threads_;
  Reading reading_;
  std::unordered_map<std::string, std::uint32_t> ids_;  // a bound thread is there under both names
  std::vector<Thread> info_;                            // by ThreadId
};

}  // namespace deadheat::trace
