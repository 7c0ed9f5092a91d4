// The one place where an engine is announced. The command line, the documents and the conformance tests read
// it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deadheat/result.h"
#include "engine/engine.h"
#include "engine/options.h"

namespace deadheat::engine {

// What a reported pair is.
enum class Notion : std::uint8_t {
  none,        // not a detector
  unordered,   // the two accesses of this run are not ordered by happens-before
  co_enabled,  // some correct reordering leaves both accesses next in their threads
  adjacent,    // some correct reordering has one right before the other
  candidate,   // a suspicion: nothing is proved
};
std::string_view name_of(Notion notion);

// How sure a report is.
enum class Grade : std::uint8_t { candidate, predicted, proved, observed };
std::string_view name_of(Grade grade);

// What an engine's verdict on an access rests on, besides the access: what may be left out before it follows.
enum class Basis : std::uint8_t {
  nothing,         // not a detector
  happens_before,  // synchronisation
  values,          // and which write each read sees
  locksets,        // the locks held, and what orders besides locks
  accesses,        // all accesses before: what is kept of them decides about the next
};

struct Row {
  std::string_view name;
  std::string_view citation;
  std::string_view promise;  // for every well-formed trace
  Notion notion;
  Grade grade;  // of its reports
  Basis basis;
  unsigned passes;
  std::string_view memory;   // how it grows
  std::string_view ignores;  // event kinds, and why; "" is none
  std::span<const Option> options;
  Result<std::unique_ptr<Engine>> (*make)(const Settings&, Shape);
};

std::span<const Row> rows();
const Row* find_row(std::string_view name);

// An engine as a user asks for it: "fasttrack", "shb-ee:limit=0".
struct Choice {
  const Row* row;
  std::vector<std::string> values;  // of row->options
  std::string name() const;         // with the options that differ from the initial ones

  Result<std::unique_ptr<Engine>> make(Shape shape = {}) const;
};
Result<Choice> choose(std::string_view wanted);

}  // namespace deadheat::engine
