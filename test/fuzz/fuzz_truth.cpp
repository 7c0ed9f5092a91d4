// What is known of a trace, or of a set of traces: what is read can be written, and is the same then.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "labels/truth.h"

using namespace deadheat::labels;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (const auto truth = parse_truth(text, "file")) {
    const auto again = parse_truth(as_json(*truth), "file");
    if (!again || *again != *truth) std::abort();
  }
  if (const auto set = parse_set(text, "file")) {
    const auto again = parse_set(as_json(*set), "file");
    if (!again || *again != *set) std::abort();
  }
  return 0;
}
