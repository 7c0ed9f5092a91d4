// Any bytes as text: reading ends with an answer or an error, the same for pieces of any size; what was read
// comes back the same from the text written of it; and STD text with losses can always be written and read.
#include <cstdint>
#include <string>

#include "base/assert.h"
#include "support/text_trace.h"

using namespace deadheat;

namespace {

void check_pieces(const std::string& text, const ReadOptions& options, const Result<test::TextTrace>& whole,
                  std::size_t piece, std::size_t block) {
  const auto pieces = test::read_text(text, options, piece, "", block);
  DEADHEAT_ASSERT(pieces.has_value() == whole.has_value(),
                  "the sizes of the pieces and blocks do not matter");
  if (!whole) {
    DEADHEAT_ASSERT(pieces.error().message == whole.error().message, "the error is the same");
    return;
  }
  DEADHEAT_ASSERT(pieces->events == whole->events && pieces->named == whole->named, "so are the events");
  const auto warnings = whole->source->warnings(), again = pieces->source->warnings();
  DEADHEAT_ASSERT(warnings.size() == again.size(), "and the warnings");
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    DEADHEAT_ASSERT(warnings[i].message == again[i].message && warnings[i].count == again[i].count, "each");
  }
}

void check_round_trip(const test::TextTrace& trace, const ReadOptions& options, std::size_t block) {
  for (const Event& event : trace.events) {
    DEADHEAT_ASSERT(object_kind(event.op.kind) != ObjectKind::variable || cells(event.op) == 1,
                    "nothing goes beyond its variable");
  }
  const auto text = test::write_text(trace.events, trace.names(), {.extended = true}, block);
  DEADHEAT_ASSERT(text && text->losses.empty(), "what was read can be written");
  const auto again =
      test::read_text(text->text, {.literal_threads = options.literal_threads}, SIZE_MAX, "", 200);
  DEADHEAT_ASSERT(again.has_value(), "and read again");
  DEADHEAT_ASSERT(again->events == trace.events && again->named == trace.named, "and is the same");
  const auto twice = test::write_text(again->events, again->names(), {.extended = true});
  DEADHEAT_ASSERT(twice && twice->text == text->text, "and so is its text");
}

void check_lossy(const test::TextTrace& trace) {
  const auto text = test::write_text(trace.events, trace.names(), {.lossy = true});
  DEADHEAT_ASSERT(text.has_value(), "with losses all can be written");
  std::uint64_t left_out = 0;
  for (const Warning& loss : text->losses) {
    if (loss.message.ends_with("was left out")) left_out += loss.count;
  }
  const auto again = test::read_text(text->text, {.literal_threads = true}, SIZE_MAX, "", 200);
  DEADHEAT_ASSERT(again && again->events.size() + left_out == trace.events.size(),
                  "and what is lost is counted");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The last byte decides how, so that corpus files begin as text does.
  const std::uint8_t how = data[size - 1];
  const std::string text(data, data + size - 1);
  const ReadOptions options{.literal_threads = (how & 1) != 0, .skip_bad = (how & 2) != 0};
  // Blocks are smaller than in use, where setting up 16384 events would cost more than reading the few.
  const auto trace = test::read_text(text, options, SIZE_MAX, "", 200);
  const std::size_t piece = 1 + (how >> 2) % 31u, block = 1 + (how >> 4) * 5u;
  check_pieces(text, options, trace, piece, block);
  if (!trace) return 0;
  check_round_trip(*trace, options, block);
  check_lossy(*trace);
  return 0;
}
