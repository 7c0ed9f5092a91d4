#include "engine/registry.h"

#include <fmt/format.h>

#include "clock/copied_clocks.h"
#include "clock/flat_clocks.h"
#include "clock/fresh_clocks.h"
#include "clock/heap.h"
#include "clock/interned_clocks.h"
#include "clock/ordered_list.h"
#include "clock/tree_clocks.h"
#include "clock/versioned_clocks.h"
#include "engine/detector.h"
#include "engine/exact.h"
#include "engine/in_place_detector.h"
#include "engine/osr.h"
#include "engine/pacer.h"
#include "engine/pwr.h"
#include "engine/sampled_detector.h"
#include "engine/shb_ee.h"
#include "engine/syncp.h"
#include "engine/tools.h"
#include "history/epoch_history.h"
#include "history/eraser_history.h"
#include "history/full_history.h"
#include "history/lockset_history.h"
#include "order/happens_before.h"
#include "order/reads_from.h"
#include "order/sampled.h"
#include "order/wcp.h"
#include "order/with_locksets.h"

namespace deadheat::engine {

namespace {

template <class E>
Result<std::unique_ptr<Engine>> make(const Settings&, Shape) {
  return std::make_unique<E>();
}

using clock::CopiedClocks;
using clock::FlatClocks;
using clock::FreshClocks;
using clock::Heap;
using clock::InternedClocks;
using clock::OrderedList;
using clock::TreeClocks;
using clock::VersionedClocks;
using history::ByClocks;
using history::ByThread;
using history::ByValues;
using history::EpochHistory;
using history::EraserHistory;
using history::FullHistory;
using history::LocksetHistory;
using order::HappensBefore;
using order::NoOrder;
using order::ReadsFrom;
using order::Sampled;
using order::Synchronisation;
using order::Wcp;
using order::WithLocksets;

template <class Order, class History, SlotUse kUse = SlotUse::own>
Result<std::unique_ptr<Engine>> make_detector(const Settings&, Shape shape) {
  return std::make_unique<Detector<Order, History, kUse>>(shape);
}

template <class Order, class History>
Result<std::unique_ptr<Engine>> make_in_place(const Settings&, Shape shape) {
  return std::make_unique<InPlaceDetector<Order, History>>(shape);
}

template <class Order>
Result<std::unique_ptr<Engine>> make_sampled(const Settings&, Shape shape) {
  return std::make_unique<SampledDetector<Order, FullHistory>>(shape);
}

constexpr std::string_view kEpochMemory =
    "a record a variable, a clock a lock and living thread; not with the trace's length";

constexpr Row kRows[] = {
    {.name = "fasttrack",
     .citation = "Flanagan & Freund, PLDI 2009",
     .promise =
         "racy variables, and the first racy access of each, are djit's; every report is a race of this run",
     .notion = Notion::unordered,
     .grade = Grade::observed,
     .basis = Basis::happens_before,
     .passes = 1,
     .memory = kEpochMemory,
     .ignores = "",
     .options = {},
     .make = make_detector<HappensBefore<FlatClocks>, EpochHistory, SlotUse::shared>},
    {.name = "fasttrack-tree",
     .citation = "Mathur, Pavlogiannis, Tunc & Viswanathan, ASPLOS 2022 (tree clocks)",
     .promise = "tells exactly what fasttrack tells",
     .notion = Notion::unordered,
     .grade = Grade::observed,
     .basis = Basis::happens_before,
     .passes = 1,
     .memory = "as fasttrack",
     .ignores = "",
     .options = {},
     .make = make_in_place<HappensBefore<TreeClocks>, EpochHistory>},
    {.name = "djit",
     .citation = "Pozniansky & Schuster, CCPE 2007 (DJIT+)",
     .promise = "flags an access if and only if some earlier one is not ordered before it by happens-before",
     .notion = Notion::unordered,
     .grade = Grade::observed,
     .basis = Basis::happens_before,
     .passes = 1,
     .memory = "as fasttrack; more for variables that are racy",
     .ignores = "",
     .options = {},
     .make = make_detector<HappensBefore<FlatClocks>, FullHistory, SlotUse::shared>},
    {.name = "st",
     .citation = "Zhang, Lim, Al Thokair, Mathur & Viswanathan, 2025 (sampling timestamps, algorithm 2)",
     .promise =
         "flags an access if and only if it is in the sample, and some earlier one of the sample is not "
         "ordered before it by happens-before: djit's of the sample; clocks are joined at every acquire and "
         "copied at every release",
     .notion = Notion::unordered,
     .grade = Grade::observed,
     .basis = Basis::happens_before,
     .passes = 1,
     .memory = "as djit of the sample; a clock a lock, thread and atomic",
     .ignores = "",
     .options = {},
     .make = make_sampled<Sampled<CopiedClocks<Heap>>>},
    {.name = "su",
     .citation = "Zhang, Lim, Al Thokair, Mathur & Viswanathan, 2025 (sampling timestamps, algorithm 3)",
     .promise =
         "flags an access if and only if it is in the sample, and some earlier one of the sample is not "
         "ordered before it by happens-before: djit's of the sample; clocks are joined and copied where they "
         "have changed",
     .notion = Notion::unordered,
     .grade = Grade::observed,
     .basis = Basis::happens_before,
     .passes = 1,
     .memory = "as st, twice the clocks",
     .ignores = "",
     .options = {},
     .make = make_sampled<Sampled<FreshClocks<Heap>>>},
    {.name = "so",
     .citation = "Zhang, Lim, Al Thokair, Mathur & Viswanathan, 2025 (sampling timestamps, algorithm 4)",
     .promise =
         "flags an access if and only if it is in the sample, and some earlier one of the sample is not "
         "ordered before it by happens-before: djit's of the sample; clocks are walked as far as they have "
         "changed, and copied at most once for each change; the work grows with the sample, not with the "
         "trace",
     .notion = Notion::unordered,
     .grade = Grade::observed,
     .basis = Basis::happens_before,
     .passes = 1,
     .memory = "as st; locks share the clocks of threads",
     .ignores = "",
     .options = {},
     .make = make_sampled<Sampled<VersionedClocks<OrderedList, Heap>>>},
    {.name = "si",
     .citation = "ours: so's order, with clocks of which equal ones are one",
     .promise =
         "flags an access if and only if it is in the sample, and some earlier one of the sample is not "
         "ordered before it by happens-before: djit's of the sample; equal clocks are one, and what two of "
         "them joined make is remembered; made for small samples, and for all kinds of synchronisation",
     .notion = Notion::unordered,
     .grade = Grade::observed,
     .basis = Basis::happens_before,
     .passes = 1,
     .memory = "as st, or less: who knows the same shares a clock; 4 MiB of clocks to remember",
     .ignores = "",
     .options = {},
     .make = make_sampled<Sampled<InternedClocks<Heap>>>},
    {.name = "pacer",
     .citation = "Bond, Coons & McKinley, PLDI 2010",
     .promise =
         "every report is a race of this run; a pair of which no other access stands for the earlier one is "
         "told if that one is in a sampled period, so with probability `rate`",
     .notion = Notion::unordered,
     .grade = Grade::observed,
     .basis = Basis::happens_before,
     .passes = 1,
     .memory = "as djit of what was sampled",
     .ignores = "",
     .options = kPacerOptions,
     .make = make_pacer},
    {.name = "shb",
     .citation = "Mathur, Kini & Viswanathan, OOPSLA 2018",
     .promise = "every reported pair can be made to meet (co-enabled), also after the first race",
     .notion = Notion::co_enabled,
     .grade = Grade::observed,
     .basis = Basis::values,
     .passes = 1,
     .memory = "as djit; a last write more a variable",
     .ignores = "",
     .options = {},
     .make = make_detector<ReadsFrom<HappensBefore<FlatClocks>>, FullHistory, SlotUse::shared>},
    {.name = "shb-ee",
     .citation = "Sulzmann & Stadtmueller, MPLR 2019 (SHB E+E)",
     .promise =
         "flags what shb flags, and tells all pairs of each, or those that the limit leaves; every one "
         "can be made to meet (co-enabled)",
     .notion = Notion::co_enabled,
     .grade = Grade::observed,
     .basis = Basis::accesses,
     .passes = 1,
     .memory = "as shb, and up to `limit` edges of 24 to 48 bytes a variable; unlimited: so many an access",
     .ignores = "",
     .options = kShbEeOptions,
     .make = make_shb_ee},
    {.name = "wcp",
     .citation = "Kini, Mathur & Viswanathan, PLDI 2017 (weak causal precedence)",
     .promise =
         "flags an access if and only if some earlier one is not ordered before it by weak causal "
         "precedence: "
         "all that djit flags, and more. The first one flagged can meet each of these (co-enabled), or a "
         "deadlock can happen; if locks are properly nested, nothing but accesses is done while holding one "
         "(what else was done is counted), and no value of a relaxed atomic nor memory came from another "
         "thread without synchronisation. All that is told else is a candidate",
     .notion = Notion::candidate,
     .grade = Grade::candidate,
     .basis = Basis::values,
     .passes = 1,
     .memory =
         "as djit; a clock a section that was the last with its lock to access a variable, and a section "
         "with others inside that a thread is not after",
     .ignores = "",
     .options = {},
     .make = make_detector<Wcp, FullHistory, SlotUse::shared>},
    {.name = "syncp",
     .citation = "Mathur, Pavlogiannis & Viswanathan, POPL 2021 (sync-preserving races)",
     .promise =
         "tells exactly the pairs that can be made to meet (co-enabled) by a reordering that keeps the order "
         "in which each lock was taken, or those that the limit leaves",
     .notion = Notion::co_enabled,
     .grade = Grade::candidate,
     .basis = Basis::values,
     .passes = 1,
     .memory =
         "32 to 64 bytes an access and a critical section that some thread is not after, whatever the locks, "
         "and a clock each time a thread learns of another",
     .ignores = "",
     .options = kSyncPOptions,
     .make = make_syncp},
    {.name = "osr",
     .citation = "Shi, Mathur & Pavlogiannis, ICSE 2024 (optimistic sync-reversal races)",
     .promise =
         "tells all that syncp tells, and the pairs that can be made to meet (co-enabled) by a reordering in "
         "which sections that are left open come after others of their lock; or those that limit and tries "
         "leave. Every reported pair can be made to meet",
     .notion = Notion::co_enabled,
     .grade = Grade::candidate,
     .basis = Basis::values,
     .passes = 1,
     .memory = "as syncp, and 8 bytes an event, 8 an access, and 4 for each thread in which something must "
               "follow an "
               "event: with the trace's length",
     .ignores = "",
     .options = kOsrOptions,
     .make = make_osr},
    {.name = "exact",
     .citation = "after Said, Wang, Yang & Sakallah, NFM 2011, and Huang, Meredith & Rosu, PLDI 2014",
     .promise =
         "of a trace that fits in one window tells exactly the pairs that can be made to meet, or those that "
         "limit and timeout leave; of a longer one some of them, each with a schedule that was checked",
     .notion = Notion::co_enabled,
     .grade = Grade::proved,
     .basis = Basis::values,
     .passes = 1,
     .memory = "as the window; 40 bytes a variable, 64 two places that have met",
     .ignores = "",
     .options = kExactOptions,
     .make = make_exact},
    {.name = "pwr-ee",
     .citation = "Sulzmann & Stadtmueller, MPLR 2020 (PWR E+E)",
     .promise =
         "tells all pairs that share no lock and of which the earlier one need not be done when the later "
         "one is next, as far as PWR orders: all that can be made to meet (co-enabled) are among them; with "
         "two threads, and no lock held at the earlier one, each can. With a limit of `pairs`: so many of "
         "each access",
     .notion = Notion::candidate,
     .grade = Grade::candidate,
     .basis = Basis::accesses,
     .passes = 1,
     .memory = "24 to 48 bytes an access, 24 to 48 a critical section, and a clock each time a thread learns "
               "of another",
     .ignores = "",
     .options = kPwrEeOptions,
     .make = make_pwr_ee},
    {.name = "pwr-ee-l",
     .citation = "Sulzmann & Stadtmueller, MPLR 2020 (PWR E+E with limits)",
     .promise =
         "as pwr-ee, but with limits: of edges, which leaves out pairs, and of critical sections, which adds "
         "some that PWR orders",
     .notion = Notion::candidate,
     .grade = Grade::candidate,
     .basis = Basis::accesses,
     .passes = 1,
     .memory = "as shb-ee, and up to `sections` a lock and thread that holds it, a clock each",
     .ignores = "",
     .options = kPwrEeLOptions,
     .make = make_pwr_ee_l},
    {.name = "pwr-l",
     .citation = "Sulzmann & Stadtmueller, MPLR 2020 (PWR without edges)",
     .promise =
         "as pwr-ee-l without edges: of each variable only the last accesses that are not ordered count",
     .notion = Notion::candidate,
     .grade = Grade::candidate,
     .basis = Basis::accesses,
     .passes = 1,
     .memory = "as shb, and up to `sections` a lock and thread that holds it, a clock each",
     .ignores = "",
     .options = kPwrLOptions,
     .make = make_pwr_l},
    {.name = "wdp",
     .citation = "Genc, Roemer, Xu & Bond, OOPSLA 2019 (weak dependently precedes)",
     .promise = "as pwr-ee, as far as WDP orders, which is less than PWR does: all that can be made to meet "
                "(co-enabled) are among its pairs",
     .notion = Notion::candidate,
     .grade = Grade::candidate,
     .basis = Basis::accesses,
     .passes = 1,
     .memory = "as pwr-ee",
     .ignores = "",
     .options = kWdpOptions,
     .make = make_wdp},
    {.name = "tsan1",
     .citation = "Serebryany & Iskhodzhanov, WBIA 2009 (ThreadSanitizer, hybrid state machine)",
     .promise =
         "flags an access if and only if some earlier one shares no lock with it and is not ordered before "
         "it, locks left aside; all predictable pairs are of such accesses",
     .notion = Notion::candidate,
     .grade = Grade::candidate,
     .basis = Basis::locksets,
     .passes = 1,
     .memory = "an access a variable, thread, kind and set of locks; a clock a living thread",
     .ignores = "",
     .options = {},
     .make = make_detector<WithLocksets<Synchronisation<FlatClocks>>, LocksetHistory<ByClocks>>},
    {.name = "tsan1-wrd",
     .citation = "Sulzmann & Stadtmueller, MPLR 2020 (ThreadSanitizer with write-read dependencies)",
     .promise =
         "as tsan1, and what a read finds was written before: all co-enabled pairs are of flagged accesses",
     .notion = Notion::candidate,
     .grade = Grade::candidate,
     .basis = Basis::values,
     .passes = 1,
     .memory = "as tsan1; a last write more a variable",
     .ignores = "",
     .options = {},
     .make = make_detector<WithLocksets<ReadsFrom<Synchronisation<FlatClocks>>>, LocksetHistory<ByValues>>},
    {.name = "lockset",
     .citation = "Dinning & Schonberg, PADD 1991 (lock covers)",
     .promise =
         "flags an access if and only if some earlier one of another thread conflicts and shares no lock",
     .notion = Notion::candidate,
     .grade = Grade::candidate,
     .basis = Basis::locksets,
     .passes = 1,
     .memory = "two accesses a variable, kind and set of locks",
     .ignores = "fork, join, send, recv, barriers, fences, orders of atomics: only locks count",
     .options = {},
     .make = make_detector<WithLocksets<NoOrder>, LocksetHistory<ByThread>>},
    {.name = "eraser",
     .citation = "Savage, Burrows, Nelson, Sobalvarro & Anderson, TOCS 1997",
     .promise =
         "tells where no lock is held at all accesses since a second thread came; some races are not told, "
         "and not all that is told is a race",
     .notion = Notion::candidate,
     .grade = Grade::candidate,
     .basis = Basis::accesses,
     .passes = 1,
     .memory = "a record a variable, a set of locks each time a new one is met",
     .ignores = "fork, join, send, recv, barriers, fences, atomics: the paper knows locks only",
     .options = {},
     .make = make_detector<WithLocksets<NoOrder>, EraserHistory>},
    {.name = "null",
     .citation = "",
     .promise = "reports nothing: what reading the trace alone costs",
     .notion = Notion::none,
     .grade = Grade::candidate,
     .basis = Basis::nothing,
     .passes = 1,
     .memory = "none",
     .ignores = "all kinds: it only reads",
     .options = {},
     .make = make<Null>},
    {.name = "count",
     .citation = "",
     .promise = "reports nothing: counts the events of each kind",
     .notion = Notion::none,
     .grade = Grade::candidate,
     .basis = Basis::nothing,
     .passes = 1,
     .memory = "constant",
     .ignores = "",
     .options = {},
     .make = make<Count>},
    {.name = "print",
     .citation = "",
     .promise = "reports nothing: writes each event to stdout, with ids for names",
     .notion = Notion::none,
     .grade = Grade::candidate,
     .basis = Basis::nothing,
     .passes = 1,
     .memory = "constant",
     .ignores = "",
     .options = {},
     .make = make<Print>},
};

}  // namespace

std::span<const Row> rows() { return kRows; }

const Row* find_row(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::string_view name_of(Notion notion) {
  switch (notion) {
    case Notion::none:
      return "none";
    case Notion::unordered:
      return "unordered";
    case Notion::co_enabled:
      return "co-enabled";
    case Notion::adjacent:
      return "adjacent";
    case Notion::candidate:
      return "candidate";
  }
  return "";
}

std::string_view name_of(Grade grade) {
  switch (grade) {
    case Grade::candidate:
      return "candidate";
    case Grade::predicted:
      return "predicted";
    case Grade::proved:
      return "proved";
    case Grade::observed:
      return "observed";
  }
  return "";
}

std::string Choice::name() const { return spelled(row->name, row->options, values); }

Result<std::unique_ptr<Engine>> Choice::make(Shape shape) const {
  auto engine = row->make(Settings(row->options, values), shape);
  if (!engine) return fail(std::move(engine).error().in(name()));
  return engine;
}

namespace {

std::string known_engines() {
  std::string names;
  for (const Row& row : kRows) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

}  // namespace

Result<Choice> choose(std::string_view wanted) {
  const std::string_view name = name_in(wanted);
  Choice choice{find_row(name), {}};
  if (choice.row == nullptr) {
    return fail(
        {Error::Kind::usage, fmt::format("unknown engine '{}'; there are: {}", name, known_engines())});
  }
  auto values = values_in(wanted, fmt::format("engine {}", name), choice.row->options);
  if (!values) return fail(values.error());
  choice.values = std::move(*values);
  if (auto made = choice.make(); !made) return fail({Error::Kind::usage, made.error().message});
  return choice;
}

}  // namespace deadheat::engine
