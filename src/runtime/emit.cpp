#include "runtime/emit.h"

#include <sched.h>

#include "runtime/chunks.h"
#include "runtime/depot.h"
#include "runtime/opaque_calls.h"
#include "runtime/start.h"

namespace deadheat::runtime {

constinit thread_local Thread t_self{};
bool g_recording = false;
Session* g_session = nullptr;

namespace {

// The most that one event needs: position, stack, itself and two operands.
constexpr std::ptrdiff_t kMostRecords = 5;

[[gnu::always_inline]] inline void put(Thread& t, std::uint64_t what, std::uint64_t code) {
  Record* const at = t.next;
  at->what = what;
  // The recorder reads what it sees; x86 keeps the order of stores, so this costs nothing.
  __atomic_store_n(&at->code, code, __ATOMIC_RELEASE);
  t.next = at + 1;
}

// Room for one event, in this chunk or the next.
bool reserve(Thread& t) {
  if (t.limit - t.next >= kMostRecords) return true;
  const std::uint32_t chunk = take_chunk(*g_session);
  if (chunk == 0) {
    g_recording = false;
    return false;
  }
  __atomic_store_n(&chunk_at(g_session, t.chunk)->next, chunk, __ATOMIC_RELEASE);
  open_chunk(t, chunk);
  tell_filled(*g_session);
  return true;
}

Accesses accesses_now() {
  Accesses now;
  __atomic_load(&g_session->accesses, &now, __ATOMIC_RELAXED);
  return now;
}

bool careful(const Thread& t) { return t.ignore_accesses != 0 || accesses_now() != Accesses::all; }
void settle(Thread& t) { t.end = careful(t) ? t.next : t.limit; }

[[gnu::always_inline]] inline void put_position(Thread& t, std::uint64_t position) {
  if (t.position == position) return;
  t.position = position;
  put(t, what_word(Kind::position, position), code_word(0));
}

// As node_of(); mostly one of few that the thread had lately.
[[gnu::always_inline]] inline std::uint32_t recent_node_of(ShadowFrames& frames, std::uint32_t caller,
                                                           std::uint64_t code) {
  const std::uint64_t mixed = (code ^ std::uint64_t{caller} << 20) * 0x9E3779B97F4A7C15;
  std::uint32_t& recent = frames.recent[mixed >> (64 - ShadowFrames::kRecentBits)];
  const std::uint32_t node = recent;
  const Node& found = g_session->nodes[node];
  if (__builtin_expect(found.code == code && found.caller == caller && node != 0, true)) return node;
  return recent = node_of(*g_session, caller, code);
}

[[gnu::always_inline]] inline void put_stack(Thread& t) {
  if (t.top == t.written) return;
  ShadowFrames& frames = *t.frames;
  const std::ptrdiff_t depth = t.top - frames.code;
  std::ptrdiff_t i = t.known - frames.code;
  std::uint32_t node = t.known == t.base ? 0 : frames.node[i - 1];
  for (; i < depth; ++i) frames.node[i] = node = recent_node_of(frames, node, frames.code[i]);
  t.known = t.written = t.top;
  put(t, what_word(Kind::stack, node), code_word(0));
}

bool is_kept(Thread& t) {
  if (t.ignore_accesses != 0) return false;
  switch (accesses_now()) {
    case Accesses::off:
      return false;
    case Accesses::all:
      return true;
    case Accesses::some:
      t.random ^= t.random << 13;
      t.random ^= t.random >> 7;
      t.random ^= t.random << 17;
      return static_cast<std::uint32_t>(t.random >> 16) < g_session->rate;
  }
  return true;
}

// Before an access of the thread is written; false: it is not.
bool begin_access(Thread& t) {
  if (t.slot == nullptr && !adopt_thread(t)) return false;
  if (!is_kept(t) || !reserve(t)) {
    t.end = t.next;
    return false;
  }
  put_position(t, __atomic_load_n(&g_session->stamp, __ATOMIC_RELAXED));
  put_stack(t);
  return true;
}

// What a thread that ignores synchronisation does without: who it started and what it allocated is kept.
bool makes_order(Kind kind) {
  return kind <= Kind::forget_lock || (kind >= Kind::send && kind <= Kind::forget_barrier);
}

// What stays where it is even if other code ran before: the beginning of a thread, memory that is new, names.
bool has_gap_before(Kind kind) {
  switch (kind) {
    case Kind::gap:
    case Kind::begin:
    case Kind::alloc:
    case Kind::fresh:
    case Kind::thread_name:
    case Kind::benign:
    case Kind::modules:
      return false;
    default:
      return true;
  }
}

}  // namespace

// Where a module has other instrumentation, which removes no marks, the recording is incomplete anyway.
void leave_gap_if_opaque(Address pc) {
  constexpr auto kOther = static_cast<std::uint32_t>(Incomplete::stock_instrumentation);
  if (__deadheat_call_mark == 0 || !g_recording) return;
  if ((__atomic_load_n(&g_session->incomplete, __ATOMIC_RELAXED) & kOther) == 0) emit_gap(0, 0, pc);
}

void access_with_care(Kind kind, Address address, unsigned size, Address pc) {
  Thread& t = t_self;
  // A call or return, or a step of the counter, and nothing else.
  if (__builtin_expect(t.next != t.end && t.limit - t.next >= kMostRecords, true) &&
      accesses_now() == Accesses::all) {
    put_position(t, __atomic_load_n(&g_session->stamp, __ATOMIC_RELAXED));
    put_stack(t);
    return put(t, what_word(kind, address, size), code_word(pc));
  }
  if (!begin_access(t)) return;
  put(t, what_word(kind, address, size), code_word(pc));
  settle(t);
}

void emit_range(Kind kind, Address address, std::size_t bytes, Address pc) {
  Thread& t = t_self;
  if (!g_recording || bytes == 0) return;
  leave_gap_if_opaque(pc);
  if (!begin_access(t)) return;
  put(t, what_word(kind, address), code_word(pc));
  put(t, bytes, code_word(0));
  settle(t);
}

void emit_with(Kind kind, std::uint64_t object, Address pc, std::uint64_t operand, std::uint64_t second,
               unsigned extra, unsigned size) {
  Thread& t = t_self;
  if (!g_recording || (t.ignore_sync != 0 && makes_order(kind))) return;
  if (__builtin_expect(__deadheat_call_mark != 0, false) && has_gap_before(kind)) leave_gap_if_opaque(pc);
  if (t.slot == nullptr && !adopt_thread(t)) return;
  // Whatever may wait comes before the stamp: the recorder waits for who has one and has not written yet.
  if (!reserve(t)) return;
  put_stack(t);
  Session& session = *g_session;
  __atomic_store_n(&t.slot->floor, __atomic_load_n(&session.stamp, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
  const std::uint64_t stamp = __atomic_fetch_add(&session.stamp, 1, __ATOMIC_SEQ_CST);
  put_position(t, stamp);
  // All records of one event become visible with the first: the recorder waits for the operands.
  put(t, what_word(kind, object, size), code_word(pc, extra));
  const unsigned count = operands(kind);
  if (count > 0) put(t, operand, code_word(0));
  if (count > 1) put(t, second, code_word(0));
  __atomic_store_n(&t.slot->floor, kIdle, __ATOMIC_RELEASE);
  t.position = stamp + 1;  // as the recorder counts
  settle(t);
}

void emit(Kind kind, std::uint64_t object, Address pc, unsigned extra, unsigned size) {
  emit_with(kind, object, pc, 0, 0, extra, size);
}

void look_again() {
  if (t_self.slot != nullptr) settle(t_self);
}

namespace {

constexpr std::size_t kStripes = 1024;
StripeState g_stripes[kStripes];

}  // namespace

StripeState& stripe_of(Address address) { return g_stripes[(address >> 3) * 0x9E3779B97F4A7C15 >> 54]; }

Stripe::Stripe(Address address) : state_(stripe_of(address)), is_mine_(t_self.in_stripe == 0) {
  if (!is_mine_) return;
  t_self.in_stripe = 1;  // before it is taken: a handler may come in between
  // Who holds it may be gone: a process that shares this memory, made by clone, can end at any time.
  constexpr unsigned kPatience = 1u << 24;
  for (unsigned spins = 0; __atomic_exchange_n(&state_.taken, 1, __ATOMIC_ACQUIRE) != 0; ++spins) {
    if (spins == kPatience) break;
    if (spins % 64 == 63) {
      sched_yield();
    } else {
      __builtin_ia32_pause();
    }
  }
}

Stripe::~Stripe() {
  if (!is_mine_) return;
  __atomic_store_n(&state_.taken, 0, __ATOMIC_RELEASE);
  t_self.in_stripe = 0;
}

void free_stripes() {
  for (StripeState& stripe : g_stripes) stripe.taken = 0;
}

}  // namespace deadheat::runtime
