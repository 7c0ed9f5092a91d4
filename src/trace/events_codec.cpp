#include "trace/events_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/assert.h"
#include "trace/bit_pack.h"
#include "trace/bytes.h"
#include "trace/stream_vbyte.h"

namespace deadheat::trace {

namespace {

constexpr unsigned kKindMask = 0x1F;
constexpr unsigned kHasStack = 0x20;
constexpr unsigned kHasValue = 0x40;
constexpr std::size_t kMaxRun = 256;

constexpr bool has_value(EventKind kind) {
  return object_kind(kind) == ObjectKind::variable || is_barrier(kind);
}

// What is wrong with an operation, or nullptr.
const char* fault(const Op& op) {
  if (static_cast<std::size_t>(op.kind) >= kEventKinds) return "unknown event kind";
  if (static_cast<std::size_t>(op.order) >= kMemoryOrders) return "unknown memory order";
  if (!has_order(op.kind) && op.order != MemoryOrder::relaxed) return "a memory order where there is none";
  if (op.offset >= (has_offset(op.kind) ? kCellBytes : 1)) return "an offset outside of the cell";
  if (!has_value(op.kind) && op.value != 0) return "a size where there is none";
  if (object_kind(op.kind) == ObjectKind::variable && op.value > kMaxAccessBytes)
    return "an access of absurd size";
  return nullptr;
}

bool plausible(const Bounds& bounds, std::uint64_t events) {
  for (const ObjectKind kind :
       {ObjectKind::thread, ObjectKind::lock, ObjectKind::channel, ObjectKind::barrier}) {
    if (!plausible_bound(bounds.of(kind), events)) return false;
  }
  return true;
}

}  // namespace

// ---- encoding ----

Status EventsEncoder::encode(const BlockView& block, Bounds& bounds, std::vector<char>& out) {
  DEADHEAT_ASSERT(block.size() > 0 && block.size() <= kMaxBlockEvents,
                  "a block holds 1 to kMaxBlockEvents events");
  if (auto ok = prepare_ops(block); !ok) return ok;
  const std::uint32_t most_thread = *std::max_element(block.thread.begin(), block.thread.end());
  if (!plausible_bound(std::uint64_t{most_thread} + 1, block.first + block.size())) {
    return input_error(
        fmt::format("thread id {} in event block at {}: ids must be dense", most_thread, block.first));
  }
  find_threads(block);
  find_deltas(block);
  bounds.of(ObjectKind::thread) = std::max(bounds.of(ObjectKind::thread), most_thread + 1);
  if (auto ok = raise_bounds(block, bounds); !ok) return ok;

  EventsHeader header{};
  header.bounds = bounds;
  header.ops = static_cast<std::uint32_t>(block.ops.size());
  header.own_threads = static_cast<std::uint32_t>(own_threads_.size());
  header.op_bits = static_cast<std::uint8_t>(bits_for(header.ops));
  const unsigned wide_bits = own_threads_.size() <= 256 ? 8 : 16;
  const unsigned flat_bits = own_threads_.size() <= 16 ? 4 : wide_bits;
  const bool flat = runs_.size() * (wide_bits / 8 + 1) > block.size() * flat_bits / 8;
  header.runs = flat ? 0 : static_cast<std::uint32_t>(runs_.size());
  header.thread_bits = static_cast<std::uint8_t>(flat ? flat_bits : wide_bits);

  const std::size_t start = out.size();
  out.resize(start + sizeof header);
  write_dictionary(block, out);
  header.dictionary_bytes = static_cast<std::uint32_t>(out.size() - start - sizeof header);
  write_threads(block, header, out);
  write_ops(block, header, out);
  write_objects(header, out);
  out.resize(out.size() + kPadding);
  std::memcpy(out.data() + start, &header, sizeof header);
  return {};
}

Status EventsEncoder::prepare_ops(const BlockView& block) {
  if (block.ops.size() > kMaxBlockEvents) return input_error("more operations than events in a block");
  for (const Op& op : block.ops) {
    if (const char* what = fault(op)) {
      return input_error(fmt::format("an operation in event block at {} has {}", block.first, what));
    }
  }
  ops_.assign(block.ops.size(), OpState{});
  return {};
}

void EventsEncoder::find_threads(const BlockView& block) {
  own_threads_.clear();
  runs_.clear();
  if (++stamp_ == 0) {
    std::fill(thread_stamp_.begin(), thread_stamp_.end(), 0);
    stamp_ = 1;
  }
  for (std::size_t i = 0; i < block.size();) {
    const std::uint32_t t = block.thread[i];
    std::size_t end = i + 1;
    while (end < block.size() && block.thread[end] == t && end - i < kMaxRun) ++end;
    if (t >= thread_stamp_.size()) {
      thread_stamp_.resize(std::size_t{t} + 1, 0);
      thread_code_.resize(std::size_t{t} + 1);
    }
    if (thread_stamp_[t] != stamp_) {
      thread_stamp_[t] = stamp_;
      thread_code_[t] = static_cast<std::uint16_t>(own_threads_.size());
      own_threads_.push_back(t);
    }
    runs_.push_back({thread_code_[t], static_cast<std::uint8_t>(end - i - 1)});
    i = end;
  }
}

void EventsEncoder::find_deltas(const BlockView& block) {
  deltas_.resize(block.size());
  lengths_ = {};
  for (std::size_t i = 0; i < block.size(); ++i) {
    OpState& op = ops_[block.op[i]];
    const std::uint32_t object = block.object[i];
    if (!op.used) op = {object, object, object, true};
    const std::uint32_t delta = zigzag32(object - op.last);
    op.last = object;
    op.most = std::max(op.most, object);
    deltas_[i] = delta;
    ++lengths_[byte_length(delta)];
  }
}

Status EventsEncoder::raise_bounds(const BlockView& block, Bounds& bounds) const {
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    const Op& op = block.ops[i];
    const ObjectKind kind = object_kind(op.kind);
    // An operation that no event uses has no objects, but its site and stack are written.
    const std::uint64_t objects =
        ops_[i].used ? ops_[i].most + (kind == ObjectKind::variable ? cells(op) : 1) : 0;
    if (objects > UINT32_MAX || index(op.site) == UINT32_MAX || index(op.stack) == UINT32_MAX) {
      return input_error(fmt::format("event block at {}: more than 2^32 - 1 ids of one kind", block.first));
    }
    if (kind == ObjectKind::none && objects > 1) {
      return input_error(fmt::format("event block at {}: an object where there is none", block.first));
    }
    bounds.of(kind) = std::max(bounds.of(kind), static_cast<std::uint32_t>(objects));
    bounds.sites = std::max(bounds.sites, index(op.site) + 1);
    bounds.stacks = std::max(bounds.stacks, index(op.stack) + 1);
  }
  if (!plausible(bounds, block.first + block.size())) {
    return input_error(fmt::format(
        "event block at {}: ids of threads, locks, channels and barriers must be dense", block.first));
  }
  return {};
}

void EventsEncoder::write_dictionary(const BlockView& block, std::vector<char>& out) const {
  ByteWriter w(out);
  std::uint32_t previous = 0;
  for (const std::uint32_t t : own_threads_) {
    w.delta(t, previous);
    previous = t;
  }
  std::uint32_t site = 0, stack = 0, base = 0;
  for (std::size_t i = 0; i < block.ops.size(); ++i) {
    const Op& op = block.ops[i];
    const bool stacked = op.stack != StackId::none;
    const bool valued = op.value != 0 || op.offset != 0;
    w.fixed(static_cast<std::uint8_t>(static_cast<unsigned>(op.kind) | (stacked ? kHasStack : 0) |
                                      (valued ? kHasValue : 0)));
    if (has_order(op.kind)) w.fixed(static_cast<std::uint8_t>(op.order));
    w.delta(index(op.site), site);
    if (stacked) {
      w.delta(index(op.stack), stack);
      stack = index(op.stack);
    }
    if (valued && has_offset(op.kind)) w.fixed(op.offset);
    if (valued) w.varint(op.value);
    w.delta(ops_[i].base, base);
    site = index(op.site);
    base = ops_[i].base;
  }
}

void EventsEncoder::write_threads(const BlockView& block, const EventsHeader& header,
                                  std::vector<char>& out) const {
  const std::size_t start = out.size();
  if (header.runs != 0) {
    const std::size_t width = header.thread_bits / 8;
    out.resize(start + runs_.size() * (width + 1));
    char* codes = out.data() + start;
    char* lengths = codes + runs_.size() * width;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      std::memcpy(codes + i * width, &runs_[i].code, width);  // little-endian: the low byte comes first
      lengths[i] = static_cast<char>(runs_[i].length);
    }
    return;
  }
  out.resize(start + (block.size() * header.thread_bits + 7) / 8);
  char* codes = out.data() + start;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const std::uint16_t code = thread_code_[block.thread[i]];
    if (header.thread_bits == 4) {
      codes[i / 2] = static_cast<char>(static_cast<unsigned char>(codes[i / 2]) | (code << (i % 2 * 4)));
    } else {
      std::memcpy(codes + i * header.thread_bits / 8, &code, header.thread_bits / 8);
    }
  }
}

void EventsEncoder::write_ops(const BlockView& block, const EventsHeader& header,
                              std::vector<char>& out) const {
  const std::size_t start = out.size();
  const std::size_t bytes = packed_bytes(block.size(), header.op_bits);
  out.resize(start + bytes + 8);
  pack_bits(block.op, header.op_bits, out.data() + start);
  out.resize(start + bytes);
}

void EventsEncoder::write_objects(EventsHeader& header, std::vector<char>& out) const {
  header.omitted = static_cast<std::uint8_t>(cheapest_omission(lengths_));
  const std::size_t start = out.size();
  const std::size_t control = control_bytes(deltas_.size());
  out.resize(start + control + 4 * deltas_.size() + 4);
  const std::size_t bytes =
      encode_lengths(deltas_, header.omitted, out.data() + start, out.data() + start + control);
  out.resize(start + control + bytes);
  header.object_bytes = static_cast<std::uint32_t>(bytes);
}

// ---- decoding ----

void EventsDecoder::make_room(std::uint32_t events) {
  if (op_.size() >= events + std::size_t{8}) return;
  op_.resize(events + 8);            // codes are unpacked eight at a time
  thread_.resize(events + kMaxRun);  // runs are written in steps of eight
  object_.resize(events + 4);        // objects four at a time
}

Result<BlockView> EventsDecoder::decode(std::span<const char> payload, std::uint64_t first,
                                        std::uint32_t events) {
  if (events == 0 || events > kMaxBlockEvents)
    return input_error(fmt::format("{} events in one block", events));
  if (payload.size() < sizeof(EventsHeader)) return input_error("the block is too short for its header");
  const auto header = load<EventsHeader>(payload.data());
  bounds_ = header.bounds;
  if (bounds_.of(ObjectKind::none) != 1 || !plausible(bounds_, first + events))
    return input_error("ids out of proportion to the number of events");
  if (header.ops == 0 || header.ops > kMaxBlockEvents || header.own_threads == 0 ||
      header.own_threads > events || header.runs > events || header.op_bits != bits_for(header.ops) ||
      header.omitted >= kLengths) {
    return input_error("the block's header contradicts itself");
  }
  const bool nibbles = header.thread_bits == 4 && header.runs == 0 && header.own_threads <= 16;
  const bool bytes = header.thread_bits == 8 && header.own_threads <= 256;
  if (!nibbles && !bytes && header.thread_bits != 16)
    return input_error("the width of thread codes is wrong");

  const std::uint64_t thread_bytes = header.runs != 0
                                         ? std::uint64_t{header.runs} * (header.thread_bits / 8 + 1)
                                         : (std::uint64_t{events} * header.thread_bits + 7) / 8;
  const std::uint64_t op_bytes = packed_bytes(events, header.op_bits);
  const std::uint64_t control = control_bytes(events);
  const std::uint64_t wanted = sizeof header + std::uint64_t{header.dictionary_bytes} + thread_bytes +
                               op_bytes + control + header.object_bytes + kPadding;
  if (payload.size() != wanted) {
    return input_error(
        fmt::format("the block has {} bytes where its sections take {}", payload.size(), wanted));
  }
  make_room(events);
  std::span<const char> rest = payload.subspan(sizeof header);
  const auto take = [&rest](std::uint64_t n) {
    const auto section = rest.first(n);
    rest = rest.subspan(n);
    return section;
  };
  if (auto ok = read_dictionary(header, take(header.dictionary_bytes)); !ok) return fail(ok.error());
  if (auto ok = read_threads(header, take(thread_bytes), events); !ok) return fail(ok.error());
  if (auto ok = read_ops(header, take(op_bytes), events); !ok) return fail(ok.error());
  const char* control_at = take(control).data();
  if (auto ok = read_objects(header, control_at, rest.data(), events); !ok) return fail(ok.error());
  return BlockView{.first = first,
                   .thread = {thread_.data(), events},
                   .op = {op_.data(), events},
                   .object = {object_.data(), events},
                   .ops = op_table_,
                   .actors = own_threads_};
}

Status EventsDecoder::read_dictionary(const EventsHeader& header, std::span<const char> bytes) {
  ByteReader r(bytes);
  own_threads_.resize(header.own_threads);
  std::uint32_t previous = 0;
  for (std::uint32_t& t : own_threads_) {
    t = previous = r.delta(previous);
    if (t >= bounds_.of(ObjectKind::thread)) return input_error("a thread id out of range");
  }
  op_table_.resize(header.ops);
  op_state_.resize(header.ops);
  std::array<std::uint32_t, kEventKinds> bounds{};  // of objects, where an operation has no size
  for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
    bounds[kind] = object_bound({.kind = static_cast<EventKind>(kind)});
  }
  std::uint32_t site = 0, stack = 0, base = 0;
  for (std::uint32_t i = 0; i < header.ops && r.ok(); ++i) {
    const auto tag = r.fixed<std::uint8_t>();
    Op op;
    op.kind = static_cast<EventKind>(tag & kKindMask);
    if (static_cast<std::size_t>(op.kind) >= kEventKinds || (tag & 0x80) != 0) {
      return input_error(fmt::format("unknown event kind {}; was this written by a newer deadheat?", tag));
    }
    const bool ordered = has_order(op.kind), valued = (tag & kHasValue) != 0;
    if (ordered) op.order = static_cast<MemoryOrder>(r.fixed<std::uint8_t>());
    site = r.delta(site);
    op.site = SiteId{site};
    if ((tag & kHasStack) != 0) {
      stack = r.delta(stack);
      op.stack = StackId{stack};
    }
    if (valued) {
      if (has_offset(op.kind)) op.offset = r.fixed<std::uint8_t>();
      op.value = r.varint();
    }
    base = r.delta(base);
    if (ordered || valued) {  // else there is nothing to be wrong
      if (const char* what = fault(op)) return input_error(fmt::format("an operation with {}", what));
    }
    if (site >= bounds_.sites || index(op.stack) >= bounds_.stacks) {
      return input_error("a site or stack out of range");
    }
    op_table_[i] = op;
    op_state_[i] = {base, valued ? object_bound(op) : bounds[static_cast<std::size_t>(op.kind)]};
  }
  if (!r.ok() || !r.at_end()) return input_error("the dictionary of operations does not fill its section");
  return {};
}

// What the object of an event with this operation must be smaller than.
std::uint32_t EventsDecoder::object_bound(const Op& op) const {
  const ObjectKind kind = object_kind(op.kind);
  const std::uint64_t bound = bounds_.of(kind);
  if (kind != ObjectKind::variable) return static_cast<std::uint32_t>(bound);
  // All of an access must lie below the bound, not its first cell only.
  const std::uint64_t more = cells(op) - 1;
  return static_cast<std::uint32_t>(bound > more ? bound - more : 0);
}

Status EventsDecoder::read_threads(const EventsHeader& header, std::span<const char> bytes,
                                   std::uint32_t events) {
  const std::uint32_t known = header.own_threads;
  const auto* raw = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::size_t width = header.thread_bits / 8;
  const auto code_at = [&](std::size_t i) -> std::uint32_t {
    return width == 1 ? raw[i] : load<std::uint16_t>(bytes.data() + 2 * i);
  };
  if (header.runs != 0) {
    const unsigned char* lengths = raw + std::size_t{header.runs} * width;
    std::size_t at = 0;
    for (std::size_t i = 0; i < header.runs; ++i) {
      const std::uint32_t code = code_at(i);
      const std::size_t length = std::size_t{lengths[i]} + 1;
      if (code >= known || at + length > events)
        return input_error("the runs of threads do not fit the block");
      const std::uint32_t t = own_threads_[code];
      std::uint32_t* to = thread_.data() + at;
      // Eight at a time, past the run's end: the next run writes over it, and there is room after the last.
      for (std::size_t j = 0; j < length; j += 8) std::fill_n(to + j, 8, t);
      at += length;
    }
    if (at != events) return input_error("the runs of threads do not fit the block");
    return {};
  }
  bool bad = false;
  if (header.thread_bits == 4) {
    std::array<std::uint32_t, 16> table{};
    std::copy(own_threads_.begin(), own_threads_.end(), table.begin());
    for (std::size_t i = 0; i < events; ++i) {
      const unsigned code = raw[i / 2] >> (i % 2 * 4) & 15;
      bad |= code >= known;
      thread_[i] = table[code];
    }
    bad |= events % 2 != 0 && raw[events / 2] >> 4 != 0;
  } else {
    for (std::size_t i = 0; i < events; ++i) {
      const std::uint32_t code = code_at(i);
      bad |= code >= known;
      thread_[i] = own_threads_[std::min(code, known - 1)];
    }
  }
  if (bad) return input_error("a thread code out of range");
  return {};
}

Status EventsDecoder::read_ops(const EventsHeader& header, std::span<const char> bytes,
                               std::uint32_t events) {
  unpack_bits(bytes.data(), events, header.op_bits, op_.data());
  std::uint16_t most = 0;
  for (std::size_t i = 0; i < events; ++i) most = std::max(most, op_[i]);
  if (most >= header.ops) return input_error("an operation code out of range");
  return {};
}

Status EventsDecoder::read_objects(const EventsHeader& header, const char* control, const char* data,
                                   std::uint32_t events) {
  if (encoded_size(control, events, header.omitted) != header.object_bytes) {
    return input_error("the objects do not fill their section");
  }
  decode_lengths(control, data, events, header.omitted, object_.data());
  bool bad = false;
  OpState* const ops = op_state_.data();
  std::uint32_t* const object = object_.data();
  for (std::size_t i = 0; i < events; ++i) {
    OpState& op = ops[op_[i]];
    const std::uint32_t id = op.last + unzigzag32(object[i]);
    op.last = id;
    object[i] = id;
    bad |= id >= op.bound;
  }
  if (bad) return input_error("an object id out of range");
  return {};
}

}  // namespace deadheat::trace
