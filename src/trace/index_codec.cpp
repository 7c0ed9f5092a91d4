#include "trace/index_codec.h"

#include <algorithm>

#include "trace/bytes.h"

namespace deadheat::trace {

void encode_index(const Index& index, std::vector<char>& out) {
  ByteWriter w(out);
  w.fixed(static_cast<std::uint32_t>(index.blocks.size()));
  w.fixed(static_cast<std::uint32_t>(index.names.size()));
  for (const IndexEntry& entry : index.blocks) w.fixed(entry);
  for (const std::uint64_t offset : index.names) w.fixed(offset);
  for (const auto& threads : index.threads) {
    w.varint(threads.size());
    std::uint32_t previous = 0;
    for (const std::uint32_t t : threads) {
      w.varint(t - previous);
      previous = t;
    }
  }
}

Result<Index> decode_index(std::span<const char> payload) {
  ByteReader r(payload);
  const auto blocks = r.fixed<std::uint32_t>();
  const auto names = r.fixed<std::uint32_t>();
  if (r.left() < std::uint64_t{blocks} * sizeof(IndexEntry) + std::uint64_t{names} * sizeof(std::uint64_t)) {
    return input_error("a cut index block");
  }
  Index index;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const auto entry = r.fixed<IndexEntry>();
    if (entry.events == 0 || entry.events > kMaxBlockEvents ||
        (i > 0 && entry.first != index.blocks.back().first + index.blocks.back().events)) {
      return input_error("an index block whose entries do not follow each other");
    }
    index.blocks.push_back(entry);
  }
  for (std::uint32_t i = 0; i < names; ++i) index.names.push_back(r.fixed<std::uint64_t>());
  for (std::uint32_t i = 0; i < blocks && r.ok(); ++i) {
    auto& threads = index.threads.emplace_back();
    const std::uint64_t count = r.varint();
    std::uint32_t t = 0;
    for (std::uint64_t k = 0; k < count && r.ok(); ++k) {
      t += r.varint32();
      threads.push_back(t);
    }
  }
  if (!r.ok() || !r.at_end()) return input_error("an index block that does not fit its size");
  return index;
}

void encode_threads(std::span<const Summary::Thread> threads, std::vector<char>& out) {
  ByteWriter w(out);
  for (const Summary::Thread& t : threads) {
    w.fixed(t.events);
    w.fixed(t.first);
    w.fixed(t.last);
  }
}

Status decode_threads(std::span<const char> payload, std::size_t most, std::vector<Summary::Thread>& out) {
  ByteReader r(payload);
  while (r.ok() && !r.at_end()) {
    Summary::Thread t;
    t.events = r.fixed<std::uint64_t>();
    t.first = r.fixed<std::uint64_t>();
    t.last = r.fixed<std::uint64_t>();
    if (out.size() == most) return input_error("more threads than the footer tells of");
    out.push_back(t);
  }
  if (!r.ok()) return input_error("a cut threads block");
  return {};
}

namespace {

void write_pointers(ByteWriter& w, std::span<const Pointer> pointers) {
  w.fixed(static_cast<std::uint32_t>(pointers.size()));
  for (const Pointer& p : pointers) w.fixed(p);
}

bool read_pointers(ByteReader& r, std::vector<Pointer>& pointers) {
  const auto count = r.fixed<std::uint32_t>();
  for (std::uint32_t i = 0; i < count && r.ok(); ++i) {
    const auto p = r.fixed<Pointer>();
    if (!pointers.empty() && (p.first <= pointers.back().first || p.offset <= pointers.back().offset))
      return false;
    pointers.push_back(p);
  }
  return r.ok() && (pointers.empty() || pointers.front().first == 0);
}

}  // namespace

void encode_footer(const Footer& footer, std::vector<char>& out) {
  ByteWriter w(out);
  const Summary& s = footer.summary;
  w.fixed(s.events);
  // Readers of earlier minor versions know the kinds of those days alone: what they can read, they shall.
  std::size_t kinds = kEventKinds;
  while (kinds > kFirstEventKinds && s.by_kind[kinds - 1] == 0) --kinds;
  w.fixed(static_cast<std::uint32_t>(kinds));
  for (std::size_t i = 0; i < kinds; ++i) w.fixed(s.by_kind[i]);
  for (const std::uint32_t n : {s.threads, s.locks, s.variables, s.channels, s.barriers, s.sites, s.stacks,
                                s.max_locks_held, s.max_locks_held_by_thread}) {
    w.fixed(n);
  }
  write_pointers(w, footer.indexes);
  write_pointers(w, footer.threads);
  w.fixed(static_cast<std::uint32_t>(footer.completeness.declared ? 1 : 0));
  w.fixed(footer.completeness.omissions);
}

Result<Footer> decode_footer(std::span<const char> payload) {
  ByteReader r(payload);
  Footer footer;
  Summary& s = footer.summary;
  s.events = r.fixed<std::uint64_t>();
  const auto kinds = r.fixed<std::uint32_t>();
  if (kinds < kFirstEventKinds || kinds > kEventKinds) {
    return input_error("a footer with other event kinds; was this written by a newer deadheat?");
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kinds; ++i) sum += s.by_kind[i] = r.fixed<std::uint64_t>();
  for (std::uint32_t* n : {&s.threads, &s.locks, &s.variables, &s.channels, &s.barriers, &s.sites, &s.stacks,
                           &s.max_locks_held, &s.max_locks_held_by_thread}) {
    *n = r.fixed<std::uint32_t>();
  }
  const bool pointers = read_pointers(r, footer.indexes) && read_pointers(r, footer.threads);
  if (!pointers || !r.ok()) return input_error("a footer that does not fit its size");
  if (!r.at_end()) {  // before minor version 3 it ended here
    footer.completeness.declared = r.fixed<std::uint32_t>() == 1;
    footer.completeness.omissions = r.fixed<std::uint32_t>();
    if (footer.completeness.omissions != 0) footer.completeness.declared = false;
    if (!r.ok()) return input_error("a footer that does not fit its size");
  }
  if (sum != s.events || (footer.indexes.empty() && s.events > 0)) {
    return input_error("a footer that contradicts itself");
  }
  return footer;
}

}  // namespace deadheat::trace
