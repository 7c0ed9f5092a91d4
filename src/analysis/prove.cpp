#include "analysis/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/sync_preserving.h"
#include "base/format.h"
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

Result<Findings> findings_of_pair(const std::string& path, const ReadOptions& read, std::uint64_t earlier,
                                  std::uint64_t later) {
  if (earlier > later) std::swap(earlier, later);
  auto source = open_source(path, read);
  if (!source) return fail(source.error());
  Findings findings;
  std::optional<Event> one, other;
  while (true) {
    const auto block = (*source)->next();
    if (!block) return fail(block.error());
    if (*block == nullptr) break;
    const auto pick = [&](std::uint64_t number, std::optional<Event>& to) {
      if (number >= (*block)->first && number - (*block)->first < (*block)->size()) {
        to = (**block)[number - (*block)->first];
      }
    };
    pick(earlier, one);
    pick(later, other);
    findings.events += (*block)->size();
  }
  findings.warnings = (*source)->warnings();
  const auto refuse = [&](std::string_view why) {
    return fail({Error::Kind::input, fmt::format("{}: events {} and {}: {}", path, base::grouped(earlier),
                                                 base::grouped(later), why)});
  };
  if (!one || !other) return refuse(fmt::format("the trace has {} events", base::grouped(findings.events)));
  const auto can_race = [](const Event& e) {
    return object_kind(e.op.kind) == ObjectKind::variable && e.op.kind != EventKind::alloc;
  };
  if (!can_race(*one) || !can_race(*other)) return refuse("not both are accesses");
  const std::uint32_t cell = std::max(one->object, other->object);
  if (cell - one->object >= cells(one->op) || cell - other->object >= cells(other->op)) {
    return refuse("they touch different variables");
  }
  const auto side = [](std::uint64_t number, const Event& e) {
    return model::Side{number, e.thread, e.op.site, e.op.kind};
  };
  findings.races.push_back(
      {.first = {VarId{cell}, side(earlier, *one), side(later, *other)}, .instances = {}, .variables = 1});
  return findings;
}

}  // namespace deadheat::analysis
