#include "engine/tools.h"

#include <gtest/gtest.h>

namespace deadheat::engine {
namespace {

TEST(Print, SaysAllOfAnEventThatEnginesSee) {
  EXPECT_EQ(line_of(17, {ThreadId{2}, {.kind = EventKind::read, .site = SiteId{45}}, 3}), "17 T2|r(V3)|45");
  EXPECT_EQ(line_of(0, {ThreadId{0}, {.kind = EventKind::acquire}, 1}), "0 T0|acq(L1)|");
  EXPECT_EQ(line_of(1, {ThreadId{0}, {.kind = EventKind::fork}, 1}), "1 T0|fork(T1)|");
  EXPECT_EQ(line_of(2, {ThreadId{0},
                        {.kind = EventKind::atomic_load,
                         .order = MemoryOrder::acquire,
                         .offset = 4,
                         .site = SiteId{7},
                         .value = 2},
                        9}),
            "2 T0|aload(V9)|7|acquire|size=2|offset=4");
  EXPECT_EQ(line_of(3, {ThreadId{0}, {.kind = EventKind::fence, .order = MemoryOrder::seq_cst}, 0}),
            "3 T0|fence()||seq_cst");
}

}  // namespace
}  // namespace deadheat::engine
