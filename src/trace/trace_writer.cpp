// TraceWriter: names, events, index and footer in the order of docs/trace-format.md.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/assert.h"
#include "deadheat/trace.h"
#include "model/block_builder.h"
#include "trace/block_io.h"
#include "trace/events_codec.h"
#include "trace/index_codec.h"
#include "trace/names_codec.h"
#include "trace/summarize.h"

namespace deadheat {

using namespace trace;

namespace {
constexpr std::size_t kNamesPayload = std::size_t{1} << 20;
}

struct TraceWriter::Impl {
  Impl(base::File file, const WriteOptions& options)
      : out(std::move(file), options.zstd_level), block_events(options.block_events) {}

  Status append_block(BlockView block, const Names& from);
  Status flush();  // the events in hand
  Status write_names(const Names& from);
  Status write_index();
  Status write_end();
  // After a failure the file is not what it should be: nothing more is written.
  Status remember(Status status) {
    if (!status && !failure) failure = status.error();
    return status;
  }

  BlockWriter out;
  Names names;
  std::size_t block_events;
  std::optional<model::BlockBuilder> builder;  // of events appended one by one
  EventsEncoder encoder;
  NamesEncoder names_encoder;
  Summarizer summarizer;
  Bounds bounds;
  Index index;
  Footer footer;
  std::optional<Error> failure;
  bool finished = false;
};

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceWriter::~TraceWriter() = default;

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string& path,
                                                         const WriteOptions& options) {
  if (options.block_events == 0 || options.block_events > kMaxBlockEvents) {
    return fail({Error::Kind::usage,
                 fmt::format("blocks hold 1 to {} events, not {}", kMaxBlockEvents, options.block_events)});
  }
  auto file = base::File::create(path);
  if (!file) return fail(file.error());
  std::unique_ptr<TraceWriter> writer(new TraceWriter(std::make_unique<Impl>(std::move(*file), options)));
  if (auto ok = writer->impl_->out.write_file_header(); !ok) return fail(ok.error());
  return writer;
}

Names& TraceWriter::names() { return impl_->names; }
const Summary& TraceWriter::summary() const { return impl_->summarizer.summary(); }
std::uint64_t TraceWriter::bytes_written() const { return impl_->out.offset(); }

Status TraceWriter::append(const Event& event) {
  if (!impl_->builder) impl_->builder.emplace(impl_->block_events);
  impl_->builder->append(event);
  return impl_->builder->full() ? impl_->flush() : Status{};
}

Status TraceWriter::append(const BlockView& block, const Names& names) {
  if (auto ok = impl_->flush(); !ok) return ok;
  return impl_->append_block(block, names);
}

void TraceWriter::declare(const Completeness& completeness) { impl_->footer.completeness = completeness; }

Status TraceWriter::finish() {
  if (auto ok = impl_->flush(); !ok) return ok;
  return impl_->remember(impl_->write_end());
}

Status TraceWriter::Impl::flush() {
  if (!builder || builder->empty()) return {};
  const Status status = append_block(builder->view(0), names);
  builder->clear();
  return status;
}

Status TraceWriter::Impl::append_block(BlockView block, const Names& from) {
  DEADHEAT_ASSERT(!finished, "nothing is appended to a finished trace");
  if (failure) return fail(*failure);
  if (block.size() == 0) return {};
  block.first = summarizer.summary().events;
  // Names first: a file cut anywhere names all that its events use.
  if (auto ok = write_names(from); !ok) return remember(ok);
  if (auto ok = encoder.encode(block, bounds, out.payload()); !ok) return remember(ok);
  const std::uint64_t offset = out.offset();
  const auto count = static_cast<std::uint32_t>(block.size());
  if (auto ok = out.write(BlockType::events, block.first, count); !ok) return remember(ok);
  summarizer.add(block, bounds);
  index.blocks.push_back({offset, block.first, count, static_cast<std::uint32_t>(out.offset() - offset)});
  auto& threads = index.threads.emplace_back(encoder.threads().begin(), encoder.threads().end());
  std::sort(threads.begin(), threads.end());
  return index.blocks.size() == kBlocksPerIndex ? remember(write_index()) : Status{};
}

Status TraceWriter::Impl::write_names(const Names& from) {
  while (true) {
    const auto more = names_encoder.encode(from, kNamesPayload, out.payload());
    if (!more) return fail(more.error());
    if (!*more) return {};
    index.names.push_back(out.offset());
    if (auto ok = out.write(BlockType::names, summarizer.summary().events, 0); !ok) return ok;
  }
}

Status TraceWriter::Impl::write_index() {
  if (index.blocks.empty() && index.names.empty()) return {};
  const std::uint64_t events = summarizer.summary().events;
  footer.indexes.push_back({out.offset(), index.blocks.empty() ? events : index.blocks.front().first});
  encode_index(index, out.payload());
  index = {};
  return out.write(BlockType::index, events, 0);
}

Status TraceWriter::Impl::write_end() {
  if (failure) return fail(*failure);
  finished = true;
  // What was named since the last block; nothing where the caller brought the names.
  if (auto ok = write_names(names); !ok) return ok;
  if (auto ok = write_index(); !ok) return ok;
  const Summary& summary = summarizer.summary();
  for (std::size_t first = 0; first < summary.per_thread.size(); first += kThreadsPerBlock) {
    const std::size_t count = std::min(kThreadsPerBlock, summary.per_thread.size() - first);
    footer.threads.push_back({out.offset(), first});
    encode_threads(std::span(summary.per_thread).subspan(first, count), out.payload());
    if (auto ok = out.write(BlockType::threads, summary.events, 0); !ok) return ok;
  }
  const std::uint64_t offset = out.offset();
  footer.summary = summary;
  encode_footer(footer, out.payload());
  if (auto ok = out.write(BlockType::footer, summary.events, 0); !ok) return ok;
  if (auto ok = out.write_trailer(offset); !ok) return ok;
  return out.close();
}

}  // namespace deadheat
