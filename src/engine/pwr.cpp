#include "engine/pwr.h"

#include "clock/flat_clocks.h"
#include "engine/edge_detector.h"
#include "order/reads_from.h"
#include "order/release_order.h"
#include "order/weak_order.h"
#include "order/with_locksets.h"

namespace deadheat::engine {

namespace {

using Hard = order::Synchronisation<clock::FlatClocks>;
using Pwr = order::WithLocksets<order::ReadsFrom<order::ReleaseOrder<Hard>>>;
using Wdp = order::ReadsFrom<order::WeakOrder<order::WithLocksets<Hard>>>;
constexpr std::uint64_t kUnlimited = UINT64_MAX;

template <class Order>
class SectionDetector final : public EdgeDetector<Order, LocksKeepApart> {
 public:
  SectionDetector(EdgeOptions options, std::uint64_t sections, Shape shape)
      : EdgeDetector<Order, LocksKeepApart>(options, shape) {
    this->order_.keep_sections(sections);
  }
  std::vector<Counter> counters() const override {
    auto all = EdgeDetector<Order, LocksKeepApart>::counters();
    all.push_back({"critical sections dropped", this->order_.sections_dropped()});
    all.push_back({"times a dropped critical section may have been needed", this->order_.sections_missed()});
    return all;
  }
};

template <class Order>
Result<std::unique_ptr<Engine>> make(Result<std::uint64_t> edges, Result<std::uint64_t> sections,
                                     Result<std::uint64_t> pairs, const Settings& settings, Shape shape) {
  for (const auto* limit : {&edges, &sections, &pairs}) {
    if (!*limit) return fail(limit->error());
  }
  return std::make_unique<SectionDetector<Order>>(EdgeOptions{*edges, settings.on("paper"), *pairs},
                                                  *sections, shape);
}
Result<std::uint64_t> pairs_in(const Settings& settings) { return limit_in(settings, "pairs", "pairs"); }
Result<std::uint64_t> sections_in(const Settings& settings) {
  return limit_in(settings, "sections", "critical sections");
}

}  // namespace

Result<std::unique_ptr<Engine>> make_pwr_ee(const Settings& settings, Shape shape) {
  return make<Pwr>(kUnlimited, kUnlimited, pairs_in(settings), settings, shape);
}
Result<std::unique_ptr<Engine>> make_pwr_l(const Settings& settings, Shape shape) {
  return make<Pwr>(0, sections_in(settings), kUnlimited, settings, shape);
}
Result<std::unique_ptr<Engine>> make_pwr_ee_l(const Settings& settings, Shape shape) {
  return make<Pwr>(limit_in(settings, "edges", "edges"), sections_in(settings), kUnlimited, settings, shape);
}
Result<std::unique_ptr<Engine>> make_wdp(const Settings& settings, Shape shape) {
  return make<Wdp>(limit_in(settings, "edges", "edges"), kUnlimited, pairs_in(settings), settings, shape);
}

}  // namespace deadheat::engine
