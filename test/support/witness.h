// Witnesses of small traces.
#pragma once

#include <vector>

#include "oracle/order.h"
#include "oracle/witness.h"
#include "witness/checker.h"

namespace deadheat::test {

// What the product's judge says of it.
inline witness::Verdict judged(const witness::Witness& witness, oracle::Trace trace) {
  witness::Checker checker(witness);
  witness::Before before;
  for (std::size_t i = 0; i < trace.size() && i < witness.last(); ++i) {
    if (i == witness.from) checker.begin(before);
    if (i >= witness.from) checker.see(i, trace[i]);
    before.see(trace[i]);
  }
  return checker.verdict();
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
inline bool holds(const witness::Witness& witness, oracle::Trace trace) {
  return judged(witness, trace).ok() &&
         oracle::WitnessChecker(trace)
             .check(written_out(witness, trace), witness.earlier, witness.later)
             .ok();
}

}  // namespace deadheat::test
