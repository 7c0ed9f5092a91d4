#include "filter/registry.h"

#include <fmt/format.h>

#include "filter/addresses.h"
#include "filter/cold.h"
#include "filter/events.h"
#include "filter/periods.h"
#include "filter/rex.h"

namespace deadheat::filter {

namespace {

// Samplers leave out accesses, but not what these order or what is read from them.
std::string_view not_by_accesses(const engine::Row& row) {
  if (row.basis != engine::Basis::accesses) return "";
  return "it judges an access by all that came before, and would be wrong if some of it were left out";
}

std::string_view not_by_happens_before(const engine::Row& row) {
  switch (row.basis) {
    case engine::Basis::nothing:
    case engine::Basis::happens_before:
      return "";
    case engine::Basis::values:
      return "it goes by the write that each read sees, and what is left out may be that write";
    case engine::Basis::locksets:
      return "it goes by the locks held, which differ where rex sees no difference; rex-lockset may stand "
             "there";
    case engine::Basis::accesses:
      return "it judges an access by all that came before, and would be wrong if some of it were left out";
  }
  return "";
}

std::string_view not_by_locksets(const engine::Row& row) {
  switch (row.basis) {
    case engine::Basis::nothing:
    case engine::Basis::locksets:
      return "";
    case engine::Basis::happens_before:
      return "it goes by what locks order, which rex-lockset leaves aside; rex may stand there";
    default:
      return not_by_happens_before(row);
  }
}

constexpr engine::Option kSeed = {
    .name = "seed", .value = "N", .help = "another one leaves out others", .initial = "1"};
constexpr engine::Option kRate = {
    .name = "rate", .value = "P", .help = "the share of accesses that is looked at", .initial = "0.03"};
constexpr engine::Option kMemory = {
    .name = "memory",
    .value = "MIB",
    .help = "32 bytes of it for each variable; accesses to those that it is too small for are all kept",
    .initial = "64"};
constexpr engine::Option kRexWindow = {
    .name = "window",
    .value = "N",
    .help =
        "it is after so many events that it looks whether it leaves out enough to be worth its price, and "
        "if not, rests for a while; 0: it never rests",
    .initial = "65536"};

constexpr engine::Option kEventsOptions[] = {kRate, kSeed};
constexpr engine::Option kAddressesOptions[] = {
    {.name = "rate", .value = "P", .help = "the share of variables that is looked at", .initial = "0.03"},
    {.name = "period",
     .value = "N",
     .help = "other variables after so many events; 0: the same in all of the trace",
     .initial = "0"},
    kSeed,
};
constexpr engine::Option kPeriodsOptions[] = {
    {.name = "rate", .value = "P", .help = "the share of periods that is looked at", .initial = "0.03"},
    {.name = "length", .value = "N", .help = "events in a period", .initial = "10000"},
    kSeed,
};
constexpr engine::Option kWindowsOptions[] = {
    {.name = "rate", .value = "P", .help = "the share of events in windows", .initial = "0.03"},
    {.name = "length", .value = "N", .help = "events in a window", .initial = "10000"},
    kSeed,
};
constexpr engine::Option kColdOptions[] = {
    {.name = "burst", .value = "N", .help = "accesses in a row that are looked at", .initial = "10"},
    {.name = "least", .value = "P", .help = "the rate does not fall below it", .initial = "0.001"},
    kSeed,
};
constexpr engine::Option kSitesOptions[] = {
    {.name = "only",
     .value = "PATTERNS",
     .help = "only at sites that one of these hits, with commas between them; all that is behind the = is of "
             "them",
     .initial = "",
     .takes_rest = true},
    {.name = "ignore",
     .value = "PATTERNS",
     .help = "at all sites but those that one of these hits",
     .initial = "",
     .takes_rest = true},
    {.name = "file",
     .value = "FILE",
     .help = "the same from the lines only:PATTERN and ignore:PATTERN of a file",
     .initial = "",
     .takes_rest = true},
};
constexpr engine::Option kRexOptions[] = {
    kMemory,
    kRexWindow,
    {.name = "cross-thread",
     .value = "",
     .help =
         "also leave out what two other threads did after the same releases, as the paper does: races may "
         "be lost by it",
     .initial = ""},
};
constexpr engine::Option kRexLocksetOptions[] = {kMemory, kRexWindow};

constexpr Row kRows[] = {
    {.name = "rex",
     .role = Role::redundancy,
     .citation = "Huang & Rajagopalan, ECOOP 2017 (ReX)",
     .promise =
         "leaves out an access whose thread did the same at the same place before and passed on nothing "
         "since; the racy variables, and on each the unordered pairs of (site, kind) that race, stay the "
         "same. Which of two sites comes second, and the pairs printed, may change",
     .memory = "32 bytes a variable, up to what is given",
     .options = kRexOptions,
     .refuses = not_by_happens_before,
     .make = make_rex},
    {.name = "rex-lockset",
     .role = Role::redundancy,
     .citation = "Huang & Rajagopalan, ECOOP 2017 (ReX, section 4)",
     .promise =
         "leaves out an access whose thread did the same at the same place with the same locks before and "
         "passed on nothing since but by locks; the racy variables and unordered pairs of (site, kind) of "
         "tsan1 and lockset stay the same",
     .memory = "as rex, and the sets of locks that are met",
     .options = kRexLocksetOptions,
     .refuses = not_by_locksets,
     .make = make_rex_lockset},
    {.name = "events",
     .role = Role::sample,
     .citation = "",
     .promise =
         "each access by itself with the same probability p; a race of one pair is seen with p squared",
     .memory = "constant",
     .options = kEventsOptions,
     .refuses = not_by_accesses,
     .make = make_events},
    {.name = "addresses",
     .role = Role::sample,
     .citation = "",
     .promise = "all accesses to a random share p of the variables; a race is seen with p",
     .memory = "constant",
     .options = kAddressesOptions,
     .refuses = not_by_accesses,
     .make = make_addresses},
    {.name = "periods",
     .role = Role::sample,
     .citation = "Bond, Coons & McKinley, PLDI 2010 (PACER's sampling periods)",
     .promise =
         "all accesses in a random share p of the trace's periods; a race within a period is seen with "
         "p, one across periods with p squared",
     .memory = "constant",
     .options = kPeriodsOptions,
     .refuses = not_by_accesses,
     .make = make_periods},
    {.name = "windows",
     .role = Role::sample,
     .citation = "",
     .promise =
         "all accesses in windows at random places, a share p of the trace; a race of accesses near to "
         "each other is seen with about p, of others with p squared",
     .memory = "constant",
     .options = kWindowsOptions,
     .refuses = not_by_accesses,
     .make = make_windows},
    {.name = "cold",
     .role = Role::sample,
     .citation = "Marino, Musuvathi & Narayanasamy, PLDI 2009 (LiteRace)",
     .promise =
         "the first accesses of each thread and site, then bursts that come less and less often: what is "
         "done seldom is seen, what is done often mostly not. Frees are always looked at",
     .memory = "some 50 bytes a thread and site",
     .options = kColdOptions,
     .refuses = not_by_accesses,
     .make = make_cold},
    {.name = "sites",
     .role = Role::sample,
     .citation = "",
     .promise = "all accesses at places of the program that a list names: by file, line, function or file of "
                "code; a "
                "race is seen if both places are among them",
     .memory = "a bit a site",
     .options = kSitesOptions,
     .refuses = not_by_accesses,
     .make = nullptr,
     .sites = site_patterns},
    {.name = "rpt",
     .role = Role::sample,
     .citation = "Al Thokair, Zhang, Mathur & Viswanathan, POPL 2023",
     .promise =
         "windows at random places, seen as if they were all there is: every race told is one; a trace that "
         "has to be changed in a share eps of its events to be free of races shows one with probability "
         "1 - delta; how many events are read does not depend on the length of the trace",
     .memory = "that of the engine for the longest window",
     .options = kWindowOptions,
     .refuses = windows_refuse,
     .make = nullptr,
     .windows = window_options},
};

std::string_view word_of(Role role) { return role == Role::sample ? "sampler" : "filter"; }

std::string known(Role role) {
  std::string names;
  for (const Row& row : kRows) {
    if (row.role == role) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return names;
}

}  // namespace

std::span<const Row> rows() { return kRows; }

std::string_view flag_of(Role role) { return role == Role::sample ? "sample" : "filter"; }

std::vector<std::string_view> stands_before(const Row& row, std::span<const engine::Row> engines) {
  std::vector<std::string_view> names;
  for (const engine::Row& engine : engines) {
    if (engine.notion != engine::Notion::none && row.refuses(engine).empty()) names.push_back(engine.name);
  }
  return names;
}

Result<std::unique_ptr<Filter>> Choice::make() const {
  if (is_of_sites()) {
    if (sites == nullptr)
      return fail({Error::Kind::usage, name() + ": the names of the trace are not known here"});
    return std::make_unique<Sites>(sites);
  }
  auto filter = row->make(engine::Settings(row->options, values));
  if (!filter) return fail(std::move(filter).error().in(name()));
  return filter;
}

Result<WindowOptions> Choice::windows() const {
  auto options = row->windows(engine::Settings(row->options, values));
  if (!options) return fail(std::move(options).error().in(name()));
  return options;
}

Result<SitePatterns> Choice::site_patterns() const {
  auto patterns = row->sites(engine::Settings(row->options, values));
  if (!patterns) return fail(std::move(patterns).error().in(name()));
  return patterns;
}

Status Choice::check() const {
  if (is_of_sites()) {
    if (auto patterns = site_patterns(); !patterns) return fail(patterns.error());
    return {};
  }
  if (is_of_windows()) {
    if (auto options = windows(); !options) return fail(options.error());
  } else if (auto made = make(); !made) {
    return fail(made.error());
  }
  return {};
}

Result<Choice> choose(std::string_view wanted, Role role) {
  const std::string_view name = engine::name_in(wanted);
  for (const Row& row : kRows) {
    if (row.name != name || row.role != role) continue;
    auto values = engine::values_in(wanted, fmt::format("{} {}", word_of(role), name), row.options);
    if (!values) return fail(values.error());
    Choice choice{&row, std::move(*values)};
    if (auto sound = choice.check(); !sound) return fail({Error::Kind::usage, sound.error().message});
    return choice;
  }
  return fail(
      {Error::Kind::usage, fmt::format("unknown {} '{}'; there are: {}", word_of(role), name, known(role))});
}

}  // namespace deadheat::filter
