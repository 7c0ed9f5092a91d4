#include <nlohmann/json.hpp>

#include "report/writers.h"

namespace deadheat::report {

namespace {

using Json = nlohmann::ordered_json;

Json row_json(const engine::Row& row) {
  Json options = Json::array();
  for (const engine::Option& option : row.options) {
    options.push_back({{"option", option.name},
                       {"value", option.value.empty() ? Json() : Json(option.value)},
                       {"help", option.help},
                       {"initial", option.value.empty() ? Json() : Json(option.initial)}});
  }
  return {{"engine", row.name},
          {"citation", row.citation.empty() ? Json() : Json(row.citation)},
          {"promise", row.promise},
          {"notion", name_of(row.notion)},
          {"grade", row.notion == engine::Notion::none ? Json() : Json(name_of(row.grade))},
          {"passes", row.passes},
          {"memory", row.memory},
          {"ignores", row.ignores.empty() ? Json() : Json(row.ignores)},
          {"options", std::move(options)}};
}

}  // namespace

std::string engines_as_json(std::span<const engine::Row> rows) {
  Json list = Json::array();
  for (const engine::Row& row : rows) list.push_back(row_json(row));
  return Json{{"version", 1}, {"engines", std::move(list)}}.dump(2) + "\n";
}

}  // namespace deadheat::report
