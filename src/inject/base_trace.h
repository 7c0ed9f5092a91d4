// The trace that races are put into, all of it in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "solve/window.h"

namespace deadheat::inject {

struct BaseTrace {
  std::string name;  // of its file, without folder and ending
  std::vector<Event> events;
  Names names;  // those of the injected accesses included
  Completeness completeness = Completeness::complete();
  std::vector<Warning> warnings;
  std::uint64_t digest = 0;  // of the events
  std::uint64_t threads = 0;

  // Between event i - 1 and event i the trace goes from one thread to another, and both can do something
  // there.
  std::vector<std::uint64_t> switches;

  // The fresh variable and the two sites of the n-th race of a trace.
  VarId variable(std::uint32_t n) const { return VarId{first_variable + n}; }
  SiteId site(std::uint32_t n, bool later) const { return SiteId{first_site + 2 * n + (later ? 1 : 0)}; }
  std::uint32_t first_variable = 0, first_site = 0;

  // The locks held before event `at`.
  std::vector<solve::Window::Held> held_before(std::uint64_t at) const;
  // Whether bytes that the event touches are read at `from` or behind it.
  bool read_behind(const Event& event, std::uint64_t from) const;

  static constexpr std::uint64_t kStep = 1024;
  std::vector<std::vector<solve::Window::Held>> held;  // before every kStep-th event
  std::vector<std::uint64_t> last_read;                // by variable: the number of the read, and one
  // Of more variables than are looked at one by one.
  struct WideRead {
    std::uint64_t begin, end;  // variables
    std::uint64_t last;        // as above
  };
  std::vector<WideRead> wide_reads;
};

// Whether a race can be put between two events that follow each other.
bool is_switch(const Event& before, const Event& after);

// Makes the rest of it from the events and names. An error says why no race can be put into it.
Status prepare(BaseTrace& base, std::uint32_t races);

// An error says why no race can be put into it: not well formed, one thread only, no switch between threads.
// Forks written twice in a row are left out, with a warning.
Result<BaseTrace> load_base(const std::string& path, const ReadOptions& read, std::uint32_t races);

}  // namespace deadheat::inject
