#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "report/witness_file.h"

namespace deadheat::report {

namespace {

using Json = nlohmann::ordered_json;
using witness::Witness;

// More threads than a trace can have, or more events than it can have, are not read.
constexpr std::uint64_t kMostThreads = std::uint64_t{1} << 24;

Json object_of(const Witness& witness) {
  return {{"earlier", witness.earlier},
          {"later", witness.later},
          {"from", witness.from},
          {"ends", witness.ends},
          {"then", witness.then}};
}

bool is_number(const Json& json) { return json.is_number_unsigned(); }
bool are_numbers(const Json& json) { return json.is_array() && std::ranges::all_of(json, is_number); }

// "": it is one.
std::string wrong_with(const Json& json) {
  if (!json.is_object()) return "is not an object";
  for (const char* name : {"earlier", "later", "from"}) {
    if (!json.contains(name) || !is_number(json[name])) return fmt::format("has no number \"{}\"", name);
  }
  for (const char* name : {"ends", "then"}) {
    if (!json.contains(name) || !are_numbers(json[name])) {
      return fmt::format("has no list of numbers \"{}\"", name);
    }
  }
  return json["ends"].size() > kMostThreads ? "has ends of more threads than there can be" : "";
}

Witness witness_in(const Json& json) {
  return {.earlier = json["earlier"],
          .later = json["later"],
          .from = json["from"],
          .ends = json["ends"].get<std::vector<std::uint64_t>>(),
          .then = json["then"].get<std::vector<std::uint64_t>>()};
}

}  // namespace

Result<Witness> parse_witness(std::string_view json) {
  const Json object = Json::parse(json, nullptr, false);
  if (const std::string wrong = wrong_with(object); !wrong.empty()) return input_error(wrong);
  return witness_in(object);
}

std::string as_json(const Witness& witness) { return object_of(witness).dump(); }

std::string as_witness_file(std::span<const Witness> witnesses, const std::string& trace,
                            std::uint64_t events) {
  std::string out = fmt::format("{{\"version\": 1, \"trace\": {}, \"events\": {}, \"witnesses\": [",
                                Json(trace).dump(-1, ' ', false, Json::error_handler_t::replace), events);
  const char* separator = "\n  ";
  for (const Witness& witness : witnesses) {
    out += separator + as_json(witness);
    separator = ",\n  ";
  }
  return out + "\n]}\n";
}

Result<WitnessFile> read_witness_file(const std::string& path) {
  const auto refuse = [&](const std::string& what) {
    return fail({Error::Kind::input,
                 fmt::format("{}: {}; 'deadheat analyze --witnesses FILE' writes such files", path, what)});
  };
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  const auto file = base::File::open_to_read(path);
  if (!file) return fail(file.error());
  const auto text = file->read_text(kMostBytes);
  if (!text) return fail(text.error());
  const Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded()) return refuse("is not JSON");
  const bool versioned = json.is_object() && json.contains("version") && json["version"] == 1 &&
                         json.contains("events") && is_number(json["events"]);
  const auto has_list = [&](const char* name) {
    return versioned && json.contains(name) && json[name].is_array();
  };
  if (!has_list("witnesses") && !has_list("pairs")) return refuse("is no file of witnesses of version 1");
  std::vector<Json> witnesses;
  if (has_list("witnesses")) witnesses.assign(json["witnesses"].begin(), json["witnesses"].end());
  // What is known of a labelled trace: a witness for each pair that races.
  for (const Json& pair : has_list("pairs") ? json["pairs"] : Json::array()) {
    if (pair.is_object() && pair.contains("witness") && !pair["witness"].is_null()) {
      witnesses.push_back(pair["witness"]);
    }
  }
  WitnessFile out{json["events"].get<std::uint64_t>(), {}};
  for (const Json& one : witnesses) {
    if (const std::string wrong = wrong_with(one); !wrong.empty()) {
      return refuse(fmt::format("witness {} {}", out.witnesses.size() + 1, wrong));
    }
    out.witnesses.push_back(witness_in(one));
  }
  return out;
}

}  // namespace deadheat::report
