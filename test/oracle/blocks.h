// Events in a vector, as blocks and back: what tests feed to code that takes blocks.
#pragma once

#include <span>
#include <vector>

#include "deadheat/trace.h"
#include "model/block_builder.h"

namespace deadheat::oracle {

// f(block) for consecutive blocks of `size` events.
template <class F>
void for_each_block(std::span<const Event> trace, std::size_t size, F f) {
  model::BlockBuilder builder(size);
  for (std::size_t i = 0; i < trace.size();) {
    const std::size_t first = i;
    builder.clear();
    while (i < trace.size() && !builder.full()) builder.append(trace[i++]);
    f(builder.view(first));
  }
}

inline void append_to(std::vector<Event>& trace, const BlockView& block) {
  for (std::size_t i = 0; i < block.size(); ++i) trace.push_back(block[i]);
}

// A sink that keeps everything.
class MemorySink final : public Sink {
 public:
  Status append(const BlockView& block, const Names& names) override {
    names_ = &names;
    append_to(events, block);
    return {};
  }
  Status finish() override {
    finished = true;
    return {};
  }
  const Names& names() const { return *names_; }

  std::vector<Event> events;
  bool finished = false;

 private:
  const Names* names_ = nullptr;
};

}  // namespace deadheat::oracle
