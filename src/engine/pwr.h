// Predictive engines whose pairs are unordered by PWR, or by WDP, and share no lock.
// Sulzmann & Stadtmueller, "Efficient, Near Complete and Often Sound Hybrid Dynamic Data Race Prediction"
// (2020); WDP: Genc, Roemer, Xu & Bond (OOPSLA 2019).
// Tells the conflicting pairs (e, f) that no lock keeps apart and of which e need not be done when f is next,
// as far as the order knows (order/release_order.h, order/weak_order.h): among them are all that can be made
// to meet. With limits of edges some are missing, with limits of critical sections there are some more; what
// limits drop is counted. The paper's optimisations: the rule for sections is applied where it can say
// something new (F.1); reads do not meet reads, and do not take the place of writes (F.2,
// history/edge_history.h); what is ordered is not followed further (F.3); sections are forgotten (F.4,
// order/with_sections.h). Departs: see edge_detector.h; and a variable that one lock protects is known by
// that (history/guards.h).
#pragma once

#include <memory>

#include "engine/engine.h"
#include "engine/registry.h"

namespace deadheat::engine {

inline constexpr Option kPaper = {
    "paper", "", "only pairs that are not ordered, and of a read only its write besides", "no"};
inline constexpr Option kSections = {
    "sections", "N|unlimited",
    "critical sections kept for each lock, mode and thread, or threads one after another", "5"};
inline constexpr Option kPairs = {
    "pairs", "N|unlimited", "pairs told of one access and a variable; it is compared with 100 times as many",
    "unlimited"};
inline constexpr Option kPwrEeOptions[] = {kPairs, kPaper};
inline constexpr Option kPwrLOptions[] = {kSections, kPaper};
inline constexpr Option kPwrEeLOptions[] = {
    {"edges", "N|unlimited", "edges kept for each variable; 0: as pwr-l", "25"}, kSections, kPaper};
inline constexpr Option kWdpOptions[] = {
    {"edges", "N|unlimited", "edges kept for each variable", "unlimited"}, kPairs, kPaper};

Result<std::unique_ptr<Engine>> make_pwr_ee(const Settings& settings, Shape shape);
Result<std::unique_ptr<Engine>> make_pwr_l(const Settings& settings, Shape shape);
Result<std::unique_ptr<Engine>> make_pwr_ee_l(const Settings& settings, Shape shape);
Result<std::unique_ptr<Engine>> make_wdp(const Settings& settings, Shape shape);

}  // namespace deadheat::engine
