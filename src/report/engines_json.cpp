#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/writers.h"

namespace deadheat::report {

namespace {

using Json = nlohmann::ordered_json;

Json options_json(std::span<const engine::Option> options) {
  Json list = Json::array();
  for (const engine::Option& option : options) {
    list.push_back({{"option", option.name},
                    {"value", option.value.empty() ? Json() : Json(option.value)},
                    {"help", option.help},
                    {"initial", option.value.empty() ? Json() : Json(option.initial)}});
  }
  return list;
}

Json row_json(const engine::Row& row) {
  return {{"engine", row.name},
          {"citation", row.citation.empty() ? Json() : Json(row.citation)},
          {"promise", row.promise},
          {"notion", name_of(row.notion)},
          {"grade", row.notion == engine::Notion::none ? Json() : Json(name_of(row.grade))},
          {"passes", row.passes},
          {"memory", row.memory},
          {"ignores", row.ignores.empty() ? Json() : Json(row.ignores)},
          {"options", options_json(row.options)}};
}

Json filter_json(const filter::Row& row, std::span<const engine::Row> engines) {
  return {{"filter", row.name},
          {"flag", fmt::format("--{}", filter::flag_of(row.role))},
          {"citation", row.citation.empty() ? Json() : Json(row.citation)},
          {"promise", row.promise},
          {"memory", row.memory},
          {"before", filter::stands_before(row, engines)},
          {"options", options_json(row.options)}};
}

}  // namespace

std::string engines_as_json(std::span<const engine::Row> rows, std::span<const filter::Row> filters) {
  Json list = Json::array(), before = Json::array();
  for (const engine::Row& row : rows) list.push_back(row_json(row));
  for (const filter::Row& row : filters) before.push_back(filter_json(row, rows));
  return Json{{"version", 1}, {"engines", std::move(list)}, {"filters", std::move(before)}}.dump(2) + "\n";
}

}  // namespace deadheat::report
