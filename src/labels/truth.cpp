#include "labels/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "labels/text_in.h"
#include "report/witness_file.h"

namespace deadheat::labels {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 64;  // lists in lists: what is kept as it is must be safe to write again

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// What is wrong with a file, and where: "pair 3 has no number \"later\"".
struct Wrong {
  std::string what;
};
template <class T>
using Read = tl::expected<T, Wrong>;
tl::unexpected<Wrong> wrong(std::string what) { return tl::unexpected<Wrong>({std::move(what)}); }

Read<Json> parsed(std::string_view text) {
  bool too_deep = false;
  const auto look = [&](int depth, Json::parse_event_t, Json&) {
    too_deep |= depth > kDeepest;
    return !too_deep;
  };
  try {
    Json json = Json::parse(text, look);
    if (too_deep) return wrong("has lists in lists, too many to be what it should be");
    if (!json.is_object()) return wrong("is not an object of JSON");
    return json;
  } catch (const Json::parse_error& error) {
    return wrong(fmt::format("byte {}: is not JSON", error.byte));
  } catch (const Json::exception&) {  // a number that is too large
    return wrong("is not JSON that can be read");
  }
}

// Fields of an object; the first that is not as it should be is remembered.
class Fields {
 public:
  Fields(const Json& object, std::string of) : object_(object), of_(std::move(of)) {}

  std::uint64_t number(const char* name) {
    const Json* const found = find(name, "number", &Json::is_number_unsigned);
    return found == nullptr ? 0 : found->get<std::uint64_t>();
  }
  bool flag(const char* name) {
    const Json* const found = find(name, "true or false", &Json::is_boolean);
    return found != nullptr && found->get<bool>();
  }
  std::string text(const char* name) {
    const Json* const found = find(name, "text", &Json::is_string);
    return found == nullptr ? "" : found->get<std::string>();
  }
  // The name of a file of the folder.
  std::string file_name(const char* name) {
    std::string found = text(name);
    if (wrong_.empty() && !is_file_name(found))
      wrong_ = fmt::format("{}\"{}\" is not the name of a file", of_, name);
    return found;
  }
  const Json& list(const char* name) {
    static const Json kNone = Json::array();
    const Json* const found = find(name, "list", &Json::is_array);
    return found == nullptr ? kNone : *found;
  }
  const Json& object(const char* name) {
    static const Json kNone = Json::object();
    const Json* const found = find(name, "object", &Json::is_object);
    return found == nullptr ? kNone : *found;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  const Json* find(const char* name, const char* what, bool (Json::*is)() const noexcept) {
    const auto at = object_.find(name);
    if (at != object_.end() && ((*at).*is)()) return &*at;
    if (wrong_.empty()) wrong_ = fmt::format("{}has no {} \"{}\"", of_, what, name);
    return nullptr;
  }

  const Json& object_;
  std::string of_, wrong_;
};

Read<Pair> pair_in(const Json& json, std::size_t number, std::uint64_t events) {
  const std::string of = fmt::format("pair {}: ", number);
  if (!json.is_object()) return wrong(of + "is not an object");
  Fields fields(json, of);
  Pair pair{.earlier = fields.number("earlier"),
            .later = fields.number("later"),
            .race = fields.flag("race"),
            .kind = fields.text("kind"),
            .variable = fields.text("variable"),
            .distance = fields.number("distance"),
            .proof = fields.text("proof")};
  if (!fields.wrong().empty()) return wrong(fields.wrong());
  if (pair.earlier >= pair.later || pair.later >= events) {
    return wrong(fmt::format("{}events {} and {} are not two of {} events in their order", of, pair.earlier,
                             pair.later, events));
  }
  const auto at = json.find("witness");
  if (at == json.end() || at->is_null()) return pair;
  auto witness = report::parse_witness(text_of(*at));
  if (!witness) return wrong(of + "its witness " + witness.error().message);
  if (std::pair(witness->earlier, witness->later) != std::pair(pair.earlier, pair.later)) {
    return wrong(of + "its witness is of another pair");
  }
  pair.witness = std::move(*witness);
  return pair;
}

Read<Truth> truth_in(std::string_view text) {
  const auto json = parsed(text);
  if (!json) return tl::unexpected(json.error());
  Fields fields(*json, "");
  const std::uint64_t version = fields.number("version");
  Truth truth{.trace = fields.file_name("trace"),
              .events = fields.number("events"),
              .complete = fields.flag("complete"),
              .made = text_of(fields.object("made"))};
  const Json& pairs = fields.list("pairs");
  if (!fields.wrong().empty()) return wrong(fields.wrong());
  if (version != 1) return wrong(fmt::format("has version {}; this program reads version 1", version));
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (const Json& one : pairs) {
    auto pair = pair_in(one, truth.pairs.size() + 1, truth.events);
    if (!pair) return tl::unexpected(pair.error());
    if (!seen.insert({pair->earlier, pair->later}).second) {
      return wrong(fmt::format("pair {}: is there twice", truth.pairs.size() + 1));
    }
    truth.pairs.push_back(std::move(*pair));
  }
  return truth;
}

Read<Set> set_in(std::string_view text) {
  const auto json = parsed(text);
  if (!json) return tl::unexpected(json.error());
  Fields fields(*json, "");
  const std::uint64_t version = fields.number("version");
  Set set{.complete = fields.flag("complete"),
          .made_by = fields.text("made_by"),
          .options = text_of(fields.object("options"))};
  const Json& traces = fields.list("traces");
  const Json& counts = fields.object("counts");
  if (!fields.wrong().empty()) return wrong(fields.wrong());
  if (version != 1) return wrong(fmt::format("has version {}; this program reads version 1", version));
  std::set<std::string> seen;
  for (const Json& one : traces) {
    const std::string of = fmt::format("trace {}: ", set.traces.size() + 1);
    if (!one.is_string() || !is_file_name(one.get<std::string>()))
      return wrong(of + "is not the name of a file");
    set.traces.push_back(one.get<std::string>());
    if (!seen.insert(set.traces.back()).second) return wrong(of + "is there twice");
  }
  for (const auto& [name, count] : counts.items()) {
    if (!count.is_number_unsigned()) return wrong(fmt::format("count \"{}\" is not a number", name));
    set.counts[name] = count.get<std::uint64_t>();
  }
  return set;
}

Json made_of(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json::object();
}

std::string line_of(const Pair& pair) {
  std::string out = text_of({{"earlier", pair.earlier},
                             {"later", pair.later},
                             {"race", pair.race},
                             {"kind", pair.kind},
                             {"variable", pair.variable},
                             {"distance", pair.distance},
                             {"proof", pair.proof}});
  out.pop_back();
  return out + ",\"witness\":" + (pair.witness ? report::as_json(*pair.witness) : "null") + "}";
}

}  // namespace

std::string truth_path(std::string_view trace) {
  for (const std::string_view suffix : {".gz", ".zst"}) {
    if (trace.ends_with(suffix)) trace.remove_suffix(suffix.size());
  }
  for (const std::string_view suffix : {".dht", ".std", ".txt"}) {
    if (!trace.ends_with(suffix)) continue;
    trace.remove_suffix(suffix.size());
    break;
  }
  return std::string(trace) + std::string(kTruthSuffix);
}

std::string as_json(const Truth& truth) {
  std::string out =
      fmt::format("{{\"version\": 1, \"trace\": {}, \"events\": {}, \"complete\": {}, \"pairs\": [",
                  text_of(truth.trace), truth.events, truth.complete);
  const char* separator = "\n  ";
  for (const Pair& pair : truth.pairs) {
    out += separator + line_of(pair);
    separator = ",\n  ";
  }
  return out + fmt::format("\n], \"made\": {}}}\n", text_of(made_of(truth.made)));
}

std::string as_json(const Set& set) {
  std::string out = fmt::format(
      "{{\"version\": 1, \"complete\": {}, \"made_by\": {}, \"counts\": {}, \"options\": {}, \"traces\": [",
      set.complete, text_of(set.made_by), text_of(Json(set.counts)), text_of(made_of(set.options)));
  const char* separator = "\n  ";
  for (const std::string& trace : set.traces) {
    out += separator + text_of(trace);
    separator = ",\n  ";
  }
  return out + "\n]}\n";
}

Result<Truth> parse_truth(std::string_view text, const std::string& file) {
  auto truth = truth_in(text);
  if (truth) return std::move(*truth);
  return input_error(fmt::format("{}: {}; a truth is written by 'deadheat inject', docs/evaluate.md says how",
                                 file, truth.error().what));
}

Result<Set> parse_set(std::string_view text, const std::string& file) {
  auto set = set_in(text);
  if (set) return std::move(*set);
  return input_error(
      fmt::format("{}: {}; a set of traces is written by 'deadheat inject', docs/evaluate.md says how", file,
                  set.error().what));
}

Result<Truth> read_truth(const std::string& path) {
  const auto text = read_text(path);
  if (!text) return fail(text.error());
  return parse_truth(*text, path);
}

Result<Set> read_set(const std::string& folder) {
  const std::string path = folder + "/" + std::string(kSetName);
  const auto text = read_text(path);
  if (!text) return fail(text.error());
  return parse_set(*text, path);
}

}  // namespace deadheat::labels
