#include "evaluate/plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/format.h"
#include "report/html.h"

namespace deadheat::evaluate {

namespace {

constexpr double kWidth = 230, kHeight = 120;                       // of what is drawn in
constexpr double kLeft = 42, kTop = 22, kRight = 12, kBottom = 30;  // around it

std::string panel(std::string_view name, std::string_view inside) {
  return fmt::format(
      "<figure><svg viewBox=\"0 0 {} {}\" role=img aria-label=\"{}\"><text class=t x={} y=14>{}</text>{}"
      "</svg></figure>\n",
      kLeft + kWidth + kRight, kTop + kHeight + kBottom, report::escaped(name), kLeft, report::escaped(name),
      inside);
}

std::string label(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x={:.1f} y={:.1f} text-anchor={}>{}</text>", x, y, anchor, text);
}
std::string line(double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=g x1={:.1f} y1={:.1f} x2={:.1f} y2={:.1f} />", x1, y1, x2, y2);
}

double y_of_share(double share) { return kTop + kHeight * (1 - share); }

struct Bin {
  std::uint64_t found = 0, known = 0;
};

std::string distances(std::size_t bin) {
  if (bin == 0) return "0";
  const std::uint64_t low = std::uint64_t{1} << (bin - 1), high = (low << 1) - 1;
  return low == high ? fmt::format("{}", low) : fmt::format("{}-{}", low, high);
}

// Powers of ten that hold all values.
struct Decades {
  int low = 0, high = 1;
  static Decades around(double least, double most) {
    Decades d{static_cast<int>(std::floor(std::log10(least))), static_cast<int>(std::ceil(std::log10(most)))};
    if (d.high <= d.low) d.high = d.low + 1;
    return d;
  }
  double place(double value) const { return (std::log10(value) - low) / (high - low); }
};

constexpr double kLeastSeconds = 1e-3;

std::string seconds_text(int decade) {
  return decade < 0 ? fmt::format("{} ms", std::lround(std::pow(10, decade + 3)))
                    : fmt::format("{} s", std::lround(std::pow(10, decade)));
}

}  // namespace

std::string recall_by_distance(const Evaluation& x) {
  std::size_t first = SIZE_MAX, last = 0;
  for (const TraceResult& trace : x.traces) {
    for (const labels::Pair& pair : trace.labelled.truth.pairs) {
      if (!pair.race) continue;
      first = std::min<std::size_t>(first, std::bit_width(pair.distance));
      last = std::max<std::size_t>(last, std::bit_width(pair.distance));
    }
  }
  if (first == SIZE_MAX) return "<p>No race is known.</p>\n";
  std::string out;
  for (std::size_t i = 0; i < x.contestants.size(); ++i) {
    std::vector<Bin> bins(last + 1);
    for (const TraceResult& trace : x.traces) {
      const Run& run = trace.runs[i];
      for (std::size_t p = 0; p < trace.labelled.truth.pairs.size() && run.end == End::done; ++p) {
        const labels::Pair& pair = trace.labelled.truth.pairs[p];
        if (!pair.race) continue;
        Bin& bin = bins[std::bit_width(pair.distance)];
        ++bin.known;
        bin.found += run.told[p] ? 1 : 0;
      }
    }
    std::string inside;
    for (const double share : {0.0, 0.5, 1.0}) {
      inside += line(kLeft, y_of_share(share), kLeft + kWidth, y_of_share(share));
      inside += label(kLeft - 5, y_of_share(share) + 4, "end", fmt::format("{:.0f} %", 100 * share));
    }
    const double step = kWidth / static_cast<double>(last - first + 1);
    const std::size_t between = (last - first) / 5 + 1;  // labels
    for (std::size_t b = first; b <= last; ++b) {
      const double left = kLeft + step * static_cast<double>(b - first);
      if ((b - first) % between == 0)
        inside += label(left + step / 2, kTop + kHeight + 14, "middle", distances(b));
      if (bins[b].known == 0) continue;
      const double share = static_cast<double>(bins[b].found) / static_cast<double>(bins[b].known);
      // What is missed is drawn too: no bar would look like no race.
      const std::string words =
          fmt::format("distance {}: {} of {} found", distances(b), bins[b].found, bins[b].known);
      const auto bar = [&](std::string_view style, double low, double high) {
        if (high <= low) return;
        inside += fmt::format(
            "<rect class={} x={:.1f} y={:.1f} width={:.1f} height={:.1f}><title>{}</title></rect>", style,
            left + step * 0.1, y_of_share(high), step * 0.8, y_of_share(low) - y_of_share(high), words);
      };
      bar("f", 0, share);
      bar("m", share, 1);
    }
    inside += label(kLeft + kWidth / 2, kTop + kHeight + 27, "middle", "events between the accesses");
    out += panel(x.contestants[i].name, inside);
  }
  return out;
}

std::string time_by_length(const Evaluation& x) {
  double shortest = 1e18, longest = 1, most = kLeastSeconds;
  for (const TraceResult& trace : x.traces) {
    const auto events = static_cast<double>(std::max<std::uint64_t>(trace.labelled.truth.events, 1));
    shortest = std::min(shortest, events);
    longest = std::max(longest, events);
    for (const Run& run : trace.runs) most = std::max(most, run.cpu_s);
  }
  const Decades lengths = Decades::around(shortest, longest), times = Decades::around(kLeastSeconds, most);
  std::string out;
  for (std::size_t i = 0; i < x.contestants.size(); ++i) {
    std::string inside;
    for (int d = times.low; d <= times.high; ++d) {
      const double y = y_of_share(times.place(std::pow(10, d)));
      inside += line(kLeft, y, kLeft + kWidth, y) + label(kLeft - 5, y + 4, "end", seconds_text(d));
    }
    for (int d = lengths.low; d <= lengths.high; ++d) {
      const double at = kLeft + kWidth * lengths.place(std::pow(10, d));
      const std::string_view anchor = d == lengths.high ? "end" : "middle";
      inside += line(at, kTop, at, kTop + kHeight) +
                label(at, kTop + kHeight + 14, anchor, base::short_count(std::pow(10, d)));
    }
    for (const TraceResult& trace : x.traces) {
      const Run& run = trace.runs[i];
      const auto events = static_cast<double>(std::max<std::uint64_t>(trace.labelled.truth.events, 1));
      inside += fmt::format(
          "<circle class={} cx={:.1f} cy={:.1f} r=3><title>{}: {}, {:.3f} s{}</title></circle>",
          run.end == End::done ? "d" : "s", kLeft + kWidth * lengths.place(events),
          y_of_share(times.place(std::max(run.cpu_s, kLeastSeconds))), report::escaped(trace.labelled.name),
          base::counted(trace.labelled.truth.events, "event"), run.cpu_s,
          run.end == End::done ? "" : ", stopped");
    }
    inside += label(kLeft + kWidth / 2, kTop + kHeight + 27, "middle", "events of the trace");
    out += panel(x.contestants[i].name, inside);
  }
  return out;
}

}  // namespace deadheat::evaluate
