#include "witness/check_witnesses.h"

#include <algorithm>

namespace deadheat::witness {

namespace {

// Those that are being shown events, of all that there are, in the order in which they begin.
class Session {
 public:
  Session(std::span<const Witness> witnesses, const Demands& demands) {
    for (const Witness& witness : witnesses) {
      checkers_.emplace_back(witness, demands);
      end_ = std::max(end_, witness.last());
    }
    for (std::size_t i = 0; i < witnesses.size(); ++i) waiting_.push_back({witnesses[i].from, i});
    std::ranges::sort(waiting_, std::greater{}, &Waiting::from);
    ends_.reserve(witnesses.size());
    for (const Witness& witness : witnesses) ends_.push_back(witness.last());
  }

  bool wants(std::uint64_t event) const { return event < end_; }
  // One after the other, so that what each knows stays in the cache for a block.
  void see(const BlockView& block) {
    const std::uint64_t end = block.first + block.size();
    for (std::uint64_t number = block.first; number < end && !waiting_.empty(); ++number) {
      for (; !waiting_.empty() && waiting_.back().from <= number; waiting_.pop_back()) {
        checkers_[waiting_.back().of].begin(before_);
        running_.push_back(waiting_.back().of);
      }
      before_.see(block[number - block.first]);
    }
    for (const std::size_t i : running_) {
      for (std::uint64_t number = block.first; number < std::min(end, ends_[i]); ++number) {
        checkers_[i].see(number, block[number - block.first]);
      }
    }
    std::erase_if(running_, [&](std::size_t i) { return ends_[i] <= end; });
    seen_ = end;
  }
  // Of those that were shown all that they need.
  std::vector<std::optional<Verdict>> verdicts(bool whole) {
    std::vector<std::optional<Verdict>> out(checkers_.size());
    for (std::size_t i = 0; i < checkers_.size(); ++i) {
      if (whole || ends_[i] <= seen_) out[i] = checkers_[i].verdict();
    }
    return out;
  }

  // Of those that hold otherwise, all together: by witness, so many.
  std::vector<Doubt> doubts(std::span<const std::optional<Verdict>> verdicts,
                            std::vector<std::size_t>& counts) const {
    std::vector<Doubt> out;
    for (std::size_t i = 0; i < checkers_.size(); ++i) {
      const bool asked = verdicts[i] && verdicts[i]->ok();
      counts.push_back(asked ? checkers_[i].doubts().size() : 0);
      if (asked) out.insert(out.end(), checkers_[i].doubts().begin(), checkers_[i].doubts().end());
    }
    return out;
  }

 private:
  struct Waiting {
    std::uint64_t from;
    std::size_t of;
  };
  std::vector<Checker> checkers_;
  std::vector<std::uint64_t> ends_;
  std::vector<Waiting> waiting_;  // the first to begin is the last
  std::vector<std::size_t> running_;
  Before before_;
  std::uint64_t end_ = 0, seen_ = 0;
};

bool has_gaps(const Source& source) {
  const auto* reader = dynamic_cast<const TraceReader*>(&source);
  if (reader == nullptr || !reader->complete()) return true;
  const auto& counts = reader->totals().by_kind;
  return counts[static_cast<std::size_t>(EventKind::gap)] > 0 ||
         counts[static_cast<std::size_t>(EventKind::gap_range)] > 0;
}

// Those with a doubt that is confirmed do not hold; those of which it is not known when time is up, neither
// hold nor do not.
Status settle(const std::string& path, const ReadOptions& options, const Session& session,
              std::vector<std::optional<Verdict>>& verdicts, std::chrono::steady_clock::time_point until) {
  std::vector<std::size_t> counts;
  const std::vector<Doubt> all = session.doubts(verdicts, counts);
  if (all.empty()) return {};
  Doubts doubts(all);
  auto source = open_source(path, options);
  if (!source) return fail(source.error());
  bool whole = false;
  while (std::chrono::steady_clock::now() < until) {
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    whole = *block == nullptr;
    if (whole) break;
    for (std::size_t i = 0; i < (*block)->size(); ++i) doubts.see((*block)->first + i, (**block)[i]);
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    if (counts[i] > 0 && !whole) verdicts[i].reset();
    for (const std::size_t end = at + counts[i]; at < end; ++at) {
      if (whole && doubts.confirmed()[at] && verdicts[i]->ok()) verdicts[i] = verdict_of(all[at]);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::optional<Verdict>>> check_witnesses(const std::string& path,
                                                            const ReadOptions& options,
                                                            std::span<const Witness> witnesses,
                                                            const Demands& demands,
                                                            std::chrono::steady_clock::time_point until) {
  auto source = open_source(path, options);
  if (!source) return fail(source.error());
  Demands all = demands;
  all.gaps = demands.gaps && has_gaps(**source);
  Session session(witnesses, all);
  for (std::uint64_t number = 0; session.wants(number);) {
    if (std::chrono::steady_clock::now() >= until) return session.verdicts(false);
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    if (*block == nullptr) break;
    session.see(**block);
    number += (*block)->size();
  }
  auto verdicts = session.verdicts(true);
  if (auto settled = settle(path, options, session, verdicts, until); !settled) return fail(settled.error());
  return verdicts;
}

}  // namespace deadheat::witness
