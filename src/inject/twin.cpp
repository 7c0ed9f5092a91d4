#include "inject/twin.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "inject/limits.h"
#include "solve/decide.h"

namespace deadheat::inject {

namespace {

using solve::kNone;

constexpr std::uint64_t kReach = 1000;  // events around the pair that are looked at for places
constexpr int kTries = 6;               // of places that are decided about
constexpr int kDraws = 200;             // for as many tries

// Events behind which the two accesses are put.
using Places = std::pair<Index, Index>;

class Draw {
 public:
  Draw(const solve::Rules& rules, Index earlier, Index later, base::Random& random)
      : rules_(rules),
        earlier_(rules.events_of(rules.thread(earlier))),
        later_(rules.events_of(rules.thread(later))),
        own_{earlier, later},
        random_(random) {}

  std::optional<Places> operator()() {
    const auto places = random_.below(3) == 0   ? of_one_lock()
                        : random_.below(4) == 0 ? anywhere()
                                                : ordered();
    if (!places) return places;
    for (const Index place : {places->first, places->second}) {
      if (place == own_.first || place == own_.second) return std::nullopt;
      if (rules_.event(place).op.kind == EventKind::end) return std::nullopt;
    }
    return places;
  }

 private:
  Index any(const std::vector<Index>& events) {
    return events[random_.below(static_cast<std::uint32_t>(events.size()))];
  }
  // Each inside a section of the same lock.
  std::optional<Places> of_one_lock() {
    if (rules_.locks().empty()) return std::nullopt;
    const solve::Lock& lock =
        rules_.locks()[random_.below(static_cast<std::uint32_t>(rules_.locks().size()))];
    const auto inside = [&](const std::vector<Index>& events) -> Index {
      const Index thread = rules_.thread(events.front());
      const auto at = std::ranges::find(lock.threads, thread, &solve::Lock::OfThread::thread);
      if (at == lock.threads.end() || at->exclusive.empty()) return kNone;
      const auto& section = at->exclusive[random_.below(static_cast<std::uint32_t>(at->exclusive.size()))];
      const Index from = section.acquire == kNone ? 0 : rules_.rank(section.acquire);
      const Index to =
          section.release == kNone ? static_cast<Index>(events.size()) : rules_.rank(section.release);
      return events[from + random_.below(std::max(to - from, 1u))];
    };
    const Index first = inside(earlier_), second = inside(later_);
    if (first == kNone || second == kNone) return std::nullopt;
    return Places{first, second};
  }
  // The second behind an event that needs one which the first is before.
  std::optional<Places> ordered() {
    const bool turn = random_.one_in(2);
    const auto &before = turn ? later_ : earlier_, &after = turn ? earlier_ : later_;
    const Index second = any(after);
    const Index needed = rules_.needs(second)[rules_.thread(before.front())];
    if (needed < 2) return std::nullopt;
    const Index first = before[random_.below(needed - 1)];
    return turn ? Places{second, first} : Places{first, second};
  }
  std::optional<Places> anywhere() { return Places{any(earlier_), any(later_)}; }

  const solve::Rules& rules_;
  const std::vector<Index>&earlier_, &later_;  // of the two threads
  Places own_;                                 // the accesses themselves
  base::Random& random_;
};

std::string_view name_of(solve::Means means) {
  switch (means) {
    case solve::Means::needs:
      return "needs";
    case solve::Means::saturation:
      return "saturation";
    case solve::Means::cases:
      return "cases";
    default:
      return "solver";
  }
}

}  // namespace

std::optional<Twin> twin_of(const Draft& draft, base::Random& random) {
  if (draft.size() * draft.base().threads > kMostNumbers) return std::nullopt;
  const InjectedPair& pair = draft.pairs().back();
  const std::uint64_t earlier = draft.place_of(pair.earlier), later = draft.place_of(pair.later);
  const std::uint64_t begin = earlier - std::min(earlier, kReach);
  std::vector<Event> near;
  for (std::uint64_t i = begin; i < std::min<std::uint64_t>(draft.size(), later + kReach); ++i) {
    near.push_back(draft[i]);
  }
  const auto held = draft.held_before(begin);
  const solve::Rules rules(solve::Window{0, near, held});
  Draw draw(rules, static_cast<Index>(earlier - begin), static_cast<Index>(later - begin), random);
  for (int draws = 0, tries = 0; draws < kDraws && tries < kTries; ++draws) {
    const auto places = draw();
    if (!places) continue;
    ++tries;
    Draft moved = draft;
    moved.move_behind(pair.earlier, draft.id_at(begin + places->first));
    moved.move_behind(pair.later, draft.id_at(begin + places->second));
    Twin twin{moved.events(), {moved.witness(moved.pairs().back()), false}, ""};
    const solve::Question question{twin.pair.witness.earlier, twin.pair.witness.later};
    const solve::Answer answer = solve::decide(solve::Rules({0, twin.events, {}}), question,
                                               {.time = std::chrono::hours(24), .steps = kSolverSteps});
    if (answer.verdict != solve::Verdict::no) continue;
    twin.means = name_of(answer.means);
    twin.pair.witness.then.clear();
    twin.pair.witness.from = 0;
    return twin;
  }
  return std::nullopt;
}

}  // namespace deadheat::inject
