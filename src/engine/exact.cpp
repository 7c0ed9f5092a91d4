#include "engine/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "engine/exact_candidates.h"
#include "model/bytes.h"

namespace deadheat::engine {

using model::HeldLocks;
using solve::Index;
using solve::Means;
using solve::Verdict;

void Exact::order(const SortedBlock& block, RaceSink& races) {
  threads_ = std::max(threads_, block.threads);
  const BlockView& events = block.events;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (events_.size() == options_.window) {
      // The last quarter is still to come to the middle.
      look_at(static_cast<Index>(options_.window / 4 * 3), races);
      slide(options_.window / 4);
    }
    events_.push_back(events[i]);
    is_looked_at_.push_back(block.is_checked(i));
  }
}

void Exact::finish(RaceSink& races) {
  whole_ = first_ == 0;
  look_at(static_cast<Index>(events_.size()), races);
}

solve::Window Exact::window() const {
  solve::Window window{first_, events_, {}};
  std::size_t left = locks_.total();
  for (std::uint32_t t = 0; t < threads_ && left > 0; ++t) {
    for (const HeldLocks::Held& h : locks_.held(ThreadId{t})) {
      window.held.push_back({ThreadId{t}, h.lock, h.mode, h.depth});
      --left;
    }
  }
  return window;
}

// Asks about the pairs whose later access is before `end` of the window, and was not asked about.
void Exact::look_at(Index end, RaceSink& races) {
  const solve::Window window = this->window();
  const solve::Rules rules(window);
  std::vector<Asked> asked = choose(window, rules, end);
  ask(window, rules, asked);
  for (const Asked& a : asked) {
    count(a.answer);
    if (a.answer.verdict != Verdict::yes) continue;
    if (a.checked) {
      races.race(a.pair);
    } else {
      ++counts_.rejected;
    }
  }
  asked_until_ = end;
}

std::vector<Exact::Asked> Exact::choose(const solve::Window& window, const solve::Rules& rules, Index end) {
  ExactCandidates candidates(window, rules);
  std::vector<Asked> asked;
  for (Index i = 0; i < end; ++i) {
    const Event& later = events_[i];
    if (i < asked_until_ || !is_looked_at_[i]) {
      if (is_looked_at_[i] || later.op.kind == EventKind::alloc) candidates.pass(i);
      continue;
    }
    count_beyond(later);
    for (const auto& c : candidates.of(i)) {
      const Event& earlier = events_[c.earlier];
      std::uint64_t& times = times_asked_[{earlier.op.site, later.op.site, c.variable}];
      if (times >= options_.limit) {
        ++counts_.not_asked;
        continue;
      }
      ++times;
      asked.push_back({{c.variable,
                        {first_ + c.earlier, earlier.thread, earlier.op.site, earlier.op.kind},
                        {first_ + i, later.thread, later.op.site, later.op.kind}},
                       {}});
    }
  }
  return asked;
}

void Exact::ask(const solve::Window& window, const solve::Rules& rules, std::vector<Asked>& asked) const {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next.fetch_add(1)) < asked.size();) {
      Asked& a = asked[i];
      a.answer = solve::decide(rules, {a.pair.earlier.event, a.pair.later.event, options_.notion},
                               {.time = options_.time});
      a.checked = a.answer.verdict == Verdict::yes && passes(window, a);
      a.answer.order = {};
    }
  };
  // A thread costs as much as some easy questions.
  constexpr std::size_t kFew = 16;
  std::vector<std::jthread> others;
  for (std::size_t n = 1; n < std::min<std::size_t>(options_.jobs, asked.size() / kFew); ++n) {
    others.emplace_back(work);
  }
  work();
}

bool Exact::passes(const solve::Window& window, const Asked& asked) const {
  const witness::Witness witness{
      asked.pair.earlier.event, asked.pair.later.event, window.first, {}, asked.answer.order};
  witness::Checker checker(witness);
  checker.begin(before_);
  const std::uint64_t end = std::min(witness.last(), window.first + window.events.size());
  for (std::uint64_t number = window.first; number < end; ++number) {
    checker.see(number, window.events[number - window.first]);
  }
  return checker.verdict().ok();
}

void Exact::count(const solve::Answer& answer) {
  ++counts_.questions;
  counts_.solver_calls += answer.checks > 0 ? 1 : 0;
  counts_.solver_checks += answer.checks;
  switch (answer.means) {
    case Means::trace:
      ++counts_.by_trace;
      break;
    case Means::needs:
      ++counts_.no_by_needs;
      break;
    case Means::saturation:
      ++counts_.no_by_saturation;
      break;
    case Means::cases:
      ++(answer.verdict == Verdict::yes ? counts_.by_cases : counts_.no_by_cases);
      break;
    case Means::solver:
      ++(answer.verdict == Verdict::yes ? counts_.by_solver : counts_.no_by_solver);
      break;
    case Means::time:
      ++counts_.time_is_up;
      break;
    case Means::gave_up:
      ++counts_.gave_up;
      break;
  }
  if (answer.verdict == Verdict::no && !whole_) ++counts_.no_in_window;
}

// The first events are no longer looked at.
void Exact::slide(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Event& e = events_[i];
    before_.see(e);
    note_beyond(e);
    if (!is_of_lock(e.op.kind)) continue;
    const auto mode = solve::is_shared(e.op.kind) ? HeldLocks::Mode::shared : HeldLocks::Mode::exclusive;
    if (solve::is_acquire(e.op.kind)) {
      locks_.acquire(e.thread, LockId{e.object}, mode, first_ + i);
    } else {
      locks_.release(e.thread, LockId{e.object}, mode);
    }
  }
  const auto gone = static_cast<std::ptrdiff_t>(count);
  events_.erase(events_.begin(), events_.begin() + gone);
  is_looked_at_.erase(is_looked_at_.begin(), is_looked_at_.begin() + gone);
  first_ += count;
  asked_until_ -= static_cast<Index>(count);
}

void Exact::note_beyond(const Event& e) {
  if (!is_access(e.op.kind)) return;
  model::ByteRange{VarId{e.object}, e.op}.each_cell([&](std::uint32_t cell, model::ByteMask) {
    const auto [at, fresh] = beyond_.try_emplace(cell, Beyond{e.thread});
    at->second.others = at->second.others || at->second.thread != e.thread;
  });
}
void Exact::count_beyond(const Event& e) {
  if (!is_access(e.op.kind) || beyond_.empty()) return;
  bool any = false;
  model::ByteRange{VarId{e.object}, e.op}.each_cell([&](std::uint32_t cell, model::ByteMask) {
    const auto at = beyond_.find(cell);
    any = any || (at != beyond_.end() && (at->second.others || at->second.thread != e.thread));
  });
  counts_.beyond += any ? 1 : 0;
}

std::vector<Counter> Exact::counters() const {
  const Counts& c = counts_;
  return {{"questions", c.questions},
          {"yes, in the order of the trace", c.by_trace},
          {"yes, by cases", c.by_cases},
          {"yes, by the solver", c.by_solver},
          {"no, by what is needed", c.no_by_needs},
          {"no, by what is forced", c.no_by_saturation},
          {"no, by cases", c.no_by_cases},
          {"no, by the solver", c.no_by_solver},
          {"of these no for a window only: not decided", c.no_in_window},
          {"unknown: time was up", c.time_is_up},
          {"unknown: the solver gave up", c.gave_up},
          {"schedules that did not pass the check", c.rejected},
          {"questions to the solver", c.solver_calls},
          {"rounds of the solver", c.solver_checks},
          {"pairs not asked about, beyond the limit", c.not_asked},
          {"accesses whose variable others had before the window", c.beyond}};
}

std::uint64_t Exact::bytes() const {
  return events_.capacity() * sizeof(Event) + beyond_.size() * (sizeof(Beyond) + 3 * sizeof(void*)) +
         times_asked_.size() * 64;
}

Result<std::unique_ptr<Engine>> make_exact(const Settings& settings, Shape) {
  Exact::Options options;
  const auto window = settings.number("window", 4, 1 << 24);
  if (!window) return fail(window.error());
  const auto timeout = settings.number("timeout", 1, 1'000'000'000);
  if (!timeout) return fail(timeout.error());
  const auto jobs = settings.number("jobs", 1, 1024);
  if (!jobs) return fail(jobs.error());
  options.window = *window;
  options.time = std::chrono::milliseconds(*timeout);
  options.jobs = static_cast<unsigned>(*jobs);
  if (settings.get("limit") == "unlimited") {
    options.limit = UINT64_MAX;
  } else {
    const auto limit = settings.number("limit", 1, UINT64_MAX);
    if (!limit) return fail(limit.error());
    options.limit = *limit;
  }
  const std::string& notion = settings.get("notion");
  if (notion != "co-enabled" && notion != "adjacent") {
    return fail({Error::Kind::usage, fmt::format("notion is co-enabled or adjacent, not '{}'", notion)});
  }
  options.notion = notion == "adjacent" ? solve::Notion::adjacent : solve::Notion::co_enabled;
  return std::make_unique<Exact>(options);
}

}  // namespace deadheat::engine
