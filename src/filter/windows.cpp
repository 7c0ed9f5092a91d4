#include "filter/windows.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace deadheat::filter {

namespace {

constexpr double kLeastEps = 1e-7;

std::uint64_t rounded_up(double x) { return static_cast<std::uint64_t>(std::ceil(x)); }

}  // namespace

Result<WindowOptions> window_options(const engine::Settings& settings) {
  const auto eps = settings.real("eps", kLeastEps, 1);
  if (!eps) return fail(eps.error());
  const auto delta = settings.real("delta", 1e-9, 0.999);
  if (!delta) return fail(delta.error());
  const auto seed = settings.number("seed", 0, UINT64_MAX);
  if (!seed) return fail(seed.error());
  const auto m = settings.number("m", 0, std::uint64_t{1} << 32);
  if (!m) return fail(m.error());
  const auto until = settings.real("until", 0, 1 - 1e-9);
  if (!until) return fail(until.error());
  const auto budget = settings.real("budget", 1e-9, 1e9);
  if (!budget) return fail(budget.error());
  WindowOptions options{.eps = *eps, .delta = *delta, .seed = *seed, .m = *m};
  if (*until > 0) {
    options.delta = 1 - *until;
    options.budget_s = *budget;
  }
  return options;
}

std::string_view windows_refuse(const engine::Row& row) {
  // Only happens-before is known to be the same in a window as in the whole trace.
  if (row.basis != engine::Basis::happens_before && row.basis != engine::Basis::nothing) {
    return "it is not known what its findings in a window mean for the whole trace; happens-before alone is "
           "the same in both";
  }
  if (row.passes > 1) return "windows are read once, and it needs several passes";
  if (row.name == "print") return "ids are numbered anew in each window";
  return "";
}

WindowPlan plan_windows(const WindowOptions& options, std::uint64_t threads, std::uint64_t locks_held) {
  WindowPlan plan{.eps = options.eps, .delta = options.delta};
  plan.m = std::max<std::uint64_t>(1, options.m != 0 ? options.m : 4 * threads + 2 * locks_held);
  const double m = static_cast<double>(plan.m);
  plan.length = rounded_up(4 * m / options.eps);
  plan.count = rounded_up(15 * std::log(1 / options.delta) / (2 * options.eps));
  plan.shortest = rounded_up(12 * m / options.eps);
  return plan;
}

std::vector<Window> draw_windows(const WindowPlan& plan, std::uint64_t events, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<std::uint64_t> begins(plan.count);
  for (std::uint64_t& begin : begins) begin = random.below64(events - plan.length + 1);
  return merge_windows(std::move(begins), plan.length);
}

std::vector<Window> merge_windows(std::vector<std::uint64_t> begins, std::uint64_t length) {
  std::ranges::sort(begins);
  std::vector<Window> windows;
  for (const std::uint64_t begin : begins) {
    if (!windows.empty() && begin < windows.back().end) {
      windows.back().end = begin + length;
    } else {
      windows.push_back({begin, begin + length});
    }
  }
  return windows;
}

}  // namespace deadheat::filter
