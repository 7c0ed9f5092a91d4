// Writes records into a session as the runtime of a program does.
#pragma once

#include <sched.h>

#include <initializer_list>

#include "record/shared_session.h"

namespace deadheat::test {

// By hand: positions and stamps are what the test says.
class HandStream {
 public:
  HandStream(record::SharedSession& session, std::uint32_t thread, std::uint32_t handler = 0)
      : session_(session), chunk_(new_chunk(session)) {
    std::uint32_t i = 0;
    while (session->slots[i].state != runtime::Slot::empty) ++i;
    slot_ = &session->slots[i];
    slot_->thread = thread;
    slot_->handler = handler;
    slot_->first_chunk = chunk_;
    slot_->floor = runtime::kIdle;
    __atomic_store_n(&slot_->state, runtime::Slot::open, __ATOMIC_RELEASE);
    if (session->slots_used <= i) session->slots_used = i + 1;
  }

  // The least free number.
  static std::uint32_t new_chunk(record::SharedSession& session) {
    const std::uint64_t head = session->free_chunks;
    const auto first = static_cast<std::uint32_t>(head);
    if (first == 0) return session->chunks_used++;
    session->free_chunks = ((head >> 32) + 1) << 32 | runtime::chunk_at(session.get(), first)->next;
    runtime::chunk_at(session.get(), first)->next = 0;
    return first;
  }

  void raw(std::uint64_t what, std::uint64_t code) {
    if (at_ == runtime::Chunk::kRecords) next_chunk();
    runtime::Record& record = runtime::chunk_at(session_.get(), chunk_)->records[at_++];
    record.what = what;
    __atomic_store_n(&record.code, code, __ATOMIC_RELEASE);
  }
  void next_chunk() {
    const std::uint32_t next = new_chunk(session_);
    __atomic_store_n(&runtime::chunk_at(session_.get(), chunk_)->next, next, __ATOMIC_RELEASE);
    chunk_ = next;
    at_ = 0;
  }
  void put(runtime::Kind kind, std::uint64_t object, unsigned size = 0, std::uint64_t code = 0x1000,
           unsigned extra = 0) {
    raw(runtime::what_word(kind, object, size), runtime::code_word(code, extra));
  }
  void position(std::uint64_t p) { put(runtime::Kind::position, p); }
  // With its stamp, and what follows it.
  void stamped(std::uint64_t stamp, runtime::Kind kind, std::uint64_t object,
               std::initializer_list<std::uint64_t> operands = {}, unsigned extra = 0, unsigned size = 0) {
    position(stamp);
    put(kind, object, size, 0x1000, extra);
    for (const std::uint64_t operand : operands) raw(operand, runtime::code_word(0));
    if (session_->stamp <= stamp) session_->stamp = stamp + 1;
  }
  void floor(std::uint64_t floor) { slot_->floor = floor; }
  void close() { __atomic_store_n(&slot_->state, runtime::Slot::closed, __ATOMIC_RELEASE); }
  std::uint32_t state() const { return slot_->state; }
  std::uint32_t chunk() const { return chunk_; }

 private:
  record::SharedSession& session_;
  runtime::Slot* slot_;
  std::uint32_t chunk_;
  std::uint32_t at_ = 0;
};

// By a thread that runs beside the recorder, with the counter, floors and chunks of the session. Waits by
// looking again, so that no futex has to be right for the tests to end.
class LiveStream {
 public:
  LiveStream(record::SharedSession& session, std::uint32_t thread) : session_(session) {
    chunk_ = take_chunk();
    while (slot_ == nullptr) {
      for (std::uint32_t i = 0; i < 64 && slot_ == nullptr; ++i) {
        std::uint32_t expected = runtime::Slot::empty;
        if (__atomic_compare_exchange_n(&session->slots[i].state, &expected, runtime::Slot::taken, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
          slot_ = &session->slots[i];
          __atomic_store_n(&session->slots_used, 64, __ATOMIC_SEQ_CST);
        }
      }
    }
    slot_->thread = thread;
    slot_->handler = 0;
    slot_->first_chunk = chunk_;
    __atomic_store_n(&slot_->floor, runtime::kIdle, __ATOMIC_RELAXED);
    __atomic_store_n(&slot_->state, runtime::Slot::open, __ATOMIC_RELEASE);
  }
  ~LiveStream() { __atomic_store_n(&slot_->state, runtime::Slot::closed, __ATOMIC_RELEASE); }
  LiveStream(const LiveStream&) = delete;
  LiveStream& operator=(const LiveStream&) = delete;

  void access(runtime::Kind kind, std::uint64_t address, unsigned size) {
    reserve();
    tell_position(__atomic_load_n(&session_->stamp, __ATOMIC_RELAXED));
    put(runtime::what_word(kind, address, size), runtime::code_word(0x1000));
  }
  void event(runtime::Kind kind, std::uint64_t object, std::uint64_t operand = 0) {
    reserve();
    __atomic_store_n(&slot_->floor, __atomic_load_n(&session_->stamp, __ATOMIC_RELAXED), __ATOMIC_SEQ_CST);
    const std::uint64_t stamp = __atomic_fetch_add(&session_->stamp, 1, __ATOMIC_SEQ_CST);
    tell_position(stamp);
    put(runtime::what_word(kind, object), runtime::code_word(0x1000));
    if (runtime::operands(kind) > 0) put(operand, runtime::code_word(0));
    __atomic_store_n(&slot_->floor, runtime::kIdle, __ATOMIC_RELEASE);
    position_ = stamp + 1;
  }

 private:
  void put(std::uint64_t what, std::uint64_t code) {
    runtime::Record& record = runtime::chunk_at(session_.get(), chunk_)->records[at_++];
    record.what = what;
    __atomic_store_n(&record.code, code, __ATOMIC_RELEASE);
  }
  void tell_position(std::uint64_t position) {
    if (position != position_)
      put(runtime::what_word(runtime::Kind::position, position), runtime::code_word(0));
    position_ = position;
  }
  void reserve() {
    if (runtime::Chunk::kRecords - at_ >= 4) return;
    const std::uint32_t next = take_chunk();
    __atomic_store_n(&runtime::chunk_at(session_.get(), chunk_)->next, next, __ATOMIC_RELEASE);
    chunk_ = next;
    at_ = 0;
    __atomic_fetch_add(&session_->filled, 1, __ATOMIC_SEQ_CST);
  }
  std::uint32_t take_chunk() {
    std::uint32_t chunk = pop();
    if (chunk == 0) chunk = fresh();
    if (chunk != 0) return chunk;
    __atomic_fetch_add(&session_->chunks_wanted, 1, __ATOMIC_SEQ_CST);
    while ((chunk = pop()) == 0 && (chunk = fresh()) == 0) sched_yield();
    __atomic_fetch_sub(&session_->chunks_wanted, 1, __ATOMIC_SEQ_CST);
    return chunk;
  }
  std::uint32_t pop() {
    std::uint64_t head = __atomic_load_n(&session_->free_chunks, __ATOMIC_ACQUIRE);
    while (static_cast<std::uint32_t>(head) != 0) {
      runtime::Chunk* const chunk = session_.chunk(static_cast<std::uint32_t>(head));
      const std::uint64_t next = ((head >> 32) + 1) << 32 | __atomic_load_n(&chunk->next, __ATOMIC_RELAXED);
      if (__atomic_compare_exchange_n(&session_->free_chunks, &head, next, true, __ATOMIC_ACQUIRE,
                                      __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&chunk->next, 0, __ATOMIC_RELAXED);
        return static_cast<std::uint32_t>(head);
      }
    }
    return 0;
  }
  std::uint32_t fresh() {
    std::uint32_t used = __atomic_load_n(&session_->chunks_used, __ATOMIC_RELAXED);
    while (used < __atomic_load_n(&session_->chunks_most, __ATOMIC_RELAXED)) {
      if (__atomic_compare_exchange_n(&session_->chunks_used, &used, used + 1, true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
        return used;
      }
    }
    return 0;
  }

  record::SharedSession& session_;
  runtime::Slot* slot_ = nullptr;
  std::uint32_t chunk_ = 0;
  std::uint32_t at_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace deadheat::test
