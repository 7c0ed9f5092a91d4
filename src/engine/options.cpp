#include "engine/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/assert.h"

namespace deadheat::engine {

namespace {

template <class Number>
Result<Number> number_in(std::string_view name, const std::string& text, Number least, Number most) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && at == end && value >= least && value <= most) return value;
  return fail(
      {Error::Kind::usage, fmt::format("{} '{}' is not a number from {} to {}", name, text, least, most)});
}

Status set_option(std::vector<std::string>& values, const std::string& part, std::span<const Option> options,
                  std::string_view setting) {
  const std::size_t equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  const auto at = std::ranges::find(options, name, &Option::name);
  const auto usage = [&](const std::string& what) {
    return fail({Error::Kind::usage, fmt::format("{}: {}", part, what)});
  };
  if (at == options.end()) {
    std::string known;
    for (const Option& option : options) known += fmt::format("{}{}", known.empty() ? "" : ", ", option.name);
    return usage(fmt::format("no option '{}'; {}", name, known.empty() ? "it has none" : "it has: " + known));
  }
  if (at->value.empty() != (equals == std::string_view::npos)) {
    return usage(at->value.empty() ? fmt::format("option '{}' takes no value", name)
                                   : fmt::format("option '{}' needs a value: {}:{}={}", name,
                                                 part.substr(part.find(' ') + 1), name, at->value));
  }
  values[static_cast<std::size_t>(at - options.begin())] =
      at->value.empty() ? "yes" : std::string(setting.substr(equals + 1));
  return {};
}

}  // namespace

const std::string& Settings::get(std::string_view name) const {
  const auto at = std::ranges::find(options_, name, &Option::name);
  DEADHEAT_ASSERT(at != options_.end(), "a part asks for its own options");
  return values_[static_cast<std::size_t>(at - options_.begin())];
}

Result<std::uint64_t> Settings::number(std::string_view name, std::uint64_t least, std::uint64_t most) const {
  return number_in(name, get(name), least, most);
}

Result<double> Settings::real(std::string_view name, double least, double most) const {
  return number_in(name, get(name), least, most);
}

Result<std::uint64_t> limit_in(const Settings& settings, std::string_view name, std::string_view of) {
  const std::string& text = settings.get(name);
  if (text == "unlimited") return UINT64_MAX;
  if (const auto limit = settings.number(name, 0, UINT64_MAX)) return *limit;
  return fail({Error::Kind::usage,
               fmt::format("{} '{}' is not a number of {}; say 0 or more, or 'unlimited'", name, text, of)});
}

std::string_view name_in(std::string_view wanted) { return wanted.substr(0, wanted.find(':')); }

Result<std::vector<std::string>> values_in(std::string_view wanted, const std::string& part,
                                           std::span<const Option> options) {
  std::vector<std::string> values;
  for (const Option& option : options) values.emplace_back(option.initial);
  for (std::string_view rest = wanted.substr(name_in(wanted).size()); !rest.empty();) {
    rest.remove_prefix(1);
    const auto option = std::ranges::find(options, rest.substr(0, rest.find_first_of(":=")), &Option::name);
    const bool is_last = option != options.end() && option->takes_rest;
    const std::string_view setting = is_last ? rest : rest.substr(0, rest.find(':'));
    if (auto set = set_option(values, part, options, setting); !set) return fail(set.error());
    rest.remove_prefix(setting.size());
  }
  return values;
}

std::string spelled(std::string_view name, std::span<const Option> options,
                    std::span<const std::string> values) {
  std::string out(name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Option& option = options[i];
    if (values[i] == option.initial) continue;
    out += option.value.empty() ? fmt::format(":{}", option.name)
                                : fmt::format(":{}={}", option.name, values[i]);
  }
  return out;
}

}  // namespace deadheat::engine
