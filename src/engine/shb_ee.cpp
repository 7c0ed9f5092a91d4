#include "engine/shb_ee.h"

#include "clock/flat_clocks.h"
#include "engine/edge_detector.h"
#include "order/happens_before.h"
#include "order/reads_from.h"

namespace deadheat::engine {

Result<std::unique_ptr<Engine>> make_shb_ee(const Settings& settings, Shape shape) {
  const auto limit = limit_in(settings, "limit", "edges");
  if (!limit) return fail(limit.error());
  using Order = order::ReadsFrom<order::HappensBefore<clock::FlatClocks>>;
  return std::make_unique<EdgeDetector<Order, LocksOrder>>(EdgeOptions{*limit, settings.on("paper")}, shape);
}

}  // namespace deadheat::engine
