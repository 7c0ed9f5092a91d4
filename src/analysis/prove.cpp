#include "analysis/prove.h"

#include <algorithm>

#include "analysis/sync_preserving.h"
#include "base/progress.h"
#include "model/well_formed.h"
#include "witness/check_witnesses.h"

namespace deadheat::analysis {

namespace {

// The instances of all findings, and whose they are.
struct Instances {
  std::vector<model::RacePair> pairs;
  std::vector<std::size_t> of;

  explicit Instances(std::span<const Finding> findings) {
    for (std::size_t i = 0; i < findings.size(); ++i) {
      add(findings[i].first, i);
      for (const model::RacePair& pair : findings[i].others) add(pair, i);
    }
  }
  void add(const model::RacePair& pair, std::size_t finding) {
    pairs.push_back(pair);
    of.push_back(finding);
  }
};

Status keep_order_of_locks(const std::string& path, const ProveOptions& options, SyncPreserving& search) {
  auto source = open_source(path, options.read);
  if (!source) return fail(source.error());
  engine::SortedBlock block;
  model::WellFormed rules(1);
  base::ProgressLine line("prove", "events");
  std::uint64_t events = 0;
  while (search.wants_more()) {
    const auto view = (*source)->next();
    if (!view) return fail(view.error());
    if (*view == nullptr) break;
    block.sort(**view);
    rules.feed(block.events, block.order());
    block.leave_out(rules.inner());
    search.see(block);
    events += block.events.size();
    const Progress progress = (*source)->progress();
    if (options.progress) line.update(events, progress.done_bytes, progress.total_bytes);
  }
  return {};
}

// What is only suspected is told by the instance that is proved.
void accept(Finding& finding, Proof proof, std::span<const EngineRun> engines) {
  const auto other = std::ranges::find(finding.others, proof.pair);
  if (grade_of(finding, engines) == engine::Grade::candidate && other != finding.others.end()) {
    std::swap(finding.first, *other);
  }
  finding.proof = std::move(proof);
}

}  // namespace

Status prove(const std::string& path, Findings& findings, const ProveOptions& options) {
  ProvingRun& run = findings.proving.emplace();
  const Instances instances(findings.races);
  if (instances.pairs.empty()) return {};
  SyncPreserving search(instances.pairs);
  if (auto read = keep_order_of_locks(path, options, search); !read) return read;

  std::vector<witness::Witness> witnesses;
  std::vector<std::size_t> of;  // instances
  auto found = search.take();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool another = !of.empty() && instances.of[of.back()] == instances.of[i];
    if (!found[i] || another) continue;
    witnesses.push_back(std::move(*found[i]));
    of.push_back(i);
  }
  const auto verdicts = witness::check_witnesses(path, options.read, witnesses);
  if (!verdicts) return fail(verdicts.error());
  for (std::size_t i = 0; i < witnesses.size(); ++i) {
    if (!(*verdicts)[i].ok()) {
      ++run.rejected;
      continue;
    }
    accept(findings.races[instances.of[of[i]]],
           {instances.pairs[of[i]], std::move(witnesses[i]), "keeping the order of locks"}, findings.engines);
  }
  return {};
}

}  // namespace deadheat::analysis
