// Reading, writing and seeking in traces.
//
//   auto source = deadheat::open_source("run.dht");  // .dht or STD text, also .gz or .zst; "-" is stdin
//   while (true) {
//     auto block = (*source)->next();
//     if (!block) die(block.error().message);
//     if (*block == nullptr) break;                  // the end
//     for (std::size_t i = 0; i < (*block)->size(); ++i) use((**block)[i]);
//   }
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "deadheat/event.h"
#include "deadheat/names.h"
#include "deadheat/result.h"

namespace deadheat {

// Something the user should know of, that did not stop the work. Counted, never repeated per event. The
// message leaves it to who shows it to name the trace.
struct Warning {
  std::string message;
  std::uint64_t count = 1;
  bool is_incomplete = false;  // the input ends before its end
};

// Why accesses of the program may be missing from a recording without a gap that says so. The numbers are
// those of the file format and of sessions.
enum class Omission : std::uint32_t {
  stock_instrumentation = 1,  // of a compiler that leaves out reads which make no race
  opaque_unmarked = 2,        // calls into code that is not instrumented left no gaps
  sampled = 4,                // a share of the accesses, or some of the time
  ignored = 8,                // accesses left out by place or by the program's wish
};
inline constexpr std::size_t kOmissions = 4;
constexpr Omission omission(std::size_t i) { return Omission{std::uint32_t{1} << i}; }
std::string_view name_of(Omission omission);     // "sampled": stable, for scripts
std::string_view meaning_of(Omission omission);  // for people: "accesses were sampled"

// Whether the events are all that matters. Of files that do not say, nobody knows.
struct Completeness {
  bool declared = false;        // complete but for the gaps among the events
  std::uint32_t omissions = 0;  // bits of Omission; there are none where it is declared

  static constexpr Completeness complete() { return {.declared = true}; }
  // Declared if there is no omission.
  static constexpr Completeness without(std::uint32_t omissions) { return {omissions == 0, omissions}; }
  friend bool operator==(const Completeness&, const Completeness&) = default;
};
// "complete", "unknown", "unknown (sampled, ignored)": as in text traces.
std::string text_of(const Completeness& completeness);

struct Progress {
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;  // 0: not known
};

// A stream of events, whatever it comes from.
class Source {
 public:
  virtual ~Source() = default;
  // The next block, or nullptr after the last. The view is valid until the next call.
  virtual Result<const BlockView*> next() = 0;
  // Names of all ids in the blocks read so far.
  virtual const Names& names() const = 0;
  virtual std::vector<Warning> warnings() const { return {}; }
  virtual Progress progress() const { return {}; }
  // Known behind the last block; of a .dht that can be sought in, from the start.
  virtual Completeness completeness() const { return {}; }
};

// Where events go, whatever becomes of them.
class Sink {
 public:
  virtual ~Sink() = default;
  // Ids in the block are named by `names`, which must be the same object in every call, and may only grow.
  virtual Status append(const BlockView& block, const Names& names) = 0;
  // Of the whole, said before finish(). Unless it is, a .dht does not know, and a text has all there is.
  virtual void declare(const Completeness& /*completeness*/) {}
  virtual Status finish() = 0;  // nothing is complete before this
};

struct ReadOptions {
  bool literal_threads = false;  // text: fork(151) means a thread called "151", never T151
  bool skip_bad = false;         // text: leave out unreadable lines and count them
};

// Opens any trace: .dht, STD text, either of them compressed. "-" is standard input.
Result<std::unique_ptr<Source>> open_source(const std::string& path, const ReadOptions& options = {});

// What the footer of a .dht tells without reading the events.
struct Summary {
  std::uint64_t events = 0;
  std::array<std::uint64_t, kEventKinds> by_kind{};
  std::uint32_t threads = 0, locks = 0, variables = 0, channels = 0, barriers = 0;
  std::uint32_t sites = 0, stacks = 0;         // the "none" entries not counted
  std::uint32_t max_locks_held = 0;            // at one moment, by all threads together (RPT's h)
  std::uint32_t max_locks_held_by_thread = 0;  // at one moment, by one thread; re-entered locks count once
  struct Thread {
    std::uint64_t events = 0, first = 0, last = 0;
    friend bool operator==(const Thread&, const Thread&) = default;
  };
  std::vector<Thread> per_thread;  // by ThreadId; first and last mean nothing where events is 0

  friend bool operator==(const Summary&, const Summary&) = default;
};

// Where the blocks of events are.
struct BlockInfo {
  std::uint64_t offset = 0;  // in the file
  std::uint64_t first = 0;   // number of the first event
  std::uint32_t events = 0;
  std::uint32_t bytes = 0;  // with header
};

// Random access to a .dht file. Safe to use from one thread; open one per thread, they share nothing.
class TraceReader final : public Source {
 public:
  static Result<std::unique_ptr<TraceReader>> open(const std::string& path);
  ~TraceReader() override;

  Result<const BlockView*> next() override;
  const Names& names() const override;
  std::vector<Warning> warnings() const override;
  Progress progress() const override;
  Completeness completeness() const override;

  // False for a file whose writer did not finish: all whole blocks can be read, the summary is found by a
  // scan.
  bool complete() const;
  std::uint64_t events() const;
  std::uint64_t file_bytes() const;
  std::uint64_t bytes_read() const;  // of the file, so far
  // What the footer tells by itself: all of the summary but what is known by thread. Nothing but the number
  // of events for an unfinished file.
  const Summary& totals() const;
  // From the footer, or (unfinished files) by reading every event once.
  Result<Summary> summary();
  // The next block returned by next() is the one that holds this event. Decodes nothing; reads O(1) of the
  // file.
  Status seek(std::uint64_t event);
  // The block that holds an event. Reads at most one page of the index.
  Result<BlockInfo> block_of(std::uint64_t event);
  // That block, and not a byte more. Names are not followed.
  Result<const BlockView*> read(const BlockInfo& block);
  // Loads the names, which next() does by itself as it goes from the start, and seek() does not.
  Status load_names();
  // All blocks, in order.
  Result<std::vector<BlockInfo>> blocks();
  // The blocks in which a thread has events, in order.
  Result<std::vector<BlockInfo>> blocks_of(ThreadId thread);

 private:
  struct Impl;
  explicit TraceReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct WriteOptions {
  int zstd_level = 0;  // 0: blocks are not compressed
  std::size_t block_events = kBlockEvents;
};

// Writes a .dht, to a file or a pipe. What was appended is in the file block by block: a writer that is
// killed loses the block in hand and nothing else.
class TraceWriter final : public Sink {
 public:
  // "-" is standard output.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path,
                                                     const WriteOptions& options = {});
  ~TraceWriter() override;

  // One event at a time, with ids named by names().
  Status append(const Event& event);
  Names& names();

  // Whole blocks, with ids named by the caller's table. Not to be mixed with the above.
  Status append(const BlockView& block, const Names& names) override;

  void declare(const Completeness& completeness) override;
  Status finish() override;
  const Summary& summary() const;  // of what was appended so far
  std::uint64_t bytes_written() const;

 private:
  struct Impl;
  explicit TraceWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct TextOptions {
  bool extended = false;  // all event kinds and attributes; else what STD can express
  bool lossy = false;     // leave out what cannot be expressed, and count it, instead of failing
};

struct RepairReport {
  std::uint64_t events = 0;         // kept
  std::uint64_t bytes_dropped = 0;  // after the last whole block
  bool was_complete = false;        // nothing to do
};
// Copies the whole blocks of a .dht whose writer was killed to a new file, with a footer.
Result<RepairReport> repair(const std::string& from, const std::string& to);

}  // namespace deadheat
