#include "analysis/window_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "analysis/pipeline.h"
#include "base/format.h"
#include "base/random.h"

namespace deadheat::analysis {

namespace {

// Tells a log of races in the words of the trace.
class Translator final : public engine::RaceSink {
 public:
  Translator(RaceLog& log, engine::RaceSink* also, const WindowEvents& events)
      : log_(log), also_(also), events_(events) {}
  void race(const model::RacePair& pair) override {
    const model::RacePair original = events_.original(pair);
    log_.race(original);
    if (also_ != nullptr) also_->race(original);
  }

 private:
  RaceLog& log_;
  engine::RaceSink* also_;
  const WindowEvents& events_;
};

// Chance must not be the same in every window.
template <class Choice>
Choice with_other_chance(Choice choice, std::uint64_t window) {
  for (std::size_t i = 0; i < choice.row->options.size(); ++i) {
    if (choice.row->options[i].name != "seed") continue;
    base::Random random(std::strtoull(choice.values[i].c_str(), nullptr, 10));
    choice.values[i] = std::to_string(base::Random(random() ^ window)());
  }
  return choice;
}

void add(std::vector<engine::Counter>& sums, std::span<const engine::Counter> counters) {
  for (const engine::Counter& counter : counters) {
    const auto at = std::ranges::find(sums, counter.name, &engine::Counter::name);
    if (at == sums.end()) {
      sums.push_back(counter);
    } else {
      at->value += counter.value;
    }
  }
}

// What a window may show although the trace keeps the rules: the other half came before it.
bool may_have_begun_before(model::Rule rule) {
  return rule == model::Rule::lock_upgrade || rule == model::Rule::release_free ||
         rule == model::Rule::release_other || rule == model::Rule::recv_unsent ||
         rule == model::Rule::barrier_exit;
}

}  // namespace

WindowRunner::WindowRunner(const AnalyzeOptions& options, engine::RaceSink* also)
    : options_(options), also_(also), logs_(options.engines.size()) {
  for (const engine::Choice& choice : options.engines)
    engine_runs_.push_back({choice.name(), choice.row, 0, {}, 0});
  for (const filter::Choice& choice : options.filters) {
    if (choice.is_of_windows()) continue;
    filters_.push_back(choice);
    filter_runs_.push_back({choice.name(), choice.row, 0, 0, {}, 0});
  }
}

Status WindowRunner::begin(std::uint64_t event) {
  from_start_ = event == 0;
  engines_.clear();
  for (const engine::Choice& choice : options_.engines) {
    auto engine = with_other_chance(choice, event).make();
    if (!engine) return fail(engine.error());
    engines_.push_back(std::move(*engine));
  }
  std::vector<filter::Choice> filters;
  for (const filter::Choice& choice : filters_) filters.push_back(with_other_chance(choice, event));
  auto chain = filter::Chain::make(filters);
  if (!chain) return fail(chain.error());
  chain_ = std::make_unique<filter::Chain>(std::move(*chain));
  rules_ = std::make_unique<model::WellFormed>(0);
  return {};
}

Status WindowRunner::feed(WindowEvents& events) {
  const auto show = [&] {
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      Translator races(logs_[i], also_, events);
      engines_[i]->order(block_, races);
      engines_[i]->check(block_, 0, races);
    }
  };
  for (std::size_t i = 0; i < events.blocks(); ++i) {
    const BlockView enters = from_start_ ? BlockView{} : events.unseen_enters(i);
    if (enters.size() > 0) {
      block_.sort(enters);
      show();
    }
    block_.sort(events.block(i));
    if (auto fits = Pipeline::check_sizes(block_); !fits) return fits;
    if (auto kept = check_rules(block_); !kept) return kept;
    chain_->filter(block_);
    show();
  }
  return {};
}

Status WindowRunner::check_rules(engine::SortedBlock& block) {
  rules_->feed(block.events, block.order());
  block.leave_out(rules_->inner());
  for (const model::WellFormed::Fault& fault : rules_->faults()) {
    if (fault.rule == model::Rule::fork_repeated) continue;
    if (!from_start_ && may_have_begun_before(fault.rule)) continue;
    return input_error(Pipeline::broken_rule(block.events.first + fault.place, fault.rule));
  }
  return {};
}

void WindowRunner::end(const WindowEvents& events) {
  for (std::size_t i = 0; i < engines_.size(); ++i) {
    Translator races(logs_[i], also_, events);
    engines_[i]->finish(races);
    add(engine_runs_[i].counters, engines_[i]->counters());
    engine_runs_[i].bytes = std::max(engine_runs_[i].bytes, engines_[i]->bytes());
  }
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const filter::Chain::Link& link = chain_->links()[i];
    filter_runs_[i].seen += link.seen;
    filter_runs_[i].kept += link.kept;
    add(filter_runs_[i].counters, link.filter->counters());
    filter_runs_[i].bytes = std::max(filter_runs_[i].bytes, link.filter->bytes());
  }
  engines_.clear();
  chain_.reset();
  rules_.reset();
}

std::uint64_t WindowRunner::pairs() const {
  std::uint64_t sum = 0;
  for (const RaceLog& log : logs_) sum += log.pairs();
  return sum;
}

void WindowRunner::add_to(Findings& findings) const {
  if (findings.engines.empty()) {
    for (const EngineRun& run : engine_runs_) findings.engines.push_back({run.name, run.row, 0, {}, 0});
    for (const FilterRun& run : filter_runs_) findings.filters.push_back({run.name, run.row, 0, 0, {}, 0});
  }
  for (std::size_t i = 0; i < engine_runs_.size(); ++i) {
    EngineRun& sum = findings.engines[i];
    sum.pairs += logs_[i].pairs();
    add(sum.counters, engine_runs_[i].counters);
    sum.bytes = std::max(sum.bytes, engine_runs_[i].bytes);
  }
  for (std::size_t i = 0; i < filter_runs_.size(); ++i) {
    FilterRun& sum = findings.filters[i];
    sum.seen += filter_runs_[i].seen;
    sum.kept += filter_runs_[i].kept;
    add(sum.counters, filter_runs_[i].counters);
    sum.bytes = std::max(sum.bytes, filter_runs_[i].bytes);
  }
}

}  // namespace deadheat::analysis
