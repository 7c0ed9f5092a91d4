#include "solve/prove.h"

#include <algorithm>
#include <unordered_set>

#include "solve/holders.h"
#include "solve/rules.h"

namespace deadheat::solve {

Window part_of(const Window& window, std::uint64_t first, std::uint64_t end) {
  Holders holders;
  for (const Window::Held& h : window.held) holders.hold(h);
  for (std::uint64_t number = window.first; number < first; ++number) {
    holders.see(window.events[number - window.first]);
  }
  return {first, window.events.subspan(first - window.first, end - first), holders.all(), window.writes_read,
          window.keeps_gaps};
}

namespace {

std::uint64_t numbers(std::span<const Event> events) {
  std::unordered_set<std::uint32_t> threads;
  for (const Event& e : events) threads.insert(index(e.thread));
  return events.size() * threads.size();
}

}  // namespace

bool fits(const Window& window, const ProofLimits& limits) {
  return numbers(window.events) <= limits.most_numbers;
}

Proof prove(const Window& around, const Question& question, const ProofLimits& limits) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + limits.time;
  const std::uint64_t end = around.first + around.events.size();
  Proof proof;
  for (std::uint64_t before = limits.first_window;; before *= 4) {
    before = std::min(before, limits.last_window);
    const std::uint64_t from = question.earlier - std::min(before, question.earlier - around.first);
    const std::uint64_t to = question.later + 1 + std::min(before / 2, end - question.later - 1);
    if (numbers(around.events.subspan(from - around.first, to - from)) > limits.most_numbers) {
      proof.end = Proof::End::memory;
      return proof;
    }
    // A window that is too small may take long: something is left for the next one.
    const bool all = from == around.first && to == end, last = all || before == limits.last_window;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    const Window window = part_of(around, from, to);
    proof.answer = decide(Rules(window), question, {.time = last ? left : left / 2});
    proof.first_event = from;
    proof.end_event = to;
    proof.checks += proof.answer.checks;
    ++proof.windows;
    if (proof.answer.verdict == Verdict::yes) return proof;
    if (last || Clock::now() >= until) {
      proof.end = all ? Proof::End::all_of_it : last ? Proof::End::largest : Proof::End::time;
      return proof;
    }
  }
}

}  // namespace deadheat::solve
