// Witnesses of small traces.
#pragma once

#include <vector>

#include "oracle/order.h"
#include "oracle/witness.h"
#include "witness/checker.h"

namespace deadheat::test {

// What the product's judge says of it.
inline witness::Verdict judged(const witness::Witness& witness, oracle::Trace trace,
                               const witness::Demands& demands = {}) {
  witness::Checker checker(witness, demands);
  witness::Before before;
  for (std::size_t i = 0; i < trace.size() && i < witness.last(); ++i) {
    if (i == witness.from) checker.begin(before);
    if (i >= witness.from) checker.see(i, trace[i]);
    before.see(trace[i]);
  }
  const witness::Verdict verdict = checker.verdict();
  if (!verdict.ok() || checker.doubts().empty()) return verdict;
  witness::Doubts doubts(checker.doubts());
  for (std::size_t i = 0; i < trace.size(); ++i) doubts.see(i, trace[i]);
  for (std::size_t i = 0; i < checker.doubts().size(); ++i) {
    if (doubts.confirmed()[i]) return witness::verdict_of(checker.doubts()[i]);
  }
  return verdict;
}

// Its events one by one.
inline std::vector<std::size_t> written_out(const witness::Witness& witness, oracle::Trace trace) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (i < witness.end_of(trace[i].thread)) order.push_back(i);
  }
  order.insert(order.end(), witness.then.begin(), witness.then.end());
  return order;
}

// Whether both judges, the product's and that of the tests, accept it.
inline bool holds(const witness::Witness& witness, oracle::Trace trace,
                  const witness::Demands& demands = {}) {
  return judged(witness, trace, demands).ok() &&
         oracle::WitnessChecker(trace, demands.writes_read)
             .check(written_out(witness, trace), witness.earlier, witness.later)
             .ok();
}

}  // namespace deadheat::test
