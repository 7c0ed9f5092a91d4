#include "witness/check_witnesses.h"

#include <algorithm>

namespace deadheat::witness {

namespace {

// Those that are being shown events, of all that there are, in the order in which they begin.
class Session {
 public:
  explicit Session(std::span<const Witness> witnesses) {
    for (const Witness& witness : witnesses) {
      checkers_.emplace_back(witness);
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

}  // namespace

Result<std::vector<std::optional<Verdict>>> check_witnesses(const std::string& path,
                                                            const ReadOptions& options,
                                                            std::span<const Witness> witnesses,
                                                            std::chrono::steady_clock::time_point until) {
  auto source = open_source(path, options);
  if (!source) return fail(source.error());
  Session session(witnesses);
  for (std::uint64_t number = 0; session.wants(number);) {
    if (std::chrono::steady_clock::now() >= until) return session.verdicts(false);
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    if (*block == nullptr) break;
    session.see(**block);
    number += (*block)->size();
  }
  return session.verdicts(true);
}

}  // namespace deadheat::witness
