#include "analysis/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "analysis/around.h"
#include "analysis/sync_preserving.h"
#include "base/format.h"
#include "base/progress.h"
#include "model/well_formed.h"
#include "solve/prove.h"
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

using Clock = std::chrono::steady_clock;

Status keep_order_of_locks(const std::string& path, const ProveOptions& options, SyncPreserving& search,
                           Clock::time_point until) {
  auto source = open_source(path, options.read);
  if (!source) return fail(source.error());
  engine::SortedBlock block;
  model::WellFormed rules(1);
  base::ProgressLine line("prove", "events");
  std::uint64_t events = 0;
  while (search.wants_more() && Clock::now() < until) {
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

class Prover {
 public:
  Prover(const std::string& path, Findings& findings, const ProveOptions& options)
      : path_(path),
        findings_(findings),
        options_(options),
        until_(Clock::now() + options.time),
        ask_until_(until_),
        unchecked_(findings.races.size()),
        run_(findings.proving.emplace()) {}

  Status keep_order_of_locks() {
    const Instances instances(findings_.races);
    if (instances.pairs.empty()) return {};
    SyncPreserving search(instances.pairs, !findings_.completeness.declared);
    // The check reads no more of the trace than this has read.
    const auto half = Clock::now() + options_.time / 2;
    if (auto read = analysis::keep_order_of_locks(path_, options_, search, half); !read) return read;
    auto found = search.take();
    std::vector<Attempt> attempts;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool another = !attempts.empty() && attempts.back().finding == instances.of[i];
      if (found[i] && !another) {
        attempts.push_back(
            {instances.of[i], {instances.pairs[i], std::move(*found[i]), "keeping the order of locks", {}}});
      }
    }
    return check(std::move(attempts));
  }

  // Round by round: the first instances of all races, then the second ones. A race of which all is known is
  // done with.
  Status ask_about_windows() {
    std::vector<Open> open;
    for (std::size_t i = 0; i < findings_.races.size(); ++i) {
      if (!findings_.races[i].proof) open.push_back({i, 0, 0, false, false});
    }
    while (!open.empty() && Clock::now() < ask_until_) {
      if (auto asked = ask_some(open); !asked) return asked;
    }
    run_.time_is_up += open.size();
    return {};
  }

 private:
  struct Attempt {
    std::size_t finding;
    Proof proof;
  };
  struct Answer {
    solve::Proof proof;
    bool is_refuted = false;
  };
  struct Open {
    std::size_t finding;
    std::size_t next;     // instance to be asked about
    std::size_t refuted;  // instances
    bool too_far, time_was_up;
  };
  static constexpr std::uint64_t kFarthest = 1'000'000;  // apart
  static constexpr std::uint64_t kTogether = 4'000'000;  // events in memory

  std::optional<model::RacePair> instance(const Open& open) const {
    const Finding& finding = findings_.races[open.finding];
    if (open.next == 0) return finding.first;
    if (open.next <= finding.others.size()) return finding.others[open.next - 1];
    return {};
  }
  // Nothing more can be asked of it.
  void close(const Open& open) {
    Finding& finding = findings_.races[open.finding];
    std::uint64_t told = 0;
    for (const std::uint64_t n : finding.instances) told = std::max(told, n);
    const std::size_t kept = finding.others.size() + 1;
    finding.refuted = open.refuted == kept && told <= kept;
    const bool suspected = grade_of(finding, findings_.engines) == engine::Grade::candidate;
    ++(open.too_far       ? run_.too_far
       : open.time_was_up ? run_.time_is_up
       : !finding.refuted ? run_.not_found
       : suspected        ? run_.refuted
                          : run_.consequences);
  }

  Status ask_some(std::vector<Open>& open) {
    std::vector<std::size_t> asked;  // in `open`
    std::vector<model::RacePair> pairs;
    std::uint64_t events = 0;
    for (std::size_t i = 0; i < open.size() && events < kTogether; ++i) {
      const auto pair = instance(open[i]);
      const std::uint64_t apart = pair->later.event - pair->earlier.event;
      if (apart > kFarthest) {
        open[i].too_far = true;
        ++open[i].next;
        continue;
      }
      asked.push_back(i);
      pairs.push_back(*pair);
      events += apart + Reach{}.before + Reach{}.after;
    }
    const auto start = Clock::now();
    const auto parts = parts_around(path_, options_.read, pairs, {}, until_);
    if (!parts) return fail(parts.error());
    if (parts->size() < pairs.size()) return {};
    // The check will have to read as much again, and do more with it.
    ask_until_ = until_ - std::min<Clock::duration>(2 * (Clock::now() - start), options_.time / 4);
    std::vector<Answer> answers(pairs.size());
    answer(*parts, pairs, answers, open.size());
    std::vector<Attempt> attempts;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Open& one = open[asked[i]];
      ++one.next;
      solve::Proof& found = answers[i].proof;
      if (found.answer.verdict == solve::Verdict::yes) {
        witness::Witness witness{.earlier = pairs[i].earlier.event,
                                 .later = pairs[i].later.event,
                                 .from = found.first_event,
                                 .then = std::move(found.answer.order)};
        attempts.push_back({one.finding, {pairs[i], std::move(witness), "by a decision procedure", {}}});
      } else if (answers[i].is_refuted) {
        ++one.refuted;
      } else if (found.answer.verdict == solve::Verdict::unknown) {
        one.time_was_up = true;
      }
    }
    if (auto checked = check(std::move(attempts)); !checked) return checked;
    std::erase_if(open, [&](Open& one) {
      if (findings_.races[one.finding].proof) return true;
      one.time_was_up |= unchecked_[one.finding];
      if (instance(one)) return false;
      close(one);
      return true;
    });
    return {};
  }

  // Whether it is known that a pair cannot meet: what the events of the trace alone say, with no demands on
  // top of these.
  bool is_refuted(const Part& part, const solve::Window& window, const solve::Question& question,
                  const solve::Proof& proof, std::chrono::milliseconds time) const {
    const auto no = [](const solve::Proof& p) {
      return p.answer.verdict == solve::Verdict::no && p.end == solve::Proof::End::all_of_it;
    };
    if (!part.whole || !no(proof)) return false;
    const bool demands = window.writes_read || std::ranges::any_of(window.events, [](const Event& e) {
                           return is_gap(e.op.kind) || is_failed_attempt(e.op.kind);
                         });
    if (!demands) return true;
    solve::Window bare = window;
    bare.writes_read = bare.keeps_gaps = false;
    return no(solve::prove(bare, question, {.time = time}));
  }

  void answer(std::span<const Part> parts, std::span<const model::RacePair> pairs,
              std::vector<Answer>& answers, std::size_t left) const {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < pairs.size(); i = next++) {
        // Each has its share of the time, and what others left of theirs.
        const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(ask_until_ - Clock::now());
        const auto waiting = static_cast<std::int64_t>(left > i ? left - i : 1);
        const auto share = std::max(rest * options_.jobs / waiting, std::chrono::milliseconds(50));
        if (rest.count() <= 0) return;
        solve::Window window = parts[i].window();
        window.writes_read = !findings_.completeness.declared;
        const solve::Question question{pairs[i].earlier.event, pairs[i].later.event};
        const auto time = std::min(rest, share);
        answers[i].proof = solve::prove(window, question, {.time = time});
        answers[i].is_refuted = is_refuted(parts[i], window, question, answers[i].proof, time);
      }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::min<std::size_t>(options_.jobs, pairs.size()); ++i)
      threads.emplace_back(work);
    work();
  }

  Status check(std::vector<Attempt> attempts) {
    std::vector<witness::Witness> witnesses;
    for (const Attempt& attempt : attempts) witnesses.push_back(attempt.proof.witness);
    if (witnesses.empty()) return {};
    const auto verdicts = witness::check_witnesses(path_, options_.read, witnesses,
                                                   {.writes_read = !findings_.completeness.declared}, until_);
    if (!verdicts) return fail(verdicts.error());
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      unchecked_[attempts[i].finding] = !(*verdicts)[i];
      if (!(*verdicts)[i]) continue;
      const bool ok = (*verdicts)[i]->ok();
      ++(ok ? run_.proved : (*verdicts)[i]->by_gap ? run_.not_kept : run_.rejected);
      if (ok) {
        attempts[i].proof.grade =
            findings_.completeness.declared ? engine::Grade::proved : engine::Grade::predicted;
        accept(findings_.races[attempts[i].finding], std::move(attempts[i].proof), findings_.engines);
      }
    }
    return {};
  }

  const std::string& path_;
  Findings& findings_;
  const ProveOptions& options_;
  Clock::time_point until_, ask_until_;
  std::vector<bool> unchecked_;  // by finding: a schedule was made, and time was up before it was checked
  ProvingRun& run_;
};

}  // namespace

Status prove(const std::string& path, Findings& findings, const ProveOptions& options) {
  Prover prover(path, findings, options);
  if (auto done = prover.keep_order_of_locks(); !done) return done;
  return prover.ask_about_windows();
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
  findings.completeness = (*source)->completeness();
  const auto refuse = [&](std::string_view why) {
    return fail({Error::Kind::input, fmt::format("{}: events {} and {}: {}", path, base::grouped(earlier),
                                                 base::grouped(later), why)});
  };
  if (!one || !other) return refuse(fmt::format("the trace has {} events", base::grouped(findings.events)));
  const auto can_race = [](const Event& e) {
    return is_of_memory(e.op.kind) && e.op.kind != EventKind::alloc;
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
