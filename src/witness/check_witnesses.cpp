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
  void see(std::uint64_t number, const Event& event) {
    for (; !waiting_.empty() && waiting_.back().from <= number; waiting_.pop_back()) {
      checkers_[waiting_.back().of].begin(before_);
      running_.push_back(waiting_.back().of);
    }
    std::erase_if(running_, [&](std::size_t i) { return ends_[i] <= number; });
    for (const std::size_t i : running_) checkers_[i].see(number, event);
    if (!waiting_.empty()) before_.see(event);
  }
  std::vector<Verdict> verdicts() {
    std::vector<Verdict> out;
    for (Checker& checker : checkers_) out.push_back(checker.verdict());
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
  std::uint64_t end_ = 0;
};

}  // namespace

Result<std::vector<Verdict>> check_witnesses(const std::string& path, const ReadOptions& options,
                                             std::span<const Witness> witnesses) {
  auto source = open_source(path, options);
  if (!source) return fail(source.error());
  Session session(witnesses);
  for (std::uint64_t number = 0; session.wants(number);) {
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    if (*block == nullptr) break;
    for (std::size_t i = 0; i < (*block)->size() && session.wants(number); ++i) {
      session.see(number++, (**block)[i]);
    }
  }
  return session.verdicts();
}

}  // namespace deadheat::witness
