#include "deadheat/trace.h"

namespace deadheat {

std::string_view name_of(Omission omission) {
  switch (omission) {
    case Omission::stock_instrumentation:
      return "stock-instrumentation";
    case Omission::opaque_unmarked:
      return "opaque-calls";
    case Omission::sampled:
      return "sampled";
    case Omission::ignored:
      return "ignored";
  }
  return "?";
}

std::string_view meaning_of(Omission omission) {
  switch (omission) {
    case Omission::stock_instrumentation:
      return "a compiler's own instrumentation leaves out reads";
    case Omission::opaque_unmarked:
      return "code that is not instrumented was called without a mark";
    case Omission::sampled:
      return "only some of the accesses were recorded";
    case Omission::ignored:
      return "accesses were left out on purpose";
  }
  return "?";
}

std::string text_of(const Completeness& completeness) {
  if (completeness.declared) return "complete";
  std::string out = "unknown";
  for (std::size_t i = 0; i < kOmissions; ++i) {
    const Omission omission = deadheat::omission(i);
    if ((completeness.omissions & static_cast<std::uint32_t>(omission)) == 0) continue;
    out.append(out.ends_with("unknown") ? " (" : ", ").append(name_of(omission));
  }
  return out.ends_with("unknown") ? out : out + ")";
}

}  // namespace deadheat
