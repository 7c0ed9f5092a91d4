#include "analysis/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "analysis/around.h"
#include "analysis/sync_preserving.h"
#include "base/format.h"
#include "base/progress.h"
#include "model/well_formed.h"
#include "solve/decide.h"
#include "solve/prove.h"
#include "solve/rules.h"
#include "witness/check_witnesses.h"

namespace deadheat::analysis {

namespace {

// Instances of findings, and whose they are.
struct Instances {
  std::vector<model::RacePair> pairs;
  std::vector<std::size_t> of;

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

// Events of a schedule that are in the order of the trace need not be listed: of each thread it is enough to
// say how far it goes.
void shorten(witness::Witness& witness, std::span<const Event> events) {
  std::size_t kept = 1;
  while (kept < witness.then.size() && witness.then[kept - 1] < witness.then[kept]) ++kept;
  if (witness.then.empty() || !witness.ends.empty()) return;
  for (std::size_t i = 0; i < kept; ++i) {
    const std::size_t t = index(events[witness.then[i] - witness.from].thread);
    if (t >= witness.ends.size()) witness.ends.resize(t + 1);
    witness.ends[t] = witness.then[i] + 1;
  }
  // A copy: erasing would keep the memory.
  witness.then = std::vector<std::uint64_t>(witness.then.begin() + static_cast<std::ptrdiff_t>(kept),
                                            witness.then.end());
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

  // The findings to be looked at, in the order in which they matter.
  Status run() {
    std::vector<std::size_t> wanted = wanted_findings();
    const std::size_t first = std::min(options_.shown_first, wanted.size());
    const std::vector<std::size_t> shown(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(first));
    wanted.erase(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(first));
    for (const auto& some : {shown, wanted}) {
      if (some.empty()) continue;
      if (auto done = keep_order_of_locks(some); !done) return done;
      if (auto done = ask_about_windows(some); !done) return done;
    }
    return {};
  }

 private:
  // What was observed first, as reports have it. Of the races on one variable only so many.
  std::vector<std::size_t> wanted_findings() {
    std::vector<std::size_t> wanted;
    std::unordered_map<std::uint32_t, std::uint64_t> of_variable;
    for (const bool observed : {true, false}) {
      for (std::size_t i = 0; i < findings_.races.size(); ++i) {
        const Finding& finding = findings_.races[i];
        if ((grade_of(finding, findings_.engines) == engine::Grade::observed) != observed) continue;
        if (!options_.wanted.empty() && !options_.wanted[i]) continue;
        if (finding.variables <= 1 && ++of_variable[index(finding.first.variable)] > kOfVariable) {
          ++run_.grouped;
          continue;
        }
        wanted.push_back(i);
      }
    }
    return wanted;
  }

  Status keep_order_of_locks(std::span<const std::size_t> findings) {
    Instances left;
    for (const std::size_t i : findings) {
      left.add(findings_.races[i].first, i);
      for (const model::RacePair& pair : findings_.races[i].others) left.add(pair, i);
    }
    // The check reads no more of the trace than this has read.
    const auto half = Clock::now() + (until_ - Clock::now()) / 2;
    while (!left.pairs.empty() && Clock::now() < half) {
      SyncPreserving search(left.pairs, writes_read(), left.of, bytes_for(4));
      if (auto read = analysis::keep_order_of_locks(path_, options_, search, half); !read) return read;
      auto found = search.take();
      std::vector<Attempt> attempts;
      Instances rest;
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i]) {
          attempts.push_back(
              {left.of[i], {left.pairs[i], std::move(*found[i]), "keeping the order of locks", {}}});
        } else if (search.was_left_out(i)) {
          rest.add(left.pairs[i], left.of[i]);
        }
      }
      if (auto checked = check(std::move(attempts)); !checked) return checked;
      left = {};
      for (std::size_t i = 0; i < rest.pairs.size(); ++i) {
        if (!findings_.races[rest.of[i]].proof) left.add(rest.pairs[i], rest.of[i]);
      }
    }
    return {};
  }

  // Round by round: the first instances of all races, then the second ones. A race of which all is known is
  // done with.
  Status ask_about_windows(std::span<const std::size_t> findings) {
    std::vector<Open> open;
    for (const std::size_t i : findings) {
      if (!findings_.races[i].proof) open.push_back({i, 0, 0, false, false});
    }
    while (!open.empty() && Clock::now() < ask_until_) {
      if (auto asked = ask_some(open); !asked) return asked;
    }
    run_.time_is_up += open.size();
    return {};
  }

  struct Attempt {
    std::size_t finding;
    Proof proof;
  };
  struct Open {
    std::size_t finding;
    std::size_t next;     // instance to be asked about
    std::size_t refuted;  // instances
    bool too_far, time_was_up;
  };
  static constexpr std::uint64_t kFarthest = 1'000'000;  // apart
  static constexpr std::uint64_t kClose = 1 << 12;       // apart
  static constexpr std::uint64_t kTogether = 4'000'000;  // events in memory
  static constexpr std::uint64_t kWhole = 1 << 18;       // events of a trace that is taken as it is
  static constexpr std::uint64_t kOfVariable = 1000;     // findings of which schedules are looked for
  static constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // more would not help
  // What the checker keeps of an event; it depends on what the event touches.
  static constexpr std::size_t kCheckedBytes = 128;

  // A share of the memory there is.
  std::size_t bytes_for(std::size_t parts) const {
    return std::min<std::size_t>(static_cast<std::size_t>(options_.memory_bytes / parts), kMostBytes);
  }

  solve::ProofLimits limits() const {
    return {.most_numbers = std::min<std::uint64_t>(solve::ProofLimits{}.most_numbers, bytes_for(2) / 8)};
  }
  // Where it is not known whether the trace is complete, a plain write may hide a read.
  bool writes_read() const { return !findings_.completeness.declared; }

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

  Reach reach() const {
    Reach reach;
    if (findings_.events <= kWhole) reach.before = reach.after = findings_.events;
    return reach;
  }

  Status ask_some(std::vector<Open>& open) {
    std::vector<std::size_t> asked;  // in `open`
    std::vector<model::RacePair> pairs;
    const Reach reach = this->reach();
    const std::uint64_t most = std::min<std::uint64_t>(kTogether, bytes_for(4) / sizeof(Event));
    std::uint64_t events = 0, begin = 0, end = 0;  // of the last region
    for (std::size_t i = 0; i < open.size() && (events < most || asked.empty()); ++i) {
      const auto pair = instance(open[i]);
      if (pair->later.event - pair->earlier.event > kFarthest) {
        open[i].too_far = true;
        ++open[i].next;
        continue;
      }
      asked.push_back(i);
      pairs.push_back(*pair);
      // What overlaps the last region makes it longer; all else counts as one more.
      const std::uint64_t from = pair->earlier.event - std::min(pair->earlier.event, reach.before);
      const std::uint64_t to = pair->later.event + 1 + reach.after;
      const bool joins = end != 0 && from <= end && to >= begin;
      const std::uint64_t before = joins ? end - begin : 0;
      begin = joins ? std::min(begin, from) : from;
      end = joins ? std::max(end, to) : to;
      events += end - begin - before;
    }
    const auto start = Clock::now();
    const auto near = regions_around(path_, options_.read, pairs, reach, until_);
    if (!near) return fail(near.error());
    if (near->parts.size() < pairs.size()) return {};
    // The check will have to read as much again, and do more with it.
    ask_until_ = until_ - std::min<Clock::duration>(2 * (Clock::now() - start), options_.time / 4);
    std::vector<solve::Proof> answers(pairs.size());
    answer_near(*near, pairs, answers, open.size());
    answer_all(*near, pairs, answers);
    const std::vector<char> refuted = refute(*near, pairs, answers);
    std::vector<Attempt> attempts;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Open& one = open[asked[i]];
      ++one.next;
      const Region& region = near->regions[near->parts[i].region];
      if (answers[i].answer.verdict == solve::Verdict::yes) {
        witness::Witness witness{.earlier = pairs[i].earlier.event,
                                 .later = pairs[i].later.event,
                                 .from = answers[i].first_event,
                                 .then = std::move(answers[i].answer.order)};
        shorten(witness, std::span(region.events).subspan(witness.from - region.first));
        attempts.push_back({one.finding, {pairs[i], std::move(witness), "by a decision procedure", {}}});
      } else if (refuted[i] != 0) {
        ++one.refuted;
      } else if (answers[i].answer.verdict == solve::Verdict::unknown) {
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

  // Calls answer(i, time) of each that is open, as long as there is time.
  template <class F>
  void side_by_side(std::span<const std::size_t> which, std::size_t left, F&& answer) const {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t n = next++; n < which.size(); n = next++) {
        // Each has its share of the time, and what others left of theirs.
        const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(ask_until_ - Clock::now());
        const auto waiting = static_cast<std::int64_t>(left > n ? left - n : 1);
        const auto share = std::max(rest * options_.jobs / waiting, std::chrono::milliseconds(50));
        if (rest.count() <= 0) return;
        answer(which[n], std::min(rest, share));
      }
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < std::min<std::size_t>(options_.jobs, which.size()); ++i)
      threads.emplace_back(work);
    work();
  }

  // Small windows of each pair.
  void answer_near(const Surroundings& near, std::span<const model::RacePair> pairs,
                   std::vector<solve::Proof>& answers, std::size_t left) const {
    // A window with much between the two accesses is not small.
    std::vector<std::size_t> close;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (pairs[i].later.event - pairs[i].earlier.event <= kClose) close.push_back(i);
    }
    side_by_side(close, 2 * left, [&](std::size_t i, std::chrono::milliseconds time) {
      solve::Window window = near.near(i);
      window.writes_read = writes_read();
      answers[i] = solve::prove(window, {pairs[i].earlier.event, pairs[i].later.event},
                                {.time = time, .last_window = Reach{}.near_before});
      answers[i].end = solve::Proof::End::largest;
      const Region& region = near.regions[near.parts[i].region];
      const bool is_all = answers[i].first_event == region.first &&
                          answers[i].end_event == region.first + region.events.size();
      if (is_all) answers[i].end = solve::Proof::End::all_of_it;
    });
  }

  // Pairs that small windows do not decide: all that is known of their region, which they share if it is not
  // too large.
  void answer_all(const Surroundings& near, std::span<const model::RacePair> pairs,
                  std::vector<solve::Proof>& answers) const {
    for (std::size_t r = 0; r < near.regions.size(); ++r) {
      std::vector<std::size_t> open;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const bool decided = answers[i].answer.verdict == solve::Verdict::yes ||
                             (answers[i].answer.verdict == solve::Verdict::no &&
                              answers[i].end == solve::Proof::End::all_of_it);
        if (near.parts[i].region == r && !decided) open.push_back(i);
      }
      if (open.empty() || Clock::now() >= ask_until_) continue;
      solve::Window window = near.regions[r].window();
      window.writes_read = writes_read();
      const solve::ProofLimits limits = this->limits();
      if (!solve::fits(window, limits)) {
        side_by_side(open, open.size(), [&](std::size_t i, std::chrono::milliseconds time) {
          solve::ProofLimits larger = limits;
          larger.time = time;
          larger.first_window = 4 * Reach{}.near_before;
          larger.most_numbers /= options_.jobs;
          answers[i] = solve::prove(window, {pairs[i].earlier.event, pairs[i].later.event}, larger);
        });
        continue;
      }
      const solve::Rules rules(window);
      side_by_side(open, open.size(), [&](std::size_t i, std::chrono::milliseconds time) {
        answers[i].answer =
            solve::decide(rules, {pairs[i].earlier.event, pairs[i].later.event}, {.time = time});
        answers[i].first_event = window.first;
        answers[i].end_event = window.first + window.events.size();
        answers[i].end = solve::Proof::End::all_of_it;
      });
    }
  }

  // Which pairs are known to have no schedule: what the events of the trace alone say, with no demands on top
  // of these. A no with gaps, failed attempts or writes that read means nothing, so it is asked without them.
  std::vector<char> refute(const Surroundings& near, std::span<const model::RacePair> pairs,
                           std::span<const solve::Proof> answers) const {
    std::vector<char> refuted(pairs.size());
    for (std::size_t r = 0; r < near.regions.size(); ++r) {
      if (!near.regions[r].whole) continue;
      std::vector<std::size_t> denied;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        const bool is_no =
            answers[i].answer.verdict == solve::Verdict::no && answers[i].end == solve::Proof::End::all_of_it;
        if (near.parts[i].region == r && is_no) denied.push_back(i);
      }
      if (denied.empty()) continue;
      solve::Window bare = near.regions[r].window();
      const bool demands = writes_read() || std::ranges::any_of(bare.events, [](const Event& e) {
                             return is_gap(e.op.kind) || is_failed_attempt(e.op.kind);
                           });
      if (!demands) {
        for (const std::size_t i : denied) refuted[i] = 1;
        continue;
      }
      bare.keeps_gaps = false;
      if (!solve::fits(bare, limits())) continue;
      const solve::Rules rules(bare);
      side_by_side(denied, denied.size(), [&](std::size_t i, std::chrono::milliseconds time) {
        const auto answer =
            solve::decide(rules, {pairs[i].earlier.event, pairs[i].later.event}, {.time = time});
        refuted[i] = answer.verdict == solve::Verdict::no ? 1 : 0;
      });
    }
    return refuted;
  }

  // Some at a time: what the checker keeps of each grows with the events that it looks at.
  Status check(std::vector<Attempt> attempts) {
    const std::uint64_t most = bytes_for(4) / kCheckedBytes;
    for (std::size_t done = 0; done < attempts.size();) {
      std::size_t end = done;
      std::uint64_t events = 0;
      std::vector<witness::Witness> witnesses;
      for (; end < attempts.size() && (events < most || end == done); ++end) {
        witnesses.push_back(attempts[end].proof.witness);
        events += witnesses.back().last() - std::min(witnesses.back().from, witnesses.back().last()) + 64;
      }
      const auto verdicts =
          witness::check_witnesses(path_, options_.read, witnesses, {.writes_read = writes_read()}, until_);
      if (!verdicts) return fail(verdicts.error());
      for (std::size_t i = 0; i < witnesses.size(); ++i, ++done) {
        Attempt& attempt = attempts[done];
        unchecked_[attempt.finding] = !(*verdicts)[i];
        if (!(*verdicts)[i]) continue;
        const bool ok = (*verdicts)[i]->ok();
        ++(ok ? run_.proved : (*verdicts)[i]->by_gap ? run_.not_kept : run_.rejected);
        if (!ok) continue;
        attempt.proof.grade = writes_read() ? engine::Grade::predicted : engine::Grade::proved;
        accept(findings_.races[attempt.finding], std::move(attempt.proof), findings_.engines);
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
  return Prover(path, findings, options).run();
}

namespace {

std::optional<NoRace> no_race(const Event& a, const Event& b, bool same_event) {
  if (same_event) return NoRace::same_event;
  if (a.thread == b.thread) return NoRace::same_thread;
  const auto begin = [](const Event& e) { return std::uint64_t{e.object} * kCellBytes + e.op.offset; };
  const auto end = [&](const Event& e) { return begin(e) + (e.op.value == 0 ? kCellBytes : e.op.value); };
  if (begin(a) >= end(b) || begin(b) >= end(a)) return NoRace::no_common_bytes;
  const auto reads = [](EventKind kind) { return kind == EventKind::read || kind == EventKind::atomic_load; };
  if (reads(a.op.kind) && reads(b.op.kind)) return NoRace::no_write;
  if (is_atomic(a.op.kind) && is_atomic(b.op.kind)) return NoRace::both_atomic;
  return {};
}

}  // namespace

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
  findings.no_race = no_race(*one, *other, earlier == later);
  const bool apart = findings.no_race == NoRace::no_common_bytes;
  const std::uint32_t cell = apart ? one->object : std::max(one->object, other->object);
  const auto side = [](std::uint64_t number, const Event& e) {
    return model::Side{number, e.thread, e.op.site, e.op.kind};
  };
  findings.races.push_back(
      {.first = {VarId{cell}, side(earlier, *one), side(later, *other)}, .instances = {}, .variables = 1});
  return findings;
}

}  // namespace deadheat::analysis
