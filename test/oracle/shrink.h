// Makes a failing trace small, and tells it as text that can be kept.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "oracle/well_formed_oracle.h"
#include "support/text_trace.h"

namespace deadheat::oracle {

// Leaves out events, one or two at a time, as long as the trace stays well formed and still fails.
template <class Fails>
std::vector<Event> shrink(std::vector<Event> trace, Fails fails) {
  const auto still = [&](const std::vector<Event>& t) { return !first_fault(t) && fails(Trace(t)); };
  const auto without = [](std::vector<Event> t, std::size_t i) {
    t.erase(t.begin() + static_cast<std::ptrdiff_t>(i));
    return t;
  };
  const auto smaller = [&]() -> bool {
    for (std::size_t i = trace.size(); i-- > 0;) {
      auto one = without(trace, i);
      if (still(one)) return trace = std::move(one), true;
      for (std::size_t j = i; j-- > 0;) {  // an acquire and its release, a send and its receive
        auto two = without(one, j);
        if (still(two)) return trace = std::move(two), true;
      }
    }
    return false;
  };
  while (smaller()) continue;
  return trace;
}

// The trace as extended text; with what text cannot say told in words.
inline std::string as_text(const std::vector<Event>& trace) {
  Names names;
  std::vector<Event> events = trace;
  std::uint32_t sites = 0;
  for (const Event& e : events) sites = std::max(sites, index(e.op.site));
  for (std::uint32_t s = 1; s <= sites; ++s) names.add_text_site(std::to_string(s));
  if (auto written = test::write_text(events, names, {.extended = true})) return written->text;
  auto written = test::write_text(events, names, {.extended = true, .lossy = true});
  std::string text = written ? written->text : written.error().message;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Op& op = trace[i].op;
    if (cells(op) > 1 && object_kind(op.kind) == ObjectKind::variable) {
      text += "# event " + std::to_string(i + 1) + " covers " + std::to_string(op.value) + " bytes from " +
              std::to_string(op.offset) + "\n";
    }
  }
  return text;
}

}  // namespace deadheat::oracle
