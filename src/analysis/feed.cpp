#include "analysis/feed.h"

#include <atomic>
#include <utility>

namespace deadheat::analysis {

namespace {

// One reader for each slot.
class FileFeed final : public Feed {
 public:
  FileFeed(std::vector<std::unique_ptr<TraceReader>> readers, std::vector<BlockInfo> blocks)
      : readers_(std::move(readers)), blocks_(std::move(blocks)) {}

  Result<const BlockView*> load(std::uint64_t number, std::uint32_t slot) override {
    if (number >= blocks_.size()) return nullptr;
    TraceReader& reader = *readers_[slot];
    if (auto found = reader.seek(blocks_[number].first); !found) return fail(found.error());
    done_bytes_.fetch_add(blocks_[number].bytes, std::memory_order_relaxed);
    return reader.next();
  }
  bool side_by_side() const override { return true; }
  Progress progress() const override {
    return {done_bytes_.load(std::memory_order_relaxed), readers_.front()->file_bytes()};
  }
  std::vector<Warning> warnings() const override { return readers_.front()->warnings(); }
  Completeness completeness() const override { return readers_.front()->completeness(); }

 private:
  std::vector<std::unique_ptr<TraceReader>> readers_;
  std::vector<BlockInfo> blocks_;
  std::atomic<std::uint64_t> done_bytes_ = 0;
};

// Copies, where a block must outlive the next one.
class StreamFeed final : public Feed {
 public:
  StreamFeed(std::unique_ptr<Source> source, std::uint32_t slots)
      : source_(std::move(source)), copies_(slots) {}

  Result<const BlockView*> load(std::uint64_t, std::uint32_t slot) override {
    auto block = source_->next();
    const Progress now = source_->progress();
    done_bytes_.store(now.done_bytes, std::memory_order_relaxed);
    total_bytes_.store(now.total_bytes, std::memory_order_relaxed);
    if (!block || *block == nullptr || copies_.size() == 1) return block;
    return copies_[slot].copy(**block);
  }
  bool side_by_side() const override { return false; }
  Progress progress() const override {
    return {done_bytes_.load(std::memory_order_relaxed), total_bytes_.load(std::memory_order_relaxed)};
  }
  std::vector<Warning> warnings() const override { return source_->warnings(); }
  Completeness completeness() const override { return source_->completeness(); }

 private:
  struct Copy {
    std::vector<std::uint32_t> thread, object;
    std::vector<std::uint16_t> op;
    std::vector<Op> ops;
    BlockView view;

    const BlockView* copy(const BlockView& block) {
      thread.assign(block.thread.begin(), block.thread.end());
      object.assign(block.object.begin(), block.object.end());
      op.assign(block.op.begin(), block.op.end());
      ops.assign(block.ops.begin(), block.ops.end());
      view = {block.first, thread, op, object, ops};
      return &view;
    }
  };

  std::unique_ptr<Source> source_;
  std::vector<Copy> copies_;
  std::atomic<std::uint64_t> done_bytes_ = 0, total_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<Feed>> Feed::open(const std::string& path, const ReadOptions& options,
                                         std::uint32_t slots) {
  auto source = open_source(path, options);
  if (!source) return fail(source.error());
  auto* const reader = dynamic_cast<TraceReader*>(source->get());
  if (slots == 1 || reader == nullptr) return std::make_unique<StreamFeed>(std::move(*source), slots);
  auto blocks = reader->blocks();
  if (!blocks) return fail(blocks.error());
  std::vector<std::unique_ptr<TraceReader>> readers;
  for (std::uint32_t i = 0; i < slots; ++i) {
    auto another = TraceReader::open(path);
    // Out of descriptors, with many slots: one reader does.
    if (!another) return std::make_unique<StreamFeed>(std::move(*source), slots);
    readers.push_back(std::move(*another));
  }
  return std::make_unique<FileFeed>(std::move(readers), std::move(*blocks));
}

}  // namespace deadheat::analysis
