#include <algorithm>
#include <filesystem>

#include "base/format.h"
#include "base/progress.h"
#include "base/shown.h"
#include "cli/analyzing.h"
#include "cli/event_line.h"
#include "cli/output.h"
#include "cli/trace_output.h"
#include "cli/verbs.h"
#include "model/mend.h"
#include "model/well_formed.h"
#include "report/witness_file.h"
#include "witness/check_witnesses.h"

namespace deadheat::cli::cmd_check {

namespace {

using model::Rule;
using model::Violation;
using model::WellFormed;

constexpr Flag kFlags[] = {
    {.name = "max",
     .value = "N",
     .help = "show so many violations of each trace, and count the rest",
     .initial = "20"},
    {.name = "witness",
     .value = "FILE",
     .help = "check besides that the schedules in this file could have been followed, and show their races"},
    {.name = "repair", .help = "write a well-formed trace, where there is only one sensible way to"},
    {.name = "output", .letter = 'o', .value = "FILE", .help = "with --repair: where to write"},
    kToFlag,
    kCompressFlag,
    kLiteralThreadsFlag,
    kSkipBadFlag,
    kAllowIncompleteFlag,
};

// f(block, names) for every block.
template <class F>
Status for_each_block(Source& source, F f) {
  base::ProgressLine line("check", "events");
  while (true) {
    const auto block = source.next();
    if (!block) return fail(block.error());
    if (*block == nullptr) return {};
    if (auto ok = f(**block); !ok) return ok;
    const Progress progress = source.progress();
    line.update((*block)->first + (*block)->size(), progress.done_bytes, progress.total_bytes);
  }
}

// "2 lock-held, 1 fork-late"
template <class Count>
std::string by_rule(Count count) {
  std::string out;
  for (std::size_t i = 0; i < model::kRules; ++i) {
    const auto rule = static_cast<Rule>(i);
    if (count(rule) == 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", base::grouped(count(rule)), name_of(rule));
  }
  return out;
}

void show(const std::string& trace, const Violation& violation, const Names& names) {
  print("{}: event {}: {} [{}]\n", trace, base::grouped(violation.at.number),
        base::shown(describe(violation, names), 400), name_of(violation.rule));
  const auto line = [&](const model::NumberedEvent& e) {
    print("  {:>12}  {}\n", base::grouped(e.number), event_line(e.event, names));
  };
  if (violation.other) line(*violation.other);
  line(violation.at);
}

struct Survey {
  WellFormed rules;
  std::uint64_t events = 0;
};

Result<Survey> survey_of(Source& source, std::size_t keep) {
  Survey survey{WellFormed(keep)};
  auto read = for_each_block(source, [&](const BlockView& block) -> Status {
    survey.rules.feed(block);
    survey.events += block.size();
    return {};
  });
  if (!read) return fail(read.error());
  return survey;
}

void show_all(const std::string& trace, const Survey& survey, const Names& names) {
  const WellFormed& rules = survey.rules;
  for (const Violation& violation : rules.kept()) show(trace, violation, names);
  if (rules.total() > rules.kept().size()) {
    print("{}: {} more, not shown (--max)\n", trace, base::grouped(rules.total() - rules.kept().size()));
  }
  print("{}: not well formed: {} in {}: {}\n", trace, base::counted(rules.total(), "violation"),
        base::counted(survey.events, "event"), by_rule([&](Rule rule) { return rules.total(rule); }));
}

// An error is of reading.
Result<Survey> check(const std::string& path, const Arguments& arguments, std::size_t keep) {
  auto source = open_source(path, read_options(arguments));
  if (!source) return fail(source.error());
  auto survey = survey_of(**source, keep);
  const std::string name = input_name(path);
  say_warnings(name, (*source)->warnings());
  if (!survey) return fail(survey.error());
  const auto warnings = (*source)->warnings();
  if (survey->rules.ok() && std::ranges::any_of(warnings, &Warning::is_incomplete)) {
    print("{}: incomplete; what is there is well formed, {}\n", name, base::counted(survey->events, "event"));
  } else if (survey->rules.ok()) {
    print("{}: well formed, {}\n", name, base::counted(survey->events, "event"));
  } else {
    show_all(name, *survey, (*source)->names());
  }
  return survey;
}

// Whether the trace is good enough to check schedules of it. The same fork once more changes nothing for any.
bool serves_schedules(const Survey& survey) {
  return survey.rules.total() == survey.rules.total(Rule::fork_repeated);
}

// Whether all schedules of the file hold, each with a line about it.
Result<bool> check_schedules(const std::string& path, const std::string& file,
                             const report::WitnessFile& wanted, const Arguments& arguments) {
  const auto verdicts = witness::check_witnesses(path, read_options(arguments), wanted.witnesses);
  if (!verdicts) return fail(verdicts.error());
  std::uint64_t good = 0;
  for (std::size_t i = 0; i < verdicts->size(); ++i) {
    const witness::Witness& witness = wanted.witnesses[i];
    const witness::Verdict& verdict = *(*verdicts)[i];
    const std::string race = fmt::format("{}: schedule {}, of events {} and {}", file, i + 1,
                                         base::grouped(witness.earlier), base::grouped(witness.later));
    if (verdict.ok()) {
      print("{}: holds\n", race);
    } else {
      print("{}: does not hold: {}{}\n", race, verdict.broken,
            verdict.event ? fmt::format(", event {}", base::grouped(*verdict.event)) : "");
    }
    good += verdict.ok() ? 1 : 0;
  }
  print("{}: {} of {} schedules hold\n", file, base::grouped(good), base::grouped(verdicts->size()));
  return good == verdicts->size();
}

Status write_mended(Source& source, const WellFormed& survey, Sink& sink, model::Mender& mender) {
  WellFormed proof(1);
  auto written = for_each_block(source, [&](const BlockView& block) -> Status {
    const BlockView left = mender.mend(block);
    proof.feed(left);
    return left.size() == 0 ? Status{} : sink.append(left, source.names());
  });
  if (!written) return written;
  // Between the passes the file may have changed under us; nothing else makes this happen.
  if (!proof.ok() || (survey.ok() && mender.dropped() > 0)) {
    return input_error("the trace changed while it was read; try again");
  }
  sink.declare(source.completeness());
  return sink.finish();
}

// What cannot be read twice. Of a missing file and a folder, opening them tells.
Status refuse_streams(const std::string& path) {
  if (path == "-") {
    return usage_error("check: --repair reads the trace twice, so it cannot be standard input; give a file");
  }
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!exists(status) || is_regular_file(status) || is_directory(status)) return {};
  return usage_error(fmt::format(
      "check: --repair reads the trace twice, so it cannot be {}, a pipe or device; give a file", path));
}

Result<Exit> repair_trace(const std::string& path, const Arguments& arguments, std::size_t keep) {
  const auto output = arguments.required("output");
  if (!output) return fail(output.error());
  if (auto ok = refuse_streams(path); !ok) return fail(ok.error());
  if (*output != "-" && base::is_same_file(path, *output)) {
    return usage_error(fmt::format("check: {} is the input; give another name for the output", *output));
  }
  const auto plan = plan_trace("check", *output, arguments);
  if (!plan) return fail(plan.error());
  auto source = open_source(path, read_options(arguments));
  if (!source) return fail(source.error());
  const auto survey = survey_of(**source, keep);
  say_warnings(path, (*source)->warnings());
  if (!survey) return fail(survey.error());
  if (!can_mend(survey->rules)) {
    show_all(path, *survey, (*source)->names());
    say(fmt::format(
        "{}: not repaired: what breaks {} can be mended in more than one way, and each gives other races",
        path, by_rule([&](Rule rule) { return can_mend(rule) ? 0 : survey->rules.total(rule); })));
    return kCouldNot;
  }

  auto again = open_source(path, read_options(arguments));
  if (!again) return fail(again.error());
  auto trace = TraceOutput::create(*plan);
  if (!trace) return fail(trace.error());
  model::Mender mender(survey->rules);
  if (auto named = name_ahead(**again); !named) return fail(named.error());
  auto written = write_mended(**again, survey->rules, trace->sink(), mender);
  say_warnings(output_name(*output), trace->losses());
  if (!written) return fail(trace->renamed(written.error()));
  if (auto ok = trace->commit(); !ok) return fail(ok.error());
  const std::string done = by_rule([&](Rule rule) { return mender.mended(rule); });
  say(done.empty() ? fmt::format("{}: well formed, nothing to repair: {} copied", path,
                                 base::counted(survey->events, "event"))
                   : fmt::format("{}: repaired: {}; {} dropped, {} written", path, done,
                                 base::counted(mender.dropped(), "event"),
                                 base::counted(survey->events - mender.dropped(), "event")));
  return kDone;
}

Result<Exit> run(const Arguments& arguments) {
  const auto keep = arguments.number("max", 0, 1'000'000);
  if (!keep) return fail(keep.error());
  if (arguments.has("repair")) {
    if (arguments.positional().size() > 1) return usage_error("check: --repair takes one trace at a time");
    return repair_trace(arguments.positional()[0], arguments, *keep);
  }
  const bool schedules = arguments.has("witness");
  if (schedules && (arguments.positional().size() > 1 || arguments.positional()[0] == "-")) {
    return usage_error(
        "check: --witness takes one trace, which is read twice and so cannot be standard input");
  }
  for (const std::string_view flag : {"output", "to", "compress"}) {
    if (arguments.has(flag)) return usage_error(fmt::format("check: --{} is for --repair", flag));
  }
  const std::string file(arguments.get("witness"));
  report::WitnessFile witnesses;
  if (schedules) {
    auto read = report::read_witness_file(file);
    if (!read) return fail(read.error());
    witnesses = std::move(*read);
  }
  Exit exit = kDone;
  for (const std::string& path : arguments.positional()) {
    const auto survey = check(path, arguments, *keep);
    if (!survey) say(survey.error().message);
    if (!survey || !(schedules ? serves_schedules(*survey) : survey->rules.ok())) exit = kCouldNot;
    if (schedules && survey) {
      const auto hold = check_schedules(path, file, witnesses, arguments);
      if (!hold) return fail(hold.error());
      if (!*hold) exit = kCouldNot;
    }
    if (output_failed()) break;
  }
  return exit;
}

}  // namespace

constinit const Verb kVerb = {
    .name = "check",
    .summary = "Check that traces are well formed, and mend them",
    .usage = "[options] TRACE...",
    .description =
        "Every engine relies on these rules: a lock is held by one writer, or by readers, at a time and "
        "released by "
        "its holder; a thread's first event follows its fork, and nothing of it follows its join or end; a "
        "receive "
        "has an earlier send; threads enter a generation of a barrier before any leaves it; atomics have "
        "memory "
        "orders that they can have. Each violation is shown with its event, the earlier event that it "
        "contradicts, "
        "and the name of the rule. The exit code is 0 if all traces are well formed, else 3.\n\n"
        "--repair writes a trace without the violations if each of them can be mended in one way only: "
        "releases of "
        "locks that nobody holds, repeated forks, receives without a send, and misplaced begins and ends are "
        "dropped, "
        "attributes "
        "that mean nothing are cleared. Otherwise nothing is written.\n\n"
        "--witness reads schedules that 'deadheat analyze --witnesses' wrote and checks each by itself, "
        "against the trace alone: whether each thread does a first part of what it did, every read finds "
        "what "
        "it found, locks, forks, joins, messages and barriers are respected, and in the end two conflicting "
        "accesses are both next. The exit code is 0 if all hold. Repeated forks are shown and change nothing "
        "for them.",
    .examples =
        "$ deadheat check run.dht\n"
        "says that it is well formed, or where it is not\n"
        "$ deadheat check --repair run.std -o good.std\n"
        "drops what cannot have meant anything\n"
        "$ deadheat check --witness proofs.json run.dht\n"
        "says whether the races in it can be believed",
    .flags = kFlags,
    .least_positional = 1,
    .run = run,
};

}  // namespace deadheat::cli::cmd_check
