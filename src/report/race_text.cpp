// A report to read: what, where, what each side held and did, why nothing orders them, how often.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings.h"
#include "base/format.h"
#include "base/shown.h"
#include "base/text_layout.h"
#include "report/why.h"
#include "report/words.h"
#include "report/writers.h"

namespace deadheat::report {

namespace {

using analysis::Around;
using base::counted;
using base::grouped;
using engine::Grade;

constexpr Grade kBestFirst[] = {Grade::observed, Grade::proved, Grade::predicted, Grade::candidate};

enum class Ink : std::uint8_t { bold = 1, faint = 2, red = 31, yellow = 33 };

std::string painted(std::string_view text, Ink ink, const base::Terminal& terminal) {
  return terminal.colour ? fmt::format("\033[{}m{}\033[0m", static_cast<unsigned>(ink), text)
                         : std::string(text);
}

Ink ink_of(Grade grade) { return grade == Grade::candidate ? Ink::yellow : Ink::red; }

// " (4 bytes from byte 2)"; "" where the trace does not know.
std::string extent(const Access& access) {
  if (access.size == 0) return "";
  if (access.offset == 0) return fmt::format(" ({})", counted(access.size, "byte"));
  return fmt::format(" ({} from byte {})", counted(access.size, "byte"), access.offset);
}

std::string locks_line(const Access& access, Around around) {
  if (access.locks.empty()) {
    return around == Around::trace ? "    held no lock\n" : "    held no lock that its window shows\n";
  }
  std::string out;
  for (const HeldLock& lock : access.locks) {
    out += fmt::format("    held lock {}{}, acquired {}\n", for_people(lock.name),
                       lock.mode == model::HeldLocks::Mode::shared ? " as reader" : "",
                       at(lock.acquired, lock.event));
  }
  return out;
}

// What starts threads and programs, at the far end, is counted only.
std::string callers(std::span<const Place> stack) {
  std::size_t end = stack.size();
  while (end > 1 && is_of_system(stack[end - 1])) --end;
  std::string out;
  for (std::size_t i = 1; i < end; ++i) {
    out += fmt::format("    called from {}\n", for_people(stack[i].text));
  }
  if (end < stack.size()) {
    out += fmt::format("    called from the system's code ({})\n", counted(stack.size() - end, "frame"));
  }
  return out;
}

// "by main at bank.c:53 (main), event 2", and who called that.
std::string made(const Made& made) {
  const std::span<const Place> stack = std::span(made.stack).subspan(first_of_program(made.stack));
  const Place place = stack.empty() ? Place{} : stack.front();
  return fmt::format("by {} {}\n{}", for_people(made.by), at(place, made.event), callers(stack));
}

// What the variable is, where there is more to say of it than its name.
std::string memory_lines(const Race& race) {
  if (const auto& block = race.memory.block) {
    const std::string size =
        block->size == 0 ? "a block" : fmt::format("a block of {}", counted(block->size, "byte"));
    return fmt::format("  {} is at byte {} of {}, allocated {}", for_people(race.variable),
                       grouped(block->offset), size, made(block->allocated));
  }
  if (const auto& global = race.memory.global) {
    const std::string declared =
        global->declared.known() ? fmt::format(", declared at {}", for_people(global->declared.text)) : "";
    return fmt::format("  {} is a global variable of {}{}\n", for_people(global->name),
                       for_people(std::string_view(global->module).substr(global->module.rfind('/') + 1)),
                       declared);
  }
  if (!race.memory.stack_of.empty()) {
    return fmt::format("  {:#x} is on the stack of {}\n", *race.memory.address,
                       for_people(race.memory.stack_of));
  }
  return "";
}

bool same_place(const Made& one, const Made& other) {
  return one.by == other.by && std::ranges::equal(one.stack, other.stack, {}, &Place::text, &Place::text);
}

std::string creation_lines(const Race& race) {
  const auto &one = race.earlier.created, &other = race.later.created;
  std::string out;
  if (one && other && race.earlier.thread != race.later.thread && same_place(*one, *other)) {
    const Made& first = one->event < other->event ? *one : *other;
    return fmt::format("  {} and {} were created {}", for_people(race.earlier.thread),
                       for_people(race.later.thread), made(first));
  }
  for (const Access* access : {&race.earlier, &race.later}) {
    if (!access->created) continue;
    out += fmt::format("  {} was created {}", for_people(access->thread), made(*access->created));
  }
  return out;
}

std::string side(const Access& access, const Race& race, const base::Terminal& terminal) {
  std::string out = fmt::format("  {} {} {}{}", painted(for_people(access.thread), Ink::bold, terminal),
                                verb_of(access.kind), for_people(race.variable), extent(access));
  out += access.place.known()
             ? fmt::format(" at {}", painted(for_people(access.place.text), Ink::bold, terminal))
             : ", at a place that the trace does not tell";
  out += fmt::format(", event {}\n", grouped(access.event));
  out += callers(access.stack);
  if (race.around == Around::pair) return out;
  out += locks_line(access, race.around);
  out += fmt::format("    last synchronised before: {}\n",
                     access.last_sync               ? what_it_did(access.thread, *access.last_sync)
                     : race.around == Around::trace ? "never"
                                                    : "not in its window");
  return out;
}

// That it can be shown, and how to see it.
std::string proof_line(const Race& race, const base::Terminal& terminal) {
  if (race.consequence) {
    return base::wrap(
        "No other order of the same events brings the two accesses together, as long as every read finds "
        "what it "
        "found: this one may be there only because of another race. Mend the others first.",
        terminal.width, 2);
  }
  if (!race.proof) return "";
  const witness::Witness& witness = race.proof->witness;
  const bool same = witness.earlier == race.earlier.event && witness.later == race.later.event;
  const std::string which = same ? "the two accesses"
                                 : fmt::format("two such accesses, events {} and {},",
                                               grouped(witness.earlier), grouped(witness.later));
  return base::wrap(
      fmt::format(
          "{}, made of the events of the trace and checked, brings {} together: 'deadheat explain TRACE {}' "
          "shows it.",
          race.proof->grade == Grade::proved ? "Proof: a schedule that the program could have followed"
                                             : "Prediction: a schedule that the program could have followed "
                                               "if the trace has all of its accesses",
          which, race.fingerprint.short_text()),
      terminal.width, 2);
}

// "3 times by fasttrack, once by shb; on 2 variables"
std::string seen(const Race& race) {
  std::string out = "  Seen ";
  std::string separator;
  for (const ToldBy& told : race.engines) {
    out += fmt::format("{}{} by {}", separator,
                       told.instances == 1 ? "once" : grouped(told.instances) + " times", told.engine);
    separator = ", ";
  }
  if (race.variables <= 1) return out + ".\n";
  return out + fmt::format(", on {}{}.\n", race.variables >= analysis::kVariablesCounted ? "at least " : "",
                           counted(race.variables, "variable"));
}

std::string race_text(const Race& race, std::size_t number, const base::Terminal& terminal) {
  const std::string title =
      fmt::format("Race {}: {} of {}", number, kind_of(race), for_people(race.variable));
  std::string out =
      fmt::format("{}, {}  {}\n", painted(title, Ink::bold, terminal),
                  painted(name_of(race.grade), ink_of(race.grade), terminal),
                  painted(fmt::format("[{}]", race.fingerprint.short_text()), Ink::faint, terminal));
  out += side(race.earlier, race, terminal) + side(race.later, race, terminal);
  out += memory_lines(race) + creation_lines(race);
  const std::string_view label = race.grade == Grade::candidate  ? "Why it is suspected: "
                                 : race.grade != Grade::observed ? "Why nothing keeps them apart: "
                                                                 : "Why nothing orders them: ";
  out += base::wrap(fmt::format("{}{}", label, race.why), terminal.width, 2) + proof_line(race, terminal);
  return out + seen(race) + '\n';
}

// "3 races (2 observed, 1 candidate)"
std::string count_by_grade(const Report& report) {
  if (report.found() == 0) return "no race";
  std::string grades;
  for (const Grade grade : kBestFirst) {
    const std::uint64_t count = report.by_grade[static_cast<std::size_t>(grade)];
    if (count == 0) continue;
    grades += fmt::format("{}{} {}", grades.empty() ? "" : ", ", grouped(count), name_of(grade));
  }
  return fmt::format("{} ({})", counted(report.found(), "race"), grades);
}

std::string summary(const Report& report, const base::Terminal& terminal) {
  std::string names;
  for (const EngineReport& engine : report.engines) names += (names.empty() ? "" : ", ") + engine.name;
  const bool looked = std::ranges::any_of(
      report.engines, [](const EngineReport& engine) { return engine.notion != engine::Notion::none; });
  const std::string found = looked ? count_by_grade(report) : "no race was looked for";
  return fmt::format("{}: {} in {}; engine{} {}\n", base::shown(report.trace, 1000),
                     painted(found, Ink::bold, terminal), counted(report.events, "event"),
                     report.engines.size() == 1 ? "" : "s", names);
}

// What is not in the list above, and why.
std::string left_out(const Report& report) {
  std::string out;
  if (report.is_incomplete) {
    out += "  The trace is incomplete: nothing is known of what came after these events.\n";
  }
  if (report.not_shown() > 0) {
    out += fmt::format("  {} more, not shown (--max, --first)\n", grouped(report.not_shown()));
  }
  if (report.pairs_not_kept > 0) {
    out +=
        fmt::format("  {} of accesses race besides, and are not among these: there are too many (--memory)\n",
                    base::counted(report.pairs_not_kept, "pair"));
  }
  if (report.passed_over > 0) {
    out += fmt::format("  {} more, passed over (--only, --ignore)\n", grouped(report.passed_over));
  }
  for (const SuppressionUse& use : report.suppressions) {
    out += fmt::format("  {} more, suppressed by {}:{}: {}\n", grouped(use.races),
                       base::shown(use.file, 1000), use.line, for_people(use.text));
  }
  return out;
}

std::string counted_by(std::span<const engine::Counter> counters) {
  std::string line;
  for (const engine::Counter& counter : counters) {
    if (counter.value == 0) continue;
    line += fmt::format("{}{} {}", line.empty() ? "" : ", ", counter.name, grouped(counter.value));
  }
  return line;
}

// "  events:rate=0.1: left out 900 of 1,000 accesses (90.0 %)"
std::string filters(const Report& report) {
  std::string out;
  for (const FilterReport& filter : report.filters) {
    const std::uint64_t dropped = filter.seen - filter.kept;
    out +=
        fmt::format("  {}: left out {} of {} accesses", filter.name, grouped(dropped), grouped(filter.seen));
    if (filter.seen > 0) {
      out +=
          fmt::format(" ({:.1f} %)", 100.0 * static_cast<double>(dropped) / static_cast<double>(filter.seen));
    }
    const std::string line = counted_by(filter.counters);
    out += fmt::format("{}{}\n", line.empty() ? "" : "; ", line);
  }
  return out;
}

// "  rpt:eps=0.01: looked at 1,234 windows, 19,763,000 events (19.8 %); read 71.0 MiB of 350.2 MiB"
std::string looked_at(const Report& report) {
  const WindowsReport& w = *report.windows;
  if (w.whole) {
    return fmt::format("  {}: looked at all {}; so short a trace is not sampled\n", w.name,
                       counted(report.events, "event"));
  }
  std::string out = fmt::format("  {}: looked at {}, {} of {} events ({:.1f} %)", w.name,
                                counted(w.windows, "window"), grouped(w.events), grouped(report.events),
                                100.0 * static_cast<double>(w.events) / static_cast<double>(report.events));
  if (w.file_bytes > 0)
    out += fmt::format("; read {} of {}", base::byte_count(w.bytes_read), base::byte_count(w.file_bytes));
  return out +
         fmt::format("\n    drawn: {} of {} events, for m = {}, eps = {}, delta = {:.4g}, seed = {}{}\n",
                     counted(w.drawn, "window"), grouped(w.length), grouped(w.m), w.eps, w.delta, w.seed,
                     w.one_pass ? "; in one pass" : "");
}

// What it means that there was no race.
std::string silence(const Report& report) {
  const WindowsReport& w = *report.windows;
  if (w.whole || report.found() + report.suppressed + report.passed_over > 0) return "";
  if (w.cut_short) return "    time was up before enough was seen to say what that means\n";
  if (w.probability == 0) return "    too few windows were long enough to say what that means\n";
  std::string out = fmt::format(
      "No race was found: a trace of {} that has to be changed in {} of them or more ({:.4g} %) to be free "
      "of "
      "races would have shown one with probability {:.4g} at least.",
      counted(report.events, "event"), grouped(w.edits), 100 * w.eps, w.probability);
  return out;
}

std::string windows(const Report& report, const base::Terminal& terminal) {
  if (!report.windows) return "";
  const std::string meaning = silence(report);
  return looked_at(report) +
         (meaning.empty() || meaning.back() == '\n' ? meaning : base::wrap(meaning, terminal.width, 4));
}

std::string counters(const Report& report) {
  std::string out;
  for (const EngineReport& engine : report.engines) {
    const std::string line = counted_by(engine.counters);
    if (!line.empty()) out += fmt::format("  {}: {}\n", engine.name, line);
  }
  return out;
}

// "  proofs: of 12 races 9 are proved; 1 is refuted ..."
std::string proving(const Report& report, const base::Terminal& terminal) {
  if (!report.proving) return "";
  const analysis::ProvingRun& run = *report.proving;
  std::string out;
  const auto say = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : "; ", grouped(count), what);
  };
  say(run.proved, "shown by a schedule");
  say(run.refuted, "refuted and left out: no order of the events of this trace brings the accesses together");
  say(run.consequences, "observed, but maybe only because of another race");
  say(run.not_found, "open: no schedule was found in the windows that were looked at");
  say(run.too_far, "open: the accesses are too far apart to look at all between them");
  say(run.time_is_up, "open: the time was up (--budget)");
  say(run.grouped,
      "not looked for: they differ only by their lines from races on the same variable that were looked at");
  say(run.not_kept, "open: a schedule was found that does not keep to the gaps of the trace");
  say(run.rejected, "with a schedule that did not pass the check, which is a bug: please report it");
  return out.empty() ? "" : base::wrap(fmt::format("proofs: {}.", out), terminal.width, 2);
}

// Why a schedule is no proof, where one was looked for.
std::string completeness(const Report& report, const base::Terminal& terminal) {
  if (report.completeness.declared || !report.proving || report.found() == 0) return "";
  std::string why;
  for (std::size_t i = 0; i < kOmissions; ++i) {
    if ((report.completeness.omissions & static_cast<std::uint32_t>(omission(i))) == 0) continue;
    why += fmt::format("{}{}", why.empty() ? "" : "; ", meaning_of(omission(i)));
  }
  if (why.empty()) why = "it does not say";
  return base::wrap(fmt::format("whether the trace has all accesses is not known: {}.", why), terminal.width,
                    2);
}

std::string grades_explained(const Report& report, const base::Terminal& terminal) {
  std::string out;
  for (const Grade grade : kBestFirst) {
    if (report.by_grade[static_cast<std::size_t>(grade)] == 0) continue;
    out += base::wrap(fmt::format("{}: {}.", name_of(grade), meaning_of(grade)), terminal.width, 2);
  }
  return out;
}

}  // namespace

std::string as_text(const Report& report, const base::Terminal& terminal) {
  std::string out;
  for (std::size_t i = 0; i < report.races.size(); ++i) out += race_text(report.races[i], i + 1, terminal);
  return out + summary(report, terminal) + left_out(report) + windows(report, terminal) + filters(report) +
         counters(report) + proving(report, terminal) + completeness(report, terminal) +
         grades_explained(report, terminal);
}

}  // namespace deadheat::report
