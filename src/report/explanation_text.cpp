// A column a thread, the racing pair last.
#include <fmt/format.h>

#include <algorithm>

#include "base/format.h"
#include "base/text_layout.h"
#include "report/explanation.h"
#include "report/words.h"

namespace deadheat::report {

namespace {

using base::counted;
using base::grouped;

constexpr std::size_t kNumberWidth = 12;  // of event numbers
constexpr std::size_t kNarrowest = 22;    // a column

std::string bars(const Explanation::Step& step) {
  std::string out;
  for (unsigned i = 0; i < std::min(step.depth, 6u); ++i) out += "| ";
  return out;
}

std::string place_of(const Explanation::Step& step) {
  return step.place.known() ? fmt::format(" at {}", for_people(step.place.text)) : "";
}

std::string apart(const Explanation& x, const base::Terminal& terminal) {
  if (!x.ordered) {
    return base::wrap(
        "In this run nothing kept them apart: no chain of one thread waiting for another leads "
        "from the first access to the second.",
        terminal.width, 2);
  }
  std::string out =
      base::wrap("In this run the second access came after the first because:", terminal.width, 2);
  for (const Explanation::Link& link : x.links) {
    std::string line;
    if (link.wait.kind == EventKind::fork) {
      line =
          fmt::format("{} {}", for_people(link.signal.thread), what_it_did(link.signal.thread, link.signal));
    } else if (link.wait.kind == EventKind::join) {
      line = fmt::format("{} {}", for_people(link.waiter), what_it_did(link.waiter, link.wait));
    } else {
      line = fmt::format("{} {}, and {} waited for that: it {}", for_people(link.signal.thread),
                         what_it_did(link.signal.thread, link.signal), for_people(link.waiter),
                         what_it_did(link.waiter, link.wait));
    }
    out += base::wrap(line, terminal.width, 4);
  }
  return out;
}

std::string fold_line(std::uint64_t folded) {
  return folded == 0 ? "" : fmt::format("{:>{}}  ... {}\n", "", kNumberWidth, counted(folded, "step"));
}

// Cut to the column; the whole is in --format json.
std::string fitted(std::string_view text, std::size_t width) {
  if (text.size() <= width) return fmt::format("{:<{}}", text, width);
  return fmt::format("{}~", text.substr(0, width - 1));
}

// Without folders: "bank.cpp:26:43 (charge_fee)".
std::string_view short_place(std::string_view place) {
  const std::size_t folder = place.substr(0, place.find(' ')).rfind('/');
  return folder == std::string_view::npos ? place : place.substr(folder + 1);
}

std::string in_columns(const Explanation& x, std::size_t width) {
  std::string out = fmt::format("{:>{}}", "event", kNumberWidth);
  for (const std::string& thread : x.threads) out += "  " + fitted(for_people(thread), width);
  out = out.substr(0, out.find_last_not_of(' ') + 1) + '\n';
  for (const Explanation::Step& step : x.steps) {
    out += fold_line(step.folded);
    const std::string lines[] = {step.what,
                                 step.place.known() ? for_people(short_place(step.place.text)) : ""};
    for (std::size_t i = 0; i < 2; ++i) {
      if (lines[i].empty()) continue;
      std::string line = fmt::format("{:>{}}", i == 0 ? grouped(step.event) : "", kNumberWidth);
      line += std::string(step.thread * (width + 2), ' ') + "  " +
              fitted(bars(step) + (i == 0 ? "" : "  ") + lines[i], width);
      out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
  }
  return out;
}

// So many threads that columns would be too narrow.
std::string in_lines(const Explanation& x) {
  std::string out;
  for (const Explanation::Step& step : x.steps) {
    out += fold_line(step.folded);
    out += fmt::format("{:>{}}  {}: {}{}{}\n", grouped(step.event), kNumberWidth,
                       for_people(x.threads[step.thread]), bars(step), step.what, place_of(step));
  }
  return out;
}

}  // namespace

std::string as_text(const Explanation& x, const base::Terminal& terminal) {
  // What is no race has no grade.
  std::string out = fmt::format("{} of {}, {}  [{}]\n", kind_of(x.race), for_people(x.race.variable),
                                standing(x), x.race.fingerprint.short_text());
  for (const Access* access : {&x.race.earlier, &x.race.later}) {
    out += fmt::format("  {} {} {} {}, holding {}\n", for_people(access->thread), verb_of(access->kind),
                       for_people(x.race.variable), at(access->place, access->event), listed(access->locks));
  }
  const bool one_thread = x.state == Explanation::State::same_thread;
  if (!one_thread) out += '\n' + apart(x, terminal);
  if (!x.race.proof) return out + '\n' + base::wrap(x.conclusion, terminal.width, 2);
  out += '\n' +
         base::wrap(x.race.proof->grade == engine::Grade::proved
                        ? "A schedule that the program could have followed, and that brings them together:"
                        : "A schedule that the program could have followed, if the trace has all of its "
                          "accesses, and that brings them together:",
                    terminal.width, 2);
  if (x.as_in_trace > 0) {
    out += fmt::format("{:>{}}  the first {}, as in the trace\n", "", kNumberWidth,
                       counted(x.as_in_trace, "event"));
  }
  const std::size_t room = terminal.width > kNumberWidth ? terminal.width - kNumberWidth : 0;
  const std::size_t width = x.threads.empty() ? 0 : room / x.threads.size();
  out += width >= kNarrowest + 2 ? in_columns(x, width - 2) : in_lines(x);
  out += fmt::format("{:>{}}  Now both accesses are next, in any order or at once: the race.\n", "",
                     kNumberWidth);
  for (const Explanation::Stop& stop : x.stops) {
    out += base::wrap(
        fmt::format("{} does not do {} that it did in the trace before the second access; the first "
                    "of them {}.",
                    for_people(stop.thread), counted(stop.events, "event"), stop.next),
        terminal.width, 2);
  }
  return out;
}

}  // namespace deadheat::report
