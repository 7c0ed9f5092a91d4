// Engines over windows, each of which they see as if it were all there is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/analyze.h"
#include "analysis/race_log.h"
#include "analysis/window_events.h"
#include "filter/chain.h"
#include "model/well_formed.h"

namespace deadheat::analysis {

class WindowRunner {
 public:
  // Of the filters those that are not of windows. `also` is told of every pair besides.
  explicit WindowRunner(const AnalyzeOptions& options, engine::RaceSink* also = nullptr);

  // A window begins at this event: nothing is known any more.
  Status begin(std::uint64_t event);
  // What is in `events`, numbered.
  Status feed(WindowEvents& events);
  void end(const WindowEvents& events);

  // After some windows:
  const std::vector<RaceLog>& logs() const { return logs_; }  // by engine
  std::uint64_t pairs() const;
  // Adds what it did to the findings; these are the same whoever ran which window.
  void add_to(Findings& findings) const;

 private:
  Status check_rules(engine::SortedBlock& block);

  const AnalyzeOptions& options_;
  engine::RaceSink* also_;
  std::vector<filter::Choice> filters_;
  std::vector<RaceLog> logs_;
  std::vector<EngineRun> engine_runs_;
  std::vector<FilterRun> filter_runs_;

  // Of the window in hand.
  bool from_start_ = false;  // of the trace
  std::vector<std::unique_ptr<engine::Engine>> engines_;
  std::unique_ptr<filter::Chain> chain_;
  std::unique_ptr<model::WellFormed> rules_;
  engine::SortedBlock block_;
};

}  // namespace deadheat::analysis
