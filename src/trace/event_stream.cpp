#include "trace/event_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/names_codec.h"

namespace deadheat::trace {

EventStream::EventStream(BlockStream::Fill fill, std::string name)
    : name_(std::move(name)), blocks_([this, fill = std::move(fill)](char* to, std::size_t bytes) {
        auto got = fill(to, bytes);
        input_failed_ = !got;
        return got;
      }) {}

Error EventStream::in_file(Error error, std::uint64_t offset) const {
  if (input_failed_) return error;  // it names the file, and it is not about blocks
  error.message = fmt::format("{}: byte {}: {}", name_, offset, error.message);
  if (expected_ > 0) {
    error.message += fmt::format("; 'deadheat repair' keeps the {} events before it", expected_);
  }
  return error;
}

Status EventStream::read_file_header() {
  if (auto ok = blocks_.read_file_header(); !ok) return fail(Error(ok.error()).in(name_));
  return {};
}

Result<const BlockView*> EventStream::next() {
  while (!finished_) {
    const std::uint64_t offset = blocks_.offset();
    const auto block = blocks_.next();
    if (!block) return fail(in_file(block.error(), offset));
    if (!*block) {
      unfinished_ = true;
      return nullptr;
    }
    Status ok;
    switch ((*block)->header.type) {
      case BlockType::events:
        ok = read_events(**block);
        if (ok) return &view_;
        break;
      case BlockType::names:
        if (follow_names_) ok = decode_names((*block)->payload, names_);
        break;
      case BlockType::footer:
        ok = read_end(**block);
        break;
      default:
        break;  // index and threads are for readers who seek; others come from newer minor versions
    }
    if (!ok) return fail(in_file(ok.error(), offset));
  }
  return nullptr;
}

Status EventStream::read_events(const RawBlock& block) {
  if (block.header.first != expected_) {
    return input_error(fmt::format("a block starts with event {} where {} was expected; blocks are missing",
                                   block.header.first, expected_));
  }
  auto view = decoder_.decode(block.payload, expected_, block.header.events);
  if (!view) return fail(view.error());
  view_ = *view;
  expected_ += view_.size();
  return {};
}

Status EventStream::read_end(const RawBlock& block) {
  const auto footer = decode_footer(block.payload);
  if (!footer) return fail(footer.error());
  if (footer->summary.events != expected_) {
    return input_error(
        fmt::format("the footer tells of {} events, the file has {}", footer->summary.events, expected_));
  }
  if (auto ok = blocks_.read_trailer(block.offset); !ok) return ok;
  completeness_ = footer->completeness;
  finished_ = true;
  return {};
}

void EventStream::restart(std::uint64_t offset, std::uint64_t first) {
  blocks_.restart(offset);
  expected_ = first;
  finished_ = unfinished_ = false;
}

std::string unfinished_message(std::uint64_t events, std::uint64_t torn_bytes) {
  std::string message = fmt::format(
      "has no whole footer, as if its writer was stopped; {} events up to the last whole block are read",
      events);
  if (torn_bytes > 0) message += fmt::format(", {} bytes after it are not", torn_bytes);
  return message + "; 'deadheat repair' writes the missing footer";
}

namespace {

class DhtStream final : public Source {
 public:
  DhtStream(std::unique_ptr<ByteInput> input, std::string name, std::string head)
      : input_(std::move(input)),
        head_(std::move(head)),
        stream_([this](char* to, std::size_t bytes) { return fill(to, bytes); }, std::move(name)) {}

  Status start() { return stream_.read_file_header(); }
  Result<const BlockView*> next() override { return stream_.next(); }
  const Names& names() const override { return stream_.names(); }
  Progress progress() const override { return input_->progress(); }
  Completeness completeness() const override { return stream_.completeness(); }
  std::vector<Warning> warnings() const override {
    if (!stream_.unfinished()) return {};
    return {{unfinished_message(stream_.events(), stream_.torn_bytes()), 1, true}};
  }

 private:
  Result<std::size_t> fill(char* to, std::size_t bytes) {
    if (head_at_ < head_.size()) {
      const std::size_t n = std::min(bytes, head_.size() - head_at_);
      std::memcpy(to, head_.data() + head_at_, n);
      head_at_ += n;
      return n;
    }
    return input_->read(to, bytes);
  }

  std::unique_ptr<ByteInput> input_;
  std::string head_;
  std::size_t head_at_ = 0;
  EventStream stream_;
};

}  // namespace

Result<std::unique_ptr<Source>> open_dht_stream(std::unique_ptr<ByteInput> input, std::string name,
                                                std::string head) {
  auto stream = std::make_unique<DhtStream>(std::move(input), std::move(name), std::move(head));
  if (auto ok = stream->start(); !ok) return fail(ok.error());
  return stream;
}

}  // namespace deadheat::trace
