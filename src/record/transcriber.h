// Turns the records of a session, in merged order, into the events of a trace, and hands them to a sink in
// blocks. Whatever the program did, the trace is well formed: what cannot be said is said otherwise or left
// out, and counted (losses.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "deadheat/trace.h"
#include "model/block_builder.h"
#include "model/pair_table.h"
#include "record/cells.h"
#include "record/losses.h"
#include "record/merger.h"
#include "record/places.h"

namespace deadheat::record {

// Whether accesses at a code address (as the module's file counts them) are kept. Asked once for each
// address.
using Scope =
    std::function<bool(std::string_view module_path, std::string_view build_id, std::uint64_t address)>;

class Transcriber {
 public:
  // An empty scope keeps everything.
  Transcriber(const runtime::Session& session, Sink& sink, Scope scope = {});

  void access(const Stream& stream, const runtime::Record& record);
  void event(const Stream& stream, const runtime::Record& record, std::uint64_t operand,
             std::uint64_t second);

  // The events in hand are given to the sink.
  void flush();
  // The trace goes on in another one, which begins with what holds now: locks and barriers.
  void continue_in(Sink& sink);

  // Of the sink. Nothing is given to it behind one.
  const std::optional<Error>& failure() const { return failure_; }
  const Losses& losses() const { return losses_; }
  const Names& names() const { return names_; }
  std::uint64_t events() const { return events_; }
  std::uint32_t threads() const { return thread_count_; }
  // Bits of Omission, by what was left out here.
  std::uint32_t omissions() const;

 private:
  // A thread's stay at a barrier. It goes on when the barrier is forgotten: who is past it may destroy it
  // while others leave.
  struct Visit {
    std::uint32_t barrier = 0;  // one more than its id; 0: at none
    std::uint32_t channel = 0;  // one more than the id of that of a crowd; 0: no crowd
    std::uint64_t generation = kNoGeneration;
  };
  static constexpr std::uint64_t kNoGeneration = ~std::uint64_t{0};
  struct Thread {
    enum State : std::uint8_t { unknown, forked, alive, gone };
    std::uint32_t id = 0;
    State state = unknown;
    std::uint32_t holds = 0;  // of locks, at most
    Visit visit{};
  };
  struct Lock {
    std::uint32_t id = 0;  // one more than its id; 0: new
    std::uint32_t writer = 0;
    std::uint32_t depth = 0;    // of the writer
    std::uint32_t readers = 0;  // threads
    std::uint32_t channel = 0;  // one more than the id of that of releases by others; 0: none
    std::uint32_t sent_in = 0;  // the last trace with a message on that channel; 0: none
  };
  struct Channel {
    std::uint32_t id = 0;       // one more
    std::uint32_t sent_in = 0;  // the last trace with a message; 0: none
  };
  struct Barrier {
    std::uint32_t id = 0;    // one more
    std::uint64_t meet = 0;  // threads; 0: not known
    std::uint64_t enters = 0;
    std::uint64_t generation = 0;  // where `meet` is not known
    std::uint64_t inside = 0;      // threads
    std::uint32_t channel = 0;     // one more; 0: there was no crowd yet
    bool is_crowded = false;
  };
  // An operation of the block in hand, by what the record says.
  struct Known {
    std::uint64_t record = 0;  // code address, kind and size
    std::uint32_t rest = 0;    // node and offset
    std::uint16_t block = 0;   // of which it is the number; 0: none
    std::uint16_t op = 0;
  };
  static constexpr std::uint16_t kOutOfScope = 0xffff;  // instead of an op's code, of which a block has fewer
  static constexpr unsigned kKnownBits = 13;
  // Who would be given its own ids for memory that may never be touched.
  static constexpr std::uint64_t kLargeBlock = std::uint64_t{1} << 30;

  Thread& thread(std::uint32_t number);
  bool may_act(std::uint32_t number);
  void put(std::uint32_t thread, const Op& op, std::uint32_t object);
  void put_range(std::uint32_t thread, Op op, std::uint64_t address, std::uint64_t bytes);
  void put_access(std::uint32_t thread, const Op& op, std::uint64_t address, std::uint64_t bytes);
  void full_block();
  void new_block();
  std::uint16_t new_op(const Stream& stream, const runtime::Record& record, Known& known);
  bool in_scope(SiteId site);
  Op op_of(const Stream& stream, const runtime::Record& record, EventKind kind);

  void atomic(const Stream& stream, const runtime::Record& record, EventKind kind);
  void acquire(const Stream& stream, const runtime::Record& record);
  void acquire_shared(const Stream& stream, const runtime::Record& record);
  void release(const Stream& stream, const runtime::Record& record);
  void release_shared(const Stream& stream, const runtime::Record& record);
  void release_by_message(Lock& lock, std::uint32_t t, const Op& op);
  void receive_releases(Lock& lock, std::uint32_t t, const Op& op);
  void end_write_hold(Lock& lock, const Op& op);
  void end_read_holds(Lock& lock, const Op& op);
  void end_holds(const Thread& thread, const Op& op);
  void fork(const Stream& stream, const runtime::Record& record);
  void join(const Stream& stream, const runtime::Record& record);
  void gap(const Stream& stream, const runtime::Record& record, std::uint64_t bytes);
  void failed_attempt(const Stream& stream, const runtime::Record& record);
  void begin(const Stream& stream, const runtime::Record& record);
  void end(const Stream& stream, const runtime::Record& record);
  void message(const Stream& stream, const runtime::Record& record, EventKind kind);
  void barrier_init(const runtime::Record& record, std::uint64_t meet);
  void barrier_enter(const Stream& stream, const runtime::Record& record);
  void barrier_exit(const Stream& stream, const runtime::Record& record);
  void alloc(const Stream& stream, const runtime::Record& record, std::uint64_t bytes);
  void put_block(std::uint32_t t, const Op& op, std::uint64_t address, std::uint64_t bytes);
  void put_pages(std::uint32_t t, const Op& op, std::uint64_t begin, std::uint64_t end);
  void free(const Stream& stream, const runtime::Record& record);
  void fresh(const Stream& stream, const runtime::Record& record, std::uint64_t bytes);
  void unmap(const Stream& stream, const runtime::Record& record, std::uint64_t bytes);
  void forget_blocks(std::uint64_t address, std::uint64_t bytes);
  bool is_benign(std::uint64_t address, std::uint64_t bytes) const;
  void forget_benign(std::uint64_t address, std::uint64_t bytes);
  void name_thread(std::uint32_t number, std::uint64_t text, std::uint64_t rest);
  void new_image();
  void load(std::uint64_t modules);
  // Its number in the trace in hand.
  std::uint64_t next_event() const { return events_ + block_.size() - first_; }

  Lock& lock_at(std::uint64_t address);
  Barrier& barrier_at(std::uint64_t address);
  void crowd(Barrier& barrier, const Op& op);

  Sink* sink_;
  Names names_;
  Cells cells_;
  Places places_;
  Losses losses_;
  Scope scope_;
  enum class Asked : std::uint8_t { not_yet, in, out };
  std::vector<Asked> asked_;  // by site
  model::BlockBuilder block_;
  std::uint16_t block_number_ = 1;
  std::vector<Known> known_ = std::vector<Known>(std::size_t{1} << kKnownBits);
  std::optional<Error> failure_;
  std::uint64_t events_ = 0;
  std::uint64_t first_ = 0;  // of these in the trace in hand
  std::uint32_t trace_ = 1;  // rises when it goes on in another one

  std::vector<Thread> threads_;  // by number
  std::uint32_t thread_count_ = 0, lock_count_ = 0, channel_count_ = 0, barrier_count_ = 0;
  model::PairTable<Lock> locks_;             // by address
  model::PairTable<std::uint32_t> readers_;  // (lock, thread): depth
  model::PairTable<Channel> channels_;       // by address
  model::PairTable<Barrier> barriers_;       // by address
  model::PairTable<std::uint64_t> blocks_;   // of memory, by address: bytes
  // Memory that may race: begin and end. Few programs have any, and those few.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> benign_;
};

inline void Transcriber::access(const Stream& stream, const runtime::Record& record) {
  if (stream.thread >= threads_.size() || threads_[stream.thread].state != Thread::alive) [[unlikely]] {
    if (!may_act(stream.thread)) return;
  }
  const std::uint32_t t = threads_[stream.thread].id;
  const std::uint64_t address = record.object();
  if (!benign_.empty() && is_benign(address, record.size())) [[unlikely]]
    return losses_.add(Loss::benign);
  const auto offset = static_cast<std::uint32_t>(address % kCellBytes);
  if ((address & (Cells::kRegionBytes - 1)) + record.size() > Cells::kRegionBytes) [[unlikely]] {
    const auto kind = record.kind() == runtime::Kind::write ? EventKind::write : EventKind::read;
    return put_access(t, op_of(stream, record, kind), address, record.size());
  }
  const std::uint32_t cell = cells_.cell(address);
  if (cell == Cells::kNone) [[unlikely]]
    return losses_.add(Loss::no_cells);
  const std::uint64_t key = record.address() | record.what >> 48 << 48;
  const std::uint32_t rest = stream.node << 3 | offset;
  const std::uint64_t hash = (key ^ std::uint64_t{rest} << 29) * 0x9E3779B97F4A7C15u;
  Known& known = known_[hash >> (64 - kKnownBits)];
  std::uint16_t op = known.op;
  if (known.record != key || known.rest != rest || known.block != block_number_) [[unlikely]] {
    op = new_op(stream, record, known);
    known.record = key;
    known.rest = rest;
  }
  if (op == kOutOfScope) [[unlikely]]
    return losses_.add(Loss::out_of_scope);
  block_.append(ThreadId{t}, op, cell);
  if (block_.full()) [[unlikely]]
    full_block();
}

}  // namespace deadheat::record
