// A sink that keeps its events, and says whether they keep the rules of a trace.
#pragma once

#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "model/well_formed.h"

namespace deadheat::test {

class KeptTrace final : public Sink {
 public:
  Status append(const BlockView& block, const Names& names) override {
    BlockView numbered = block;
    numbered.first = events_.size();
    rules_.feed(numbered);
    for (std::size_t i = 0; i < block.size(); ++i) events_.push_back(block[i]);
    if (faults_.empty() && !rules_.kept().empty()) faults_ = model::describe(rules_.kept()[0], names);
    return {};
  }
  Status finish() override { return {}; }

  const std::vector<Event>& events() const { return events_; }
  const std::string& faults() const { return faults_; }  // the first; "" if there is none
  // "0:acq 1  1:w 8": thread, kind and object of each.
  std::string text() const {
    std::string out;
    for (const Event& e : events_) {
      if (!out.empty()) out += "  ";
      out += std::to_string(index(e.thread)) + ":" + std::string(name_of(e.op.kind));
      if (object_kind(e.op.kind) != ObjectKind::none) out += " " + std::to_string(e.object);
    }
    return out;
  }

 private:
  std::vector<Event> events_;
  model::WellFormed rules_;
  std::string faults_;
};

}  // namespace deadheat::test
