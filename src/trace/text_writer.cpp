#include "trace/text_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/shown.h"
#include "trace/import/std_line.h"
#include "trace/text_names.h"
#include "trace/text_ops.h"

namespace deadheat::trace {

namespace {

constexpr std::size_t kFirstBufferBytes = std::size_t{1} << 12, kBufferBytes = std::size_t{1} << 18;
constexpr std::string_view kExtendOrLose =
    "--to text writes all kinds and attributes, --lossy leaves out what STD text does not have";
constexpr std::string_view kLose = "--lossy leaves it out";
constexpr std::string_view kNarrow = "a .dht holds it, convert --lossy writes the first of them alone";
constexpr std::string_view kReplace = "--lossy writes the nearest text that can be read back";

class Writer final : public TextWriter {
 public:
  Writer(std::unique_ptr<ByteOutput> output, std::string name, const TextOptions& options)
      : output_(std::move(output)), name_(std::move(name)), lossy_(options.lossy), ops_(options) {
    text_names_.reserve(kObjectKinds);
    for (std::size_t k = 0; k < kObjectKinds; ++k) text_names_.emplace_back(static_cast<ObjectKind>(k));
    buffer_.resize(kFirstBufferBytes);
  }

  Status append(const BlockView& block, const Names& names) override;
  void declare(const Completeness& completeness) override { completeness_ = completeness; }
  Status finish() override;
  std::vector<Warning> losses() const override;

 private:
  enum class Verdict { write, leave_out };

  Result<Verdict> weigh(const Event& event, std::uint64_t number, const TextOps::Pieces& op,
                        const Names& names);
  Status check_names(const BlockView& block, const Names& names) const;
  tl::unexpected<Error> refuse(std::uint64_t event, const std::string& what, std::string_view next) const;
  Status make_room(std::size_t bytes);
  Status flush();
  void put(std::string_view text) {
    std::memcpy(buffer_.data() + used_, text.data(), text.size());
    used_ += text.size();
  }
  std::uint64_t changed_names() const;
  // Names of many objects do not fit into the caches: they are called for some events ahead.
  [[gnu::always_inline]] void prefetch(const BlockView& block, std::size_t i) const {
    constexpr std::size_t kEntryAhead = 24, kTextAhead = 12;
    if (i + kEntryAhead >= block.size()) return;
    const auto names_at = [&](std::size_t at) -> const TextNames& {
      return text_names_[static_cast<std::size_t>(ops_[block.op[at]].object)];
    };
    names_at(i + kEntryAhead).prefetch(block.object[i + kEntryAhead]);
    names_at(i + kTextAhead).prefetch_text(block.object[i + kTextAhead]);
  }

  std::unique_ptr<ByteOutput> output_;
  std::string name_;
  bool lossy_;
  Completeness completeness_ = Completeness::complete();
  TextOps ops_;
  std::vector<TextNames> text_names_;  // by ObjectKind
  std::string buffer_;
  bool has_written_ = false;
  std::size_t used_ = 0;
  std::array<std::uint64_t, kTextLosses> lost_{};
  std::array<std::uint64_t, kEventKinds> left_out_{};
};

Status Writer::append(const BlockView& block, const Names& names) {
  for (std::size_t k = 1; k < kObjectKinds; ++k) text_names_[k].learn(names.of(static_cast<ObjectKind>(k)));
  ops_.prepare(block.ops, names);
  const std::uint64_t changed_before = changed_names();
  TextNames& threads = text_names_[static_cast<std::size_t>(ObjectKind::thread)];
  for (std::size_t i = 0; i < block.size(); ++i) {
    prefetch(block, i);
    const TextOps::Pieces& op = ops_[block.op[i]];
    if (op.losses != 0) [[unlikely]] {
      const auto verdict = weigh(block[i], block.first + i, op, names);
      if (!verdict) return fail(verdict.error());
      if (*verdict == Verdict::leave_out) continue;
    }
    const std::string_view thread = threads[block.thread[i]];
    std::string_view object = "";
    if (op.object != ObjectKind::none) {
      object = text_names_[static_cast<std::size_t>(op.object)][block.object[i]];
    } else if (op.own_name) {
      object = thread;
    }
    const std::size_t bytes = thread.size() + op.before.size() + object.size() + op.after.size();
    if (bytes > buffer_.size() - used_) [[unlikely]] {
      if (Status made = make_room(bytes); !made) return made;
    }
    put(thread);
    put(op.before);
    put(object);
    put(op.after);
  }
  if (!lossy_ && changed_names() != changed_before) return check_names(block, names);
  return {};
}

// What becomes of an event of which the text cannot say everything.
Result<Writer::Verdict> Writer::weigh(const Event& event, std::uint64_t number, const TextOps::Pieces& op,
                                      const Names& names) {
  const EventKind kind = event.op.kind;
  if (op.lost(TextLoss::malformed))
    return refuse(number, "has fields that its kind cannot have", "try deadheat check");
  if (!lossy_) {
    const std::string_view word = name_of(kind);
    if (op.lost(TextLoss::kind))
      return refuse(number, fmt::format("STD text has no {}", word), kExtendOrLose);
    if (op.lost(TextLoss::neighbours)) {
      return refuse(number,
                    fmt::format("{} covers {} variables, and text does not say which are neighbours", word,
                                cells(event.op)),
                    kNarrow);
    }
    if (op.lost(TextLoss::size))
      return refuse(number, fmt::format("STD text has no size of {}", word), kExtendOrLose);
    if (op.lost(TextLoss::offset)) {
      return refuse(number, fmt::format("STD text has no offset of {}", word), kExtendOrLose);
    }
    if (op.lost(TextLoss::stack)) return refuse(number, "text has no call stacks", kLose);
    const std::string location = names.display(event.op.site);
    return refuse(number,
                  fmt::format("its location \"{}\" {}", base::shown(location),
                              text_obstacle(location, TextColumn::location)),
                  kReplace);
  }
  if (op.lost(TextLoss::kind)) {
    ++left_out_[static_cast<std::size_t>(kind)];
    return Verdict::leave_out;
  }
  for (std::size_t k = 0; k < kTextLosses; ++k) lost_[k] += op.lost(static_cast<TextLoss>(k)) ? 1 : 0;
  return Verdict::write;
}

// Finds the event of this block whose thread or object could not keep its name.
Status Writer::check_names(const BlockView& block, const Names& names) const {
  const auto check = [&](std::uint64_t event, ObjectKind kind, std::uint32_t id) -> Status {
    const std::string_view obstacle = text_names_[static_cast<std::size_t>(kind)].obstacle(id);
    if (obstacle.empty()) return {};
    const std::string name = base::shown(names.of(kind)[id]);
    return refuse(event, fmt::format("the {} name \"{}\" {}", name_of(kind), name, obstacle), kReplace);
  };
  for (std::size_t i = 0; i < block.size(); ++i) {
    const Event event = block[i];
    if (Status thread = check(block.first + i, ObjectKind::thread, index(event.thread)); !thread)
      return thread;
    const ObjectKind kind = object_kind(event.op.kind);
    if (kind == ObjectKind::none) continue;
    if (Status object = check(block.first + i, kind, event.object); !object) return object;
  }
  return {};
}

tl::unexpected<Error> Writer::refuse(std::uint64_t event, const std::string& what,
                                     std::string_view next) const {
  return input_error(fmt::format("{}: event {}: {}; {}", name_, event, what, next));
}

std::uint64_t Writer::changed_names() const {
  std::uint64_t sum = 0;
  for (const TextNames& names : text_names_) sum += names.changed();
  return sum;
}

Status Writer::make_room(std::size_t bytes) {
  if (buffer_.size() >= kBufferBytes) {
    if (Status flushed = flush(); !flushed) return flushed;
  }
  if (bytes > buffer_.size() - used_) buffer_.resize(std::max(used_ + bytes, 2 * buffer_.size()));
  return {};
}

Status Writer::flush() {
  has_written_ = has_written_ || used_ > 0;
  return output_->write({buffer_.data(), std::exchange(used_, 0)});
}

Status Writer::finish() {
  // Behind the events: before it is not known. A text that does not say is all there is.
  if (!completeness_.declared) {
    const std::string line = fmt::format("{} {}\n", kCompletenessComment, text_of(completeness_));
    if (line.size() > buffer_.size() - used_) {
      if (Status made = make_room(line.size()); !made) return made;
    }
    put(line);
  }
  // A file without a byte is no trace; one without events is.
  if (!has_written_ && used_ == 0) put("\n");
  if (Status flushed = flush(); !flushed) return flushed;
  return output_->finish();
}

std::vector<Warning> Writer::losses() const {
  std::vector<Warning> out;
  const auto add = [&](std::uint64_t count, std::string message) {
    if (count > 0) out.push_back({std::move(message), count});
  };
  for (std::size_t k = 0; k < kEventKinds; ++k) {
    const std::string_view word = name_of(static_cast<EventKind>(k));
    add(left_out_[k], fmt::format("STD text has no {}: the event was left out", word));
  }
  const auto lost = [&](TextLoss loss) { return lost_[static_cast<std::size_t>(loss)]; };
  add(lost(TextLoss::size), "STD text has no sizes: the event was written without");
  add(lost(TextLoss::offset), "STD text has no offsets: the event was written without");
  add(lost(TextLoss::neighbours),
      "text does not say which variables are neighbours: of those that an event covers, the first was "
      "written "
      "alone");
  add(lost(TextLoss::stack), "text has no call stacks: the event was written without");
  add(lost(TextLoss::location), "a location that cannot be read back was written with changes");
  add(changed_names(), "a name that cannot be read back, or is that of another one too, was changed");
  std::uint64_t late = 0;
  for (const TextNames& names : text_names_) late += names.renamed_too_late();
  add(late, "a name changed in the trace after it had been written: the first one was kept");
  return out;
}

}  // namespace

std::unique_ptr<TextWriter> TextWriter::to(std::unique_ptr<ByteOutput> output, std::string name,
                                           const TextOptions& options) {
  return std::make_unique<Writer>(std::move(output), std::move(name), options);
}

Result<std::unique_ptr<TextWriter>> TextWriter::create(const std::string& path, const TextOptions& options) {
  return create(path, path, options);
}

Result<std::unique_ptr<TextWriter>> TextWriter::create(const std::string& path, std::string_view packed_as,
                                                       const TextOptions& options) {
  auto output = open_output(path, packed_as);
  if (!output) return fail(std::move(output).error());
  return to(std::move(*output), path == "-" ? "standard output" : path, options);
}

}  // namespace deadheat::trace
