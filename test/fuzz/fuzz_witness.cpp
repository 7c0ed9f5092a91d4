// Files of witnesses: whatever they say is parsed or refused, and judged without harm on a small trace.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "report/witness_file.h"
#include "witness/checker.h"

using namespace deadheat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = report::parse_witness(text);
  if (!parsed) return 0;
  witness::Checker checker(*parsed);
  checker.begin({});
  for (std::uint64_t number = 0; number < 24; ++number) {
    Event event{};
    event.thread = ThreadId{static_cast<std::uint32_t>(number % 3)};
    event.op.kind = static_cast<EventKind>(number * 7 % kEventKinds);
    event.op.value = number % 5 == 0 ? 16 : 0;
    event.object = static_cast<std::uint32_t>(number % 4);
    if (number >= parsed->from) checker.see(number, event);
  }
  static_cast<void>(checker.verdict());
  return 0;
}
