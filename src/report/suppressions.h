// Races that somebody decided to live with, in files as ThreadSanitizer reads them:
//
//   # a remark
//   race:pattern        hits if the pattern is found in a function, file, location or module of either access
//                       or of one of its callers, or in the variable's name
//   race_top:pattern    the same, of the two accesses alone
//
// thread, mutex, signal, deadlock and called_from_lib are about other reports: such lines are accepted, and
// said to have no effect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deadheat/result.h"
#include "deadheat/trace.h"
#include "report/pattern.h"
#include "report/race.h"

namespace deadheat::report {

class Suppressions {
 public:
  // Adds the lines of a file. An error names the file and the line.
  Status read(const std::string& path);
  // The same of a text; `file` is what it is called in errors and reports.
  Status parse(std::string_view text, const std::string& file);

  // The first that hits, which is counted; or nullptr.
  const SuppressionUse* hit(const Race& race);
  // Those that hit something since the last start_counting().
  std::vector<SuppressionUse> used() const;
  void start_counting();

  std::vector<Warning> warnings() const { return warnings_; }
  std::size_t size() const { return rules_.size(); }

 private:
  struct Rule {
    Pattern pattern;
    bool top_only;
    SuppressionUse use;
  };
  Status parse_line(std::string_view line, std::uint64_t number, const std::string& file);

  std::vector<Rule> rules_;
  std::vector<Warning> warnings_;
};

}  // namespace deadheat::report
