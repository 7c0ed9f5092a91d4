// What is known of the races of a trace: a file beside it, and a file that says whether the folder has all of
// its traces. docs/evaluate.md says what is in them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deadheat/result.h"
#include "witness/witness.h"

namespace deadheat::labels {

// Two accesses, by event number.
struct Pair {
  std::uint64_t earlier = 0, later = 0;
  bool race = true;               // false: it is known that no correct reordering brings them together
  std::string kind{};             // "write-write"; "": not said
  std::string variable{};         // as the trace names it; "": not said
  std::uint64_t distance = 0;     // events between the two
  std::string proof = "witness";  // how it is known: "witness", "exact", "observed", "published"
  std::optional<witness::Witness> witness{};

  friend bool operator==(const Pair&, const Pair&) = default;
};

// Of one trace.
struct Truth {
  std::string trace;  // name of its file, without a folder
  std::uint64_t events = 0;
  bool complete = false;  // all its races are among the pairs
  std::vector<Pair> pairs{};
  std::string made = "{}";  // an object of JSON: from what, and how; any keys

  friend bool operator==(const Truth&, const Truth&) = default;
};

// Of a folder.
struct Set {
  bool complete = false;  // all its traces are there
  std::string made_by{};
  std::vector<std::string> traces{};  // names of files, without a folder
  std::map<std::string, std::uint64_t> counts{};
  std::string options = "{}";  // an object of JSON

  friend bool operator==(const Set&, const Set&) = default;
};

inline constexpr std::string_view kSetName = "set.json";
inline constexpr std::string_view kTruthSuffix = ".truth.json";

// "a/run.truth.json" for "a/run.std", "a/run.dht", "a/run.std.gz".
std::string truth_path(std::string_view trace);

// Files of JSON.
std::string as_json(const Truth& truth);
std::string as_json(const Set& set);

// Errors name the file and the place in it. What is read can be written, and is the same then.
Result<Truth> parse_truth(std::string_view text, const std::string& file);
Result<Set> parse_set(std::string_view text, const std::string& file);
Result<Truth> read_truth(const std::string& path);
Result<Set> read_set(const std::string& folder);

}  // namespace deadheat::labels
