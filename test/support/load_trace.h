// A trace of the corpus as events in memory.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "oracle/blocks.h"

namespace deadheat::test {

inline std::vector<Event> load_trace(const std::string& path) {
  std::vector<Event> trace;
  auto source = open_source(path);
  EXPECT_TRUE(source) << source.error().message;
  while (source) {
    const auto block = (*source)->next();
    EXPECT_TRUE(block) << block.error().message;
    if (!block || *block == nullptr) break;
    oracle::append_to(trace, **block);
  }
  return trace;
}

}  // namespace deadheat::test
