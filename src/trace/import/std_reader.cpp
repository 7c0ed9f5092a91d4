#include "trace/import/std_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/shown.h"
#include "model/block_builder.h"
#include "trace/import/interner.h"
#include "trace/import/line_buffer.h"
#include "trace/import/plain_line.h"
#include "trace/import/std_line.h"
#include "trace/import/thread_binding.h"

namespace deadheat::trace {

namespace {

constexpr std::size_t kMaxLineBytes = 3 * kMaxTextNameBytes + 4096;
static_assert(LineBuffer::kPadding >= kKeyFront);

constexpr std::size_t kHeadBytes = 4096;

// More control bytes than any text has: about 11 % in compressed or random data, more in programs.
bool looks_binary(std::string_view head) {
  constexpr std::size_t kFew = 8, kPerControlByte = 20;
  const auto controls = static_cast<std::size_t>(std::count_if(head.begin(), head.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
  }));
  return controls >= kFew && controls * kPerControlByte > head.size();
}

class StdReader final : public Source {
 public:
  StdReader(std::unique_ptr<ByteInput> input, std::string name, std::string head, const ReadOptions& options,
            std::size_t block_events)
      : lines_(std::move(input), std::move(head)),
        name_(std::move(name)),
        skip_bad_(options.skip_bad),
        binding_(names_.threads, options.literal_threads ? ThreadBinding::Reading::literal
                                                         : ThreadBinding::Reading::bind_numbers),
        block_events_(block_events),
        block_(block_events) {
    codes_.resize(1);  // of SiteId::none
  }

  Status start();
  Result<const BlockView*> next() override;
  const Names& names() const override { return names_; }
  std::vector<Warning> warnings() const override;
  Progress progress() const override { return lines_.progress(); }
  Completeness completeness() const override { return completeness_; }

 private:
  // A line and the keys of its names. Some are gathered before any is looked up, so that the memory which the
  // look-ups need is on its way.
  struct Ready {
    PlainLine line;
    NameKey thread, object, location;
  };
  static constexpr std::size_t kBatch = 32;
  // The operation without attributes last used at a site, and its number in the current block.
  struct Code {
    std::uint32_t block = 0;
    std::uint16_t code = 0;
    EventKind kind{};
  };
  enum class Step { read_line, need_text };

  std::size_t gather_plain_lines();
  Status append_batch(std::size_t count);
  Result<Step> read_any_line();
  Result<Step> skip_long_line();
  Status read_line_text(std::string_view line);
  Status append(const StdLine& line);
  Status bad_line(std::string_view line, const std::string& reason);

  Result<std::uint32_t> new_actor(const NameKey& key, std::string_view name);
  std::uint32_t object(const NameKey& key, std::string_view name, EventKind kind, std::uint32_t actor);
  SiteId site(const NameKey& key, std::string_view location);
  std::uint16_t plain_code(EventKind kind, SiteId site);
  Interner& objects(EventKind kind) { return objects_[static_cast<std::size_t>(object_kind(kind))]; }

  LineBuffer lines_;
  std::string name_;
  bool skip_bad_;
  Names names_;
  Completeness completeness_ = Completeness::complete();
  ThreadBinding binding_;
  Interner threads_;  // by the names under which they act
  Interner sites_;
  std::array<Interner, kObjectKinds> objects_;
  std::vector<Code> codes_;  // by site
  std::array<Ready, kBatch> batch_;
  std::size_t block_events_;
  model::BlockBuilder block_;
  BlockView view_;
  std::uint32_t block_number_ = 0;
  std::uint64_t events_ = 0, line_number_ = 0, skipped_ = 0;
  bool in_long_line_ = false;
  bool looks_binary_ = false;
  std::string first_skipped_;
};

// Looks at the first bytes, so many of them whatever the sizes of the pieces that the input comes in.
Status StdReader::start() {
  while (lines_.pending().size() < kHeadBytes) {
    auto more = lines_.refill();
    if (!more) return fail(std::move(more).error());
    if (!*more) break;
  }
  looks_binary_ = looks_binary(lines_.pending().substr(0, kHeadBytes));
  return {};
}

Result<const BlockView*> StdReader::next() {
  events_ += block_.size();
  block_.clear();
  ++block_number_;
  while (!block_.full()) {
    if (const std::size_t count = gather_plain_lines(); count > 0) {
      if (Status appended = append_batch(count); !appended) return fail(std::move(appended).error());
      continue;
    }
    auto step = read_any_line();
    if (!step) return fail(std::move(step).error());
    if (*step == Step::read_line) continue;
    auto more = lines_.refill();
    if (!more) return fail(std::move(more).error());
    if (!*more) break;
  }
  if (block_.empty()) return nullptr;
  view_ = block_.view(events_);
  return &view_;
}

// Takes lines of the usual shape, up to a batch, the end of the block or of the text in hand.
std::size_t StdReader::gather_plain_lines() {
  if (in_long_line_) return 0;
  const char* const text = lines_.text();
  const auto marks = lines_.marks();
  const std::size_t limit = std::min({kBatch, block_events_ - block_.size(), marks.size() / 3});
  std::uint32_t begin = lines_.begin();
  std::size_t count = 0;
  for (; count < limit; ++count) {
    const std::uint32_t bar1 = marks[3 * count], bar2 = marks[3 * count + 1], end = marks[3 * count + 2];
    Ready& to = batch_[count];
    if (text[bar1] != '|' || text[bar2] != '|' || text[end] != '\n') break;
    if (end - begin > kMaxTextNameBytes || !read_plain_line(text, begin, bar1, bar2, end, to.line)) break;
    Interner& table = objects(to.line.kind);
    to.thread = threads_.key_of(to.line.thread);
    to.object = table.key_of(to.line.object);
    table.prefetch(to.object);
    if (!to.line.location.empty()) {
      to.location = sites_.key_of(to.line.location);
      sites_.prefetch(to.location);
    }
    begin = end + 1;
  }
  lines_.take(begin, 3 * count);
  return count;
}

Status StdReader::append_batch(std::size_t count) {
  for (const Ready& ready : std::span(batch_.data(), count)) {
    objects(ready.line.kind).prefetch_text(ready.object, ready.line.object);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Ready& ready = batch_[i];
    const PlainLine& line = ready.line;
    ++line_number_;
    std::uint32_t t = threads_.find(ready.thread, line.thread);
    if (t == Interner::kMissing) [[unlikely]] {
      auto added = new_actor(ready.thread, line.thread);
      if (!added) return fail(std::move(added).error());
      t = *added;
    }
    const std::uint32_t o = object(ready.object, line.object, line.kind, t);
    const SiteId s = line.location.empty() ? SiteId::none : site(ready.location, line.location);
    block_.append(ThreadId{t}, plain_code(line.kind, s), o);
  }
  return {};
}

std::uint16_t StdReader::plain_code(EventKind kind, SiteId site) {
  Code& known = codes_[index(site)];
  if (known.block != block_number_ || known.kind != kind) {
    Op op = plain_op(kind);
    op.site = site;
    known = {block_number_, block_.code(op), kind};
  }
  return known.code;
}

Result<std::uint32_t> StdReader::new_actor(const NameKey& key, std::string_view name) {
  auto id = binding_.actor(name);
  if (!id) return fail(std::move(id).error().in(fmt::format("{}:{}", name_, line_number_)));
  threads_.insert(key, names_.threads[*id], *id);
  return *id;
}

std::uint32_t StdReader::object(const NameKey& key, std::string_view name, EventKind kind,
                                std::uint32_t actor) {
  const ObjectKind space = object_kind(kind);
  if (space == ObjectKind::thread) return binding_.target(name, actor);
  Interner& table = objects(kind);
  std::uint32_t id = table.find(key, name);
  if (id != Interner::kMissing) [[likely]]
    return id;
  NameTable& names = names_.of(space);
  id = names.add(name);
  table.insert(key, names[id], id);
  return id;
}

SiteId StdReader::site(const NameKey& key, std::string_view location) {
  const std::uint32_t known = sites_.find(key, location);
  if (known != Interner::kMissing) [[likely]]
    return SiteId{known};
  const SiteId id = names_.add_text_site(location);
  sites_.insert(key, names_.strings[names_.sites[index(id)].text], index(id));
  codes_.resize(names_.sites.size());
  return id;
}

// Reads one line of whatever shape.
Result<StdReader::Step> StdReader::read_any_line() {
  const char* const text = lines_.text();
  const auto marks = lines_.marks();
  const std::size_t line_end = lines_.find_line_end();
  if (line_end == marks.size()) {
    if (in_long_line_ || lines_.pending().size() > kMaxLineBytes) return skip_long_line();
    return Step::need_text;
  }
  const std::uint32_t end = marks[line_end];
  std::string_view line(text + lines_.begin(), end - lines_.begin());
  lines_.take(end + 1, line_end + 1);
  if (std::exchange(in_long_line_, false)) return Step::read_line;
  ++line_number_;
  while (line.ends_with('\r')) line.remove_suffix(1);
  // Windows editors put one in front of UTF-8; with files joined together it is in the midst.
  while (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (line.starts_with(kCompletenessComment)) completeness_ = parse_completeness(line);
  if (line.starts_with('#') || line.find_first_not_of(" \t") == std::string_view::npos)
    return Step::read_line;
  if (Status read = read_line_text(line); !read) return fail(std::move(read).error());
  return Step::read_line;
}

// A line that does not end: what there is of it goes, the rest follows piece by piece.
Result<StdReader::Step> StdReader::skip_long_line() {
  if (!in_long_line_) {
    ++line_number_;
    const auto reason = fmt::format("the line is longer than {} bytes", kMaxLineBytes);
    if (Status skipped = bad_line(lines_.pending(), reason); !skipped)
      return fail(std::move(skipped).error());
    in_long_line_ = true;
  }
  lines_.take_all();
  return Step::need_text;
}

Status StdReader::read_line_text(std::string_view text) {
  const auto line = parse_std_line(text);
  if (!line) return bad_line(text, line.error());
  const std::size_t longest = std::max({line->thread.size(), line->object.size(), line->location.size()});
  if (longest > kMaxTextNameBytes) {
    return bad_line(text, fmt::format("a name is longer than {} bytes", kMaxTextNameBytes));
  }
  return append(*line);
}

Status StdReader::append(const StdLine& line) {
  const EventKind kind = line.op.kind;
  const NameKey actor = threads_.key_of(line.thread);
  std::uint32_t t = threads_.find(actor, line.thread);
  if (t == Interner::kMissing) {
    auto added = new_actor(actor, line.thread);
    if (!added) return fail(std::move(added).error());
    t = *added;
  }
  std::uint32_t o = 0;
  if (object_kind(kind) != ObjectKind::none) {
    o = object(objects(kind).key_of(line.object), line.object, kind, t);
  }
  Op op = line.op;
  if (!line.location.empty()) op.site = site(sites_.key_of(line.location), line.location);
  block_.append(ThreadId{t}, block_.code(op), o);
  return {};
}

// With options.skip_bad the line is counted; otherwise it is the end.
Status StdReader::bad_line(std::string_view line, const std::string& reason) {
  if (events_ == 0 && block_.empty() && looks_binary_) {
    return input_error(fmt::format("{}: does not look like a text trace: it holds bytes that are no text; {}",
                                   name_, std_line_expected()));
  }
  Error error{Error::Kind::input, fmt::format("{}:{}: cannot read \"{}\": {}; {}", name_, line_number_,
                                              base::shown(line), reason, std_line_expected())};
  if (!skip_bad_) return fail(std::move(error));
  if (skipped_++ == 0) first_skipped_ = std::move(error.message);
  return {};
}

std::vector<Warning> StdReader::warnings() const {
  std::vector<Warning> out;
  if (const std::uint64_t bound = binding_.bound_targets(); bound > 0) {
    out.push_back(
        {"a fork or join target written as a number was bound to the thread T<number>; "
         "--literal-threads keeps the literal reading",
         bound});
  }
  if (skipped_ > 0) out.push_back({"an unreadable line was left out, first " + first_skipped_, skipped_});
  return out;
}

}  // namespace

Result<std::unique_ptr<Source>> open_std(std::unique_ptr<ByteInput> input, std::string name, std::string head,
                                         const ReadOptions& options, std::size_t block_events) {
  auto reader =
      std::make_unique<StdReader>(std::move(input), std::move(name), std::move(head), options, block_events);
  if (Status started = reader->start(); !started) return fail(std::move(started).error());
  return reader;
}

}  // namespace deadheat::trace
