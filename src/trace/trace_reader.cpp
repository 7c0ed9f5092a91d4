// TraceReader: a .dht file, forwards and by event number.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/file.h"
#include "deadheat/trace.h"
#include "trace/block_io.h"
#include "trace/bytes.h"
#include "trace/event_stream.h"
#include "trace/index_codec.h"
#include "trace/names_codec.h"
#include "trace/summarize.h"

namespace deadheat {

using namespace trace;

struct TraceReader::Impl {
  explicit Impl(base::File from)
      : file(std::move(from)),
        stream([this](char* to, std::size_t bytes) { return fill(to, bytes); }, file.name()) {}

  Result<std::size_t> read_at(std::uint64_t at, char* to, std::size_t bytes) {
    const auto got = file.read_at(at, to, bytes);
    if (got) bytes_read += *got;
    return got;
  }
  Result<std::size_t> fill(char* to, std::size_t bytes) {
    if (position < stop) bytes = std::min<std::uint64_t>(bytes, stop - position);
    const auto got = read_at(position, to, bytes);
    if (got) position += *got;
    return got;
  }

  Status open();
  Result<bool> read_footer();
  Status scan();
  Result<std::span<const char>> block_at(std::uint64_t offset, BlockType type);
  Result<const Index*> index_page(std::size_t page);
  Result<IndexEntry> entry_of(std::uint64_t event);
  void go_to(const IndexEntry& block);
  Error damaged(const std::string& what) const {
    return {Error::Kind::input,
            file.name() + ": " + what + "; the file is damaged, 'deadheat repair' may help"};
  }

  base::File file;
  std::uint64_t position = 0;  // of the stream's next read
  std::uint64_t stop = 0;      // one read does not go from before this place to behind it
  std::uint64_t bytes_read = 0;
  std::uint64_t file_bytes = 0;
  EventStream stream;
  bool complete = false;
  Footer footer;
  std::uint64_t torn_bytes = 0;  // of an unfinished file

  // The index page in hand; of an unfinished file, the whole index, found by a scan.
  Index page;
  std::optional<std::size_t> page_number;

  std::unique_ptr<BlockStream> direct;  // for blocks out of order
  std::uint64_t direct_position = 0;
  std::optional<Summary> summary;
  enum class NamesAre { following, loaded, missing } names_are = NamesAre::following;
};

TraceReader::TraceReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceReader::~TraceReader() = default;

Result<std::unique_ptr<TraceReader>> TraceReader::open(const std::string& path) {
  auto file = base::File::open_to_read(path);
  if (!file) return fail(file.error());
  if (!file->is_regular())
    return io_error(file->name() + ": not a regular file; a stream cannot be sought in");
  std::unique_ptr<TraceReader> reader(new TraceReader(std::make_unique<Impl>(std::move(*file))));
  if (auto ok = reader->impl_->open(); !ok) return fail(ok.error());
  return reader;
}

Status TraceReader::Impl::open() {
  const auto size = file.size();
  if (!size) return fail(size.error());
  file_bytes = *size;
  if (auto ok = stream.read_file_header(); !ok) return ok;
  const auto whole = read_footer();
  if (!whole) return fail(whole.error());
  complete = *whole;
  if (!complete) {
    if (auto ok = scan(); !ok) return ok;
  }
  stream.restart(sizeof(FileHeader), 0);
  position = sizeof(FileHeader);
  return {};
}

// False: there is no trailer, so the writer did not finish.
Result<bool> TraceReader::Impl::read_footer() {
  Trailer trailer{};
  if (file_bytes < sizeof(FileHeader) + sizeof trailer) return false;
  const auto got = read_at(file_bytes - sizeof trailer, reinterpret_cast<char*>(&trailer), sizeof trailer);
  if (!got) return fail(got.error());
  if (*got != sizeof trailer || trailer.hash != hash_bytes(&trailer, offsetof(Trailer, hash))) return false;
  const auto payload = block_at(trailer.footer_offset, BlockType::footer);
  if (!payload) return fail(payload.error());
  auto decoded = decode_footer(*payload);
  if (!decoded) return fail(damaged(decoded.error().message));
  footer = std::move(*decoded);
  // Every block has a header, so a file holds only so many events: numbers beyond that are not to be
  // believed.
  if (footer.summary.events / kMaxBlockEvents > file_bytes / sizeof(BlockHeader) ||
      !plausible_bound(footer.summary.threads, footer.summary.events)) {
    return fail(damaged("the footer tells of more than the file can hold"));
  }
  return true;
}

// Hops over the blocks of an unfinished file by their headers. Payloads are checked when they are read.
Status TraceReader::Impl::scan() {
  std::uint64_t at = sizeof(FileHeader);
  std::uint64_t events = 0;
  while (at + sizeof(BlockHeader) <= file_bytes) {
    BlockHeader header{};
    const auto got = read_at(at, reinterpret_cast<char*>(&header), sizeof header);
    if (!got) return fail(got.error());
    if (*got < sizeof header || !check_block_header(header)) break;
    const std::uint64_t whole = sizeof header + std::uint64_t{header.stored_bytes};
    if (at + whole > file_bytes || header.type == BlockType::footer) break;
    if (header.type == BlockType::events) {
      if (header.first != events || header.events == 0) break;
      page.blocks.push_back({at, events, header.events, static_cast<std::uint32_t>(whole)});
      events += header.events;
    } else if (header.type == BlockType::names) {
      page.names.push_back(at);
    }
    at += whole;
  }
  torn_bytes = file_bytes - at;
  footer.summary.events = events;
  return {};
}

Result<std::span<const char>> TraceReader::Impl::block_at(std::uint64_t offset, BlockType type) {
  if (!direct) {
    direct = std::make_unique<BlockStream>([this](char* to, std::size_t wanted) {
      const auto got = read_at(direct_position, to, std::min<std::size_t>(wanted, std::size_t{1} << 16));
      if (got) direct_position += *got;
      return got;
    });
  }
  direct->restart(offset);
  direct_position = offset;
  const auto block = direct->next();
  if (!block) {
    if (block.error().kind == Error::Kind::io) return fail(block.error());
    return fail(damaged(fmt::format("byte {}: {}", offset, block.error().message)));
  }
  if (!*block || (*block)->header.type != type)
    return fail(damaged(fmt::format("byte {}: no such block", offset)));
  return (*block)->payload;
}

Result<const Index*> TraceReader::Impl::index_page(std::size_t number) {
  if (!complete || page_number == number) return &page;
  const Pointer& pointer = footer.indexes[number];
  const auto payload = block_at(pointer.offset, BlockType::index);
  if (!payload) return fail(payload.error());
  auto decoded = decode_index(*payload);
  if (!decoded) return fail(damaged(decoded.error().message));
  const std::uint64_t end =
      number + 1 < footer.indexes.size() ? footer.indexes[number + 1].first : footer.summary.events;
  // The last page may hold names only, of events that all have their blocks in pages before.
  const auto& blocks = decoded->blocks;
  const std::uint64_t from = blocks.empty() ? end : blocks.front().first;
  const std::uint64_t to = blocks.empty() ? end : blocks.back().first + blocks.back().events;
  if (from != pointer.first || to != end) {
    return fail(damaged("the index does not cover all events"));
  }
  page = std::move(*decoded);
  page_number = number;
  return &page;
}

Result<const BlockView*> TraceReader::next() {
  Impl& me = *impl_;
  // An unfinished file ends where its whole blocks end, whatever torn bytes follow.
  if (!me.complete && me.stream.events() == me.footer.summary.events) return nullptr;
  auto block = me.stream.next();
  if (block && *block == nullptr && me.complete && !me.stream.finished()) {
    return fail(me.damaged("the file became shorter while it was read"));
  }
  return block;
}

const Names& TraceReader::names() const { return impl_->stream.names(); }
Completeness TraceReader::completeness() const { return impl_->footer.completeness; }
bool TraceReader::complete() const { return impl_->complete; }
std::uint64_t TraceReader::events() const { return impl_->footer.summary.events; }
std::uint64_t TraceReader::file_bytes() const { return impl_->file_bytes; }
std::uint64_t TraceReader::bytes_read() const { return impl_->bytes_read; }
const Summary& TraceReader::totals() const { return impl_->footer.summary; }
Progress TraceReader::progress() const { return {impl_->stream.offset(), impl_->file_bytes}; }

std::vector<Warning> TraceReader::warnings() const {
  if (impl_->complete) return {};
  return {{unfinished_message(events(), impl_->torn_bytes), 1, true}};
}

Result<Summary> TraceReader::summary() {
  Impl& me = *impl_;
  if (me.summary) return *me.summary;
  Summary summary = me.footer.summary;
  if (me.complete) {
    for (const Pointer& pointer : me.footer.threads) {
      const auto payload = me.block_at(pointer.offset, BlockType::threads);
      if (!payload) return fail(payload.error());
      if (auto ok = decode_threads(*payload, summary.threads, summary.per_thread); !ok)
        return fail(me.damaged(ok.error().message));
    }
    if (summary.per_thread.size() != summary.threads)
      return fail(me.damaged("the table of threads is not whole"));
  } else {
    auto scan = TraceReader::open(me.file.name());
    if (!scan) return fail(scan.error());
    (*scan)->impl_->stream.ignore_names();
    Summarizer summarizer;
    while (true) {
      const auto block = (*scan)->next();
      if (!block) return fail(block.error());
      if (*block == nullptr) break;
      summarizer.add(**block, (*scan)->impl_->stream.bounds());
    }
    summary = summarizer.summary();
  }
  me.summary = summary;
  return summary;
}

Result<IndexEntry> TraceReader::Impl::entry_of(std::uint64_t event) {
  if (event >= footer.summary.events) {
    return fail(
        {Error::Kind::usage, fmt::format("{}: there is no event {}; the trace has {}, numbered from 0",
                                         file.name(), event, footer.summary.events)});
  }
  const auto& pages = footer.indexes;
  const auto after = std::upper_bound(pages.begin(), pages.end(), event,
                                      [](std::uint64_t e, const Pointer& p) { return e < p.first; });
  const auto found = index_page(pages.empty() ? 0 : static_cast<std::size_t>(after - pages.begin()) - 1);
  if (!found) return fail(found.error());
  const auto& blocks = (*found)->blocks;
  const auto behind = std::upper_bound(blocks.begin(), blocks.end(), event,
                                       [](std::uint64_t e, const IndexEntry& b) { return e < b.first; });
  if (behind == blocks.begin()) return fail(damaged("the index does not cover all events"));
  return *(behind - 1);
}

void TraceReader::Impl::go_to(const IndexEntry& block) {
  if (names_are == NamesAre::following) names_are = NamesAre::missing;
  stream.ignore_names();
  stream.restart(block.offset, block.first);
  position = block.offset;
  stop = block.offset + block.bytes;
}

Status TraceReader::seek(std::uint64_t event) {
  const auto block = impl_->entry_of(event);
  if (!block) return fail(block.error());
  impl_->go_to(*block);
  return {};
}

Result<BlockInfo> TraceReader::block_of(std::uint64_t event) {
  const auto block = impl_->entry_of(event);
  if (!block) return fail(block.error());
  return BlockInfo{block->offset, block->first, block->events, block->bytes};
}

Result<const BlockView*> TraceReader::read(const BlockInfo& block) {
  Impl& me = *impl_;
  me.go_to({block.offset, block.first, block.events, block.bytes});
  auto view = next();
  if (view && (*view == nullptr || (*view)->size() != block.events))
    return fail(me.damaged(fmt::format("byte {}: no such block", block.offset)));
  return view;
}

Status TraceReader::load_names() {
  Impl& me = *impl_;
  if (me.names_are == Impl::NamesAre::loaded) return {};
  me.stream.names() = Names();
  me.stream.ignore_names();
  const std::size_t pages = me.complete ? me.footer.indexes.size() : 1;
  for (std::size_t i = 0; i < pages; ++i) {
    const auto page = me.index_page(i);
    if (!page) return fail(page.error());
    const auto offsets = (*page)->names;
    for (const std::uint64_t offset : offsets) {
      const auto payload = me.block_at(offset, BlockType::names);
      if (!payload) return fail(payload.error());
      if (auto ok = decode_names(*payload, me.stream.names()); !ok)
        return fail(me.damaged(ok.error().message));
    }
  }
  me.names_are = Impl::NamesAre::loaded;
  return {};
}

Result<std::vector<BlockInfo>> TraceReader::blocks() {
  Impl& me = *impl_;
  std::vector<BlockInfo> found;
  const std::size_t pages = me.complete ? me.footer.indexes.size() : 1;
  for (std::size_t i = 0; i < pages; ++i) {
    const auto page = me.index_page(i);
    if (!page) return fail(page.error());
    for (const IndexEntry& b : (*page)->blocks) found.push_back({b.offset, b.first, b.events, b.bytes});
  }
  return found;
}

Result<std::vector<BlockInfo>> TraceReader::blocks_of(ThreadId thread) {
  Impl& me = *impl_;
  if (!me.complete) {
    return fail({Error::Kind::usage, me.file.name() + ": an unfinished trace has no index by thread; "
                                                      "'deadheat repair' makes one"});
  }
  std::vector<BlockInfo> found;
  for (std::size_t i = 0; i < me.footer.indexes.size(); ++i) {
    const auto page = me.index_page(i);
    if (!page) return fail(page.error());
    for (std::size_t k = 0; k < (*page)->blocks.size(); ++k) {
      const auto& threads = (*page)->threads[k];
      if (!std::binary_search(threads.begin(), threads.end(), index(thread))) continue;
      const IndexEntry& b = (*page)->blocks[k];
      found.push_back({b.offset, b.first, b.events, b.bytes});
    }
  }
  return found;
}

}  // namespace deadheat
