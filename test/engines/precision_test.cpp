// Every engine on the precision suite, in one table, beside what was published and what can really happen.
// A change of any number is a change of test/corpus/precision/engines.tsv; DEADHEAT_UPDATE=1 writes it anew.
#include <fstream>
#include <map>
#include <sstream>

#include "deadheat/trace.h"
#include "engines/promises.h"
#include "support/load_trace.h"
#include "support/scratch.h"
#include "support/source_path.h"

namespace deadheat::test {
namespace {

const std::string kFolder = test::source_path("test/corpus/precision/");

struct Case {
  std::string name, published;
  Pairs exact;  // event numbers; a line is an event
  std::vector<Event> trace;
};

std::vector<Event> load(const std::string& name) { return load_trace(kFolder + name + ".std"); }

std::vector<Case> cases() {
  std::vector<Case> found;
  std::istringstream truth(contents(kFolder + "truth.tsv"));
  std::string line;
  std::getline(truth, line);
  while (std::getline(truth, line)) {
    Case c;
    std::istringstream fields(line);
    std::string count, pair;
    fields >> c.name >> c.published >> count;
    while (fields >> pair) {
      std::uint64_t a = 0, b = 0;
      char dash = 0;
      if (std::istringstream(pair) >> a >> dash >> b) c.exact.insert({a - 1, b - 1});
    }
    EXPECT_EQ(std::to_string(c.exact.size()), count) << c.name;
    c.trace = load(c.name);
    found.push_back(std::move(c));
  }
  EXPECT_EQ(found.size(), 33u);
  return found;
}

// "told/right": how many pairs an engine tells, and how many of these can happen.
TEST(Precision, EveryEngineTellsWhatTheTableSays) {
  std::ostringstream table;
  table << "case\tpublished\tpossible";
  for (const engine::Row& row : engine::rows()) {
    if (row.notion != engine::Notion::none) table << '\t' << row.name;
  }
  table << '\n';
  for (const Case& c : cases()) {
    table << c.name << '\t' << c.published << '\t' << c.exact.size();
    for (const engine::Row& row : engine::rows()) {
      if (row.notion == engine::Notion::none) continue;
      const Pairs pairs = pairs_of(run_engine(row.name, c.trace));
      const auto right =
          std::ranges::count_if(pairs, [&](const Pair& pair) { return c.exact.contains(pair); });
      table << '\t' << pairs.size() << '/' << right;
    }
    table << '\n';
  }
  const std::string path = kFolder + "engines.tsv";
  if (std::getenv("DEADHEAT_UPDATE") != nullptr) std::ofstream(path) << table.str();
  EXPECT_EQ(contents(path), table.str());
}

TEST(Precision, ExactTellsAllThatCanHappenAndNothingElse) {
  for (const Case& c : cases()) {
    EXPECT_EQ(pairs_of(run_engine("exact:limit=unlimited", c.trace)), c.exact) << c.name;
  }
}

TEST(Precision, ShbAndShbEeTellNothingThatCannotHappen) {
  for (const Case& c : cases()) {
    for (const char* engine : {"shb", "shb-ee", "shb-ee:limit=unlimited"}) {
      EXPECT_TRUE(oracle::subset(pairs_of(run_engine(engine, c.trace)), c.exact))
          << engine << " on " << c.name;
    }
  }
}

}  // namespace
}  // namespace deadheat::test
