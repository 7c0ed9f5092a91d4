#include "analysis/portfolio.h"

namespace deadheat::analysis {

namespace {

bool is_small(std::uint64_t events, std::uint64_t threads) {
  return events <= kSmallTraceEvents && events * threads <= kSmallTraceNumbers;
}

// Text tells how long it is only when it is read. What cannot be read is not small: who analyses it says why.
bool is_small(const std::string& path, const ReadOptions& read) {
  const auto source = open_source(path, read);
  if (!source) return false;
  if (const auto* const reader = dynamic_cast<const TraceReader*>(source->get());
      reader != nullptr && reader->complete()) {
    return is_small(reader->totals().events, reader->totals().threads);
  }
  for (std::uint64_t events = 0; is_small(events, (*source)->names().threads.size());) {
    const auto block = (*source)->next();
    if (!block) return false;
    if (*block == nullptr) return true;
    events += (*block)->size();
  }
  return false;
}

}  // namespace

std::vector<engine::Choice> portfolio_for(const std::string& path, const ReadOptions& read) {
  std::vector<engine::Choice> engines;
  for (const char* name : {"fasttrack", is_small(path, read) ? "pwr-ee" : "pwr-ee-l"}) {
    engines.push_back(*engine::choose(name));
  }
  return engines;
}

}  // namespace deadheat::analysis
