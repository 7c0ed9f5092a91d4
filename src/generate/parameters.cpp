#include "generate/parameters.h"

#include <fmt/format.h>

#include <array>

namespace deadheat::generate {

namespace {

struct Row {
  std::string_view name, meaning;
};
constexpr std::array<Row, kPatterns> kRows = {{
    {"mutex", "critical sections under locks, nested, around accesses to what each lock guards"},
    {"rwlock", "the same with reader-writer locks: readers share, writers do not"},
    {"producer-consumer", "messages through bounded queues; who has a slot may touch it"},
    {"barrier", "phases: each thread writes its own part and reads what all wrote in the phase before"},
    {"atomics", "messages through release/acquire flags, fences and release sequences; counters"},
    {"many-threads", "short-lived threads in waves, forked and joined by T0, with locks"},
    {"mixed", "all of the above and alloc/free: every kind of event"},
}};

tl::unexpected<Error> usage(std::string message) { return fail({Error::Kind::usage, std::move(message)}); }

Status within(std::string_view what, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return {};
  return usage(fmt::format("{} must be from {} to {}, not {}", what, least, most, value));
}

Status share(std::string_view what, double value, double most) {
  if (value >= 0 && value <= most) return {};
  return usage(fmt::format("{} must be from 0 to {}, not {}", what, most, value));
}

}  // namespace

std::string_view name_of(Pattern pattern) { return kRows[static_cast<std::size_t>(pattern)].name; }
std::string_view meaning_of(Pattern pattern) { return kRows[static_cast<std::size_t>(pattern)].meaning; }

std::optional<Pattern> pattern_named(std::string_view name) {
  for (std::size_t i = 0; i < kPatterns; ++i) {
    if (kRows[i].name == name) return static_cast<Pattern>(i);
  }
  return std::nullopt;
}

Parameters defaults_of(Pattern pattern) {
  Parameters p;
  p.pattern = pattern;
  switch (pattern) {
    case Pattern::barrier:
      p.access_share = 0.98;
      break;
    case Pattern::many_threads:
      p.threads = 1000;
      p.local = 20;
      break;
    case Pattern::mixed:
      p.sized = true;
      break;
    default:
      break;
  }
  return p;
}

std::uint64_t least_events(const Parameters& p) {
  std::uint64_t tail = 2 * p.races;
  if (p.fork_tree != ForkTree::none || p.pattern == Pattern::many_threads) tail += 2 * (p.threads - 1);
  if (p.pattern == Pattern::mixed) tail += 2 * std::uint64_t{p.threads};  // begin and end
  return tail;
}

Status validate(const Parameters& p) {
  const std::uint64_t variables = p.shared + std::uint64_t{p.local} * p.threads + p.races;
  for (const Status& status :
       {within("the number of events", p.events, 0, kMaxEvents),
        within("planted races", p.races, 0, kMaxVariables),
        within("the number of threads", p.threads, 1, kMaxThreads),
        within("live threads", p.live, 1, kMaxThreads), within("the number of locks", p.locks, 1, kMaxLocks),
        within("sites", p.sites, 1, kMaxSites), within("shared variables", p.shared, 1, kMaxVariables),
        within("local variables of a thread", p.local, 1, kMaxVariables),
        within("the number of all variables together", variables, 1, kMaxVariables),
        within("nesting", p.nesting, 1, kMaxNesting),
        within("the run length", p.run_length, 1, kMaxRunLength),
        within("the block size", p.block_events, 1, kMaxBlockEvents),
        share("the share of accesses", p.access_share, 0.9999),
        share("the share of reads", p.read_share, 1)}) {
    if (!status) return status;
  }
  if (p.races > 0 && p.threads < 2) return usage("a race needs two threads; ask for more than 1 thread");
  if (p.pattern == Pattern::many_threads && p.fork_tree == ForkTree::none) {
    return usage(
        "the threads of many-threads are forked in waves: a fork tree of 'none' makes no sense there");
  }
  // Ids are numbered as they appear, and a trace whose ids outrun its events is refused by readers.
  if (p.fork_tree == ForkTree::none && p.threads > kMaxRoots) {
    return usage(
        fmt::format("at most {} threads can be there from the start; ask for a fork tree", kMaxRoots));
  }
  if (p.events < least_events(p)) {
    return usage(
        fmt::format("{} events are too few: the forks, joins and planted races of this workload alone are {}",
                    p.events, least_events(p)));
  }
  return {};
}

}  // namespace deadheat::generate
