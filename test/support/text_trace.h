// Text traces in memory: bytes that come in pieces of any size, and events told by names instead of ids.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "deadheat/trace.h"
#include "model/block_builder.h"
#include "trace/byte_input.h"
#include "trace/byte_output.h"
#include "trace/import/std_reader.h"
#include "trace/text_writer.h"

namespace deadheat::test {

// Gives at most `piece` bytes at a time.
class MemoryInput final : public trace::ByteInput {
 public:
  explicit MemoryInput(std::string bytes, std::size_t piece = SIZE_MAX)
      : bytes_(std::move(bytes)), piece_(piece) {}
  Result<std::size_t> read(char* to, std::size_t n) override {
    n = std::min({n, piece_, bytes_.size() - at_});
    if (n > 0) std::memcpy(to, bytes_.data() + at_, n);
    at_ += n;
    return n;
  }

 private:
  std::string bytes_;
  std::size_t piece_, at_ = 0;
};

class MemoryOutput final : public trace::ByteOutput {
 public:
  explicit MemoryOutput(std::string& bytes) : bytes_(bytes) {}
  Status write(std::string_view bytes) override {
    bytes_ += bytes;
    return {};
  }
  Status finish() override { return {}; }

 private:
  std::string& bytes_;
};

// An event without ids. `op` has no site.
struct NamedEvent {
  std::string thread, object, location;
  Op op;
  friend bool operator==(const NamedEvent&, const NamedEvent&) = default;
};

struct TextTrace {
  std::vector<Event> events;
  std::vector<NamedEvent> named;  // with the names at the end
  std::unique_ptr<Source> source;
  const Names& names() const { return source->names(); }
};

inline NamedEvent named(const Event& event, const Names& names) {
  const ObjectKind kind = object_kind(event.op.kind);
  NamedEvent out{names.display(ObjectKind::thread, index(event.thread)),
                 kind == ObjectKind::none ? "" : names.display(kind, event.object),
                 names.display(event.op.site), event.op};
  out.op.site = SiteId::none;
  return out;
}

// Reads all of a text, or gives the error.
inline Result<TextTrace> read_text(const std::string& text, const ReadOptions& options = {},
                                   std::size_t piece = SIZE_MAX, const std::string& head = "",
                                   std::size_t block_events = kBlockEvents) {
  auto source =
      trace::open_std(std::make_unique<MemoryInput>(text, piece), "trace.std", head, options, block_events);
  if (!source) return fail(source.error());
  TextTrace out;
  out.source = std::move(*source);
  while (true) {
    const auto block = out.source->next();
    if (!block) return fail(block.error());
    if (*block == nullptr) break;
    if ((*block)->first != out.events.size()) return input_error("a block is numbered wrongly");
    for (std::size_t i = 0; i < (*block)->size(); ++i) out.events.push_back((**block)[i]);
  }
  for (const Event& event : out.events) out.named.push_back(named(event, out.names()));
  return out;
}

struct Written {
  std::string text;
  std::vector<Warning> losses;
};

// Writes events in blocks of at most `block` events.
inline Result<Written> write_text(const std::vector<Event>& events, const Names& names,
                                  const TextOptions& options, std::size_t block = kBlockEvents) {
  Written out;
  auto writer = trace::TextWriter::to(std::make_unique<MemoryOutput>(out.text), "out.std", options);
  model::BlockBuilder builder(std::clamp<std::size_t>(events.size(), 1, block));
  std::uint64_t first = 0;
  const auto pass_on = [&]() -> Status {
    auto passed = writer->append(builder.view(first), names);
    first += builder.size();
    builder.clear();
    return passed;
  };
  for (const Event& event : events) {
    builder.append(event);
    if (!builder.full()) continue;
    if (auto passed = pass_on(); !passed) return fail(passed.error());
  }
  if (auto passed = pass_on(); !passed) return fail(passed.error());
  if (auto finished = writer->finish(); !finished) return fail(finished.error());
  out.losses = writer->losses();
  return out;
}

}  // namespace deadheat::test
