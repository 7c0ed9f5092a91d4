#include "analysis/race_log.h"

#include <algorithm>
#include <tuple>

namespace deadheat::analysis {

namespace {

std::tuple<std::uint64_t, std::uint64_t, std::uint32_t, EventKind> rank(const model::RacePair& pair) {
  return {pair.later.event, pair.earlier.event, index(pair.variable), pair.earlier.kind};
}

}  // namespace

RaceLog::Key RaceLog::key_of(VarId x, const model::Side& one, const model::Side& other) {
  // Of a list: minmax(a, b) gives references, and these would be to what is gone.
  const auto [low, high] = std::minmax({index(one.site), index(other.site)});
  // Site 0 is none.
  return {std::uint64_t{high} << 32 | low, low == 0 ? std::uint64_t{index(x)} + 1 : 0};
}

bool RaceLog::take_room() {
  if (room_ == nullptr) return true;
  std::uint64_t left = room_->load(std::memory_order_relaxed);
  while (left > 0 && !room_->compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) {
  }
  return left > 0;
}

RaceLog::Group* RaceLog::group_of(const Key& key) {
  if (key != last_key_) {
    const auto known = groups_.find(key);
    last_ = known != groups_.end() ? &known->second : take_room() ? &groups_[key] : nullptr;
    last_key_ = key;
  }
  return last_;
}

void RaceLog::add_instance(std::vector<model::RacePair>& least, const model::RacePair& pair) {
  if (least.size() == kInstancesKept && rank(least.back()) < rank(pair)) return;
  const auto same = std::ranges::find_if(least, [&](const model::RacePair& other) {
    return other.earlier.event == pair.earlier.event && other.later.event == pair.later.event;
  });
  if (same != least.end()) {
    if (rank(pair) < rank(*same)) *same = pair;
    return;
  }
  least.insert(std::ranges::upper_bound(least, rank(pair), {}, rank), pair);
  if (least.size() > kInstancesKept) least.pop_back();
}

void RaceLog::add_variable(std::vector<VarId>& variables, VarId x) {
  if (variables.size() >= kVariablesCounted || std::ranges::find(variables, x) != variables.end()) return;
  variables.push_back(x);
}

bool RaceLog::counts(const model::RacePair& pair) {
  const std::uint32_t line = index(pair.variable) >> engine::Sharding::kTogetherBits;
  if (pair.later.event != later_ || line != line_) earlier_.clear();
  if (pair.later.event != later_) wide_.clear();
  later_ = pair.later.event;
  line_ = line;
  // Most engines tell them in order.
  const auto at = std::ranges::lower_bound(earlier_, pair.earlier.event);
  if (at != earlier_.end() && *at == pair.earlier.event) return false;
  earlier_.insert(at, pair.earlier.event);
  return true;
}

RaceLog::Key RaceLog::merged_key(const model::RacePair& pair, bool counted) {
  const Key key = key_of(pair.variable, pair.earlier, pair.later);
  if (key.variable == 0) return key;
  Wide& wide = wide_[pair.earlier.event];
  if (counted && wide.lines++ < kLinesApart) wide.key = key;
  return wide.key;
}

void RaceLog::race(const model::RacePair& pair) {
  if (also_ != nullptr) also_->race(pair);
  const bool counted = counts(pair);
  pairs_ += counted ? 1 : 0;
  Group* const group = group_of(merged_key(pair, counted));
  if (group == nullptr) {
    pairs_not_kept_ += counted ? 1 : 0;
    return;
  }
  add_instance(group->least, pair);
  group->instances += counted ? 1 : 0;
  add_variable(group->variables, pair.variable);
}

void RaceLog::races(const model::RaceRow& row) {
  if (also_ != nullptr) also_->races(row);
  pairs_ += row.events.size();
  Group* const group = group_of(key_of(row.variable, row.earlier, row.later));
  if (group == nullptr) {
    pairs_not_kept_ += row.events.size();
    return;
  }
  for (std::size_t i = 0; i < std::min(row.events.size(), kInstancesKept); ++i) {
    add_instance(group->least, row.pair(i));
  }
  group->instances += row.events.size();
  add_variable(group->variables, row.variable);
}

// Without sites, two wide accesses that meet in several variables are one race all the same.
static std::vector<Finding> without_repeats(std::vector<Finding> findings) {
  std::vector<Finding> out;
  for (Finding& finding : findings) {
    const auto is_same = [&](const Finding& last) {
      return last.first.earlier.event == finding.first.earlier.event &&
             last.first.later.event == finding.first.later.event &&
             (finding.first.earlier.site == SiteId::none || finding.first.later.site == SiteId::none);
    };
    if (out.empty() || !is_same(out.back())) {
      out.push_back(std::move(finding));
      continue;
    }
    Finding& sum = out.back();
    for (std::size_t i = 0; i < sum.instances.size(); ++i) sum.instances[i] += finding.instances[i];
    for (const VarId x : finding.on) {
      if (sum.on.size() < kVariablesCounted && std::ranges::find(sum.on, x) == sum.on.end())
        sum.on.push_back(x);
    }
    sum.variables = sum.on.size();
    for (const model::RacePair& pair : finding.others) {
      const auto same = [&](const model::RacePair& other) {
        return other.earlier.event == pair.earlier.event && other.later.event == pair.later.event;
      };
      if (sum.others.size() + 1 < kInstancesKept && !same(sum.first) &&
          std::ranges::none_of(sum.others, same)) {
        sum.others.push_back(pair);
      }
    }
  }
  return out;
}

std::vector<Finding> RaceLog::put_together(const std::vector<Told>& by_engine) {
  struct Sum {
    Finding finding;
    engine::Grade grade{};
    std::vector<model::RacePair> of_grade;  // the least instances of the best grade
  };
  std::unordered_map<Key, Sum, Hash> sums;
  for (std::size_t engine = 0; engine < by_engine.size(); ++engine) {
    const engine::Grade grade = by_engine[engine].grade;
    for (const RaceLog* log : by_engine[engine].logs) {
      for (const auto& [key, group] : log->groups_) {
        auto& [sum, best, of_grade] = sums[key];
        sum.instances.resize(by_engine.size());
        sum.instances[engine] += group.instances;
        for (const VarId x : group.variables) add_variable(sum.on, x);
        if (grade > best) of_grade.clear();
        best = std::max(best, grade);
        for (const model::RacePair& pair : group.least) {
          add_instance(sum.others, pair);
          if (grade == best) add_instance(of_grade, pair);
        }
      }
    }
  }
  std::vector<Finding> findings;
  for (auto& [key, entry] : sums) {
    Finding& sum = entry.finding;
    sum.first = entry.of_grade.front();
    std::erase(sum.others, sum.first);
    sum.variables = sum.on.size();
    findings.push_back(std::move(sum));
  }
  std::ranges::sort(findings, {}, [](const Finding& finding) {
    return std::tuple(rank(finding.first), index(finding.first.earlier.site),
                      index(finding.first.later.site));
  });
  return without_repeats(std::move(findings));
}

}  // namespace deadheat::analysis
