#include "filter/registry.h"

#include <fmt/format.h>

#include "filter/events.h"

namespace deadheat::filter {

namespace {

// Samplers leave out accesses, but not what these order or what is read from them.
std::string_view not_by_accesses(const engine::Row& row) {
  if (row.basis != engine::Basis::accesses) return "";
  return "it judges an access by all that came before, and would be wrong if some of it were left out";
}

constexpr engine::Option kEventsOptions[] = {
    {.name = "rate", .value = "P", .help = "the share of accesses that is looked at", .initial = "0.03"},
    {.name = "seed", .value = "N", .help = "of chance", .initial = "1"},
};

constexpr Row kRows[] = {
    {.name = "events",
     .role = Role::sample,
     .citation = "",
     .promise =
         "each access by itself with the same probability p; a race of one pair is seen with p squared",
     .memory = "constant",
     .options = kEventsOptions,
     .refuses = not_by_accesses,
     .make = make_events},
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

std::string_view flag_of(Role role) { return role == Role::sample ? "sample" : "filter"; }

std::string known(Role role) {
  std::string names;
  for (const Row& row : kRows) {
    if (row.role == role) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return names;
}

}  // namespace

std::span<const Row> rows() { return kRows; }

Result<std::unique_ptr<Filter>> Choice::make() const {
  auto filter = row->make(engine::Settings(row->options, values));
  if (!filter) return fail(std::move(filter).error().in(name()));
  return filter;
}

Result<WindowOptions> Choice::windows() const {
  auto options = row->windows(engine::Settings(row->options, values));
  if (!options) return fail(std::move(options).error().in(name()));
  return options;
}

Status Choice::check() const {
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
    auto values = engine::values_in(wanted, fmt::format("{} {}", flag_of(role), name), row.options);
    if (!values) return fail(values.error());
    Choice choice{&row, std::move(*values)};
    if (auto sound = choice.check(); !sound) return fail({Error::Kind::usage, sound.error().message});
    return choice;
  }
  return fail(
      {Error::Kind::usage, fmt::format("unknown {} '{}'; there are: {}", flag_of(role), name, known(role))});
}

}  // namespace deadheat::filter
