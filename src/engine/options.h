// Parts that a user chooses by name, and may set: "shb-ee:limit=0:paper". Engines and filters are such.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deadheat/result.h"

namespace deadheat::engine {

struct Option {
  std::string_view name, value, help, initial;  // value: what stands for it in the help; "" is a switch
  bool takes_rest = false;                      // its value may have colons: no other option behind it
};

// Options as given, or as they are initially.
class Settings {
 public:
  Settings(std::span<const Option> options, std::vector<std::string> values)
      : options_(options), values_(std::move(values)) {}
  const std::string& get(std::string_view name) const;
  bool on(std::string_view name) const { return get(name) == "yes"; }  // a switch
  // The same as numbers; a usage error names the option, the text and the range.
  Result<std::uint64_t> number(std::string_view name, std::uint64_t least, std::uint64_t most) const;
  Result<double> real(std::string_view name, double least, double most) const;

 private:
  std::span<const Option> options_;
  std::vector<std::string> values_;
};

// A number, or "unlimited", which is the greatest there is. `of` says in an error what is counted: "edges".
Result<std::uint64_t> limit_in(const Settings& settings, std::string_view name, std::string_view of);

// The name in front of the first colon.
std::string_view name_in(std::string_view wanted);
// What is behind it, as values of the options. `part` is what the thing is called: "engine fasttrack".
Result<std::vector<std::string>> values_in(std::string_view wanted, const std::string& part,
                                           std::span<const Option> options);
// The name with the options that differ from the initial ones, as a user would write it.
std::string spelled(std::string_view name, std::span<const Option> options,
                    std::span<const std::string> values);

}  // namespace deadheat::engine
