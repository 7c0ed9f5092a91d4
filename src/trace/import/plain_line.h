// The quick way through a line of the usual shape, op(object) and no attributes. What it does not know is
// left to parse_std_line, which reads every line: on what both read they agree (a test compares them).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "deadheat/event.h"

namespace deadheat::trace {

struct PlainLine {
  std::string_view thread, object, location;
  EventKind kind;
};

// The letters of an operation with its parenthesis as a number, as they lie in memory.
constexpr std::uint64_t packed(std::string_view letters) {
  std::uint64_t out = 0;
  for (std::size_t i = letters.size(); i-- > 0;) out = out << 8 | static_cast<unsigned char>(letters[i]);
  return out;
}

// The kind whose name and "(" begin these eight letters; kUnknownKind if there is none.
inline constexpr EventKind kUnknownKind{kEventKinds};
inline EventKind kind_of(std::uint64_t letters) {
  const std::uint64_t no_paren = letters ^ packed("((((((((");
  const std::uint64_t found = (no_paren - 0x0101010101010101u) & ~no_paren & 0x8080808080808080u;
  if (found == 0) return kUnknownKind;
  // All bits up to the top one of the first "(".
  const std::uint64_t word = letters & (found ^ (found - 1));
  switch (word) {
    case packed("r("):
      return EventKind::read;
    case packed("w("):
      return EventKind::write;
    case packed("acq("):
      return EventKind::acquire;
    case packed("rel("):
      return EventKind::release;
    case packed("racq("):
      return EventKind::acquire_shared;
    case packed("rrel("):
      return EventKind::release_shared;
    case packed("aload("):
      return EventKind::atomic_load;
    case packed("astore("):
      return EventKind::atomic_store;
    case packed("armw("):
      return EventKind::atomic_rmw;
    case packed("fork("):
      return EventKind::fork;
    case packed("join("):
      return EventKind::join;
    case packed("send("):
      return EventKind::send;
    case packed("recv("):
      return EventKind::recv;
    case packed("enter("):
      return EventKind::barrier_enter;
    case packed("exit("):
      return EventKind::barrier_exit;
    case packed("alloc("):
      return EventKind::alloc;
    case packed("free("):
      return EventKind::free;
    case packed("gapat("):
      return EventKind::gap_range;
    case packed("tryacq("):
      return EventKind::try_acquire_failed;
    case packed("tryrecv("):
      return EventKind::try_recv_failed;
    case packed("tryjoin("):
      return EventKind::try_join_failed;
    default:
      return kUnknownKind;
  }
}

// Reads the line [begin, line_end), whose bars are at bar1 and bar2 and which has no other marks; false if it
// is not of the usual shape. Eight bytes after bar1 can be read.
inline bool read_plain_line(const char* text, std::uint32_t begin, std::uint32_t bar1, std::uint32_t bar2,
                            std::uint32_t line_end, PlainLine& out) {
  static constexpr auto kNameSizes = [] {
    std::array<std::uint8_t, kEventKinds> sizes{};
    constexpr std::array<std::string_view, kEventKinds> kNames{
        "r",     "w",    "aload", "astore", "armw",   "fence",   "acq",    "rel",   "racq",
        "rrel",  "fork", "join",  "begin",  "end",    "send",    "recv",   "enter", "exit",
        "alloc", "free", "gap",   "gapat",  "tryacq", "tryrecv", "tryjoin"};
    for (std::size_t k = 0; k < kEventKinds; ++k) sizes[k] = static_cast<std::uint8_t>(kNames[k].size());
    return sizes;
  }();
  std::uint64_t letters;
  std::memcpy(&letters, text + bar1 + 1, 8);
  const EventKind kind = kind_of(letters);
  // Comments begin with "#", byte order marks with 0xEF.
  const auto may_begin_thread = [&](std::uint32_t at) { return text[at] != '#' && text[at] != '\xEF'; };
  if (kind == kUnknownKind || begin == bar1 || !may_begin_thread(begin)) return false;
  const std::uint32_t object = bar1 + 2u + kNameSizes[static_cast<std::size_t>(kind)];
  // At least one letter of object, and the closing parenthesis. (The opening one may lie beyond bar2.)
  if (object + 1 >= bar2 || text[bar2 - 1] != ')') return false;
  if (object_kind(kind) == ObjectKind::thread && !may_begin_thread(object)) return false;
  while (text[line_end - 1] == '\r') --line_end;
  out = {{text + begin, bar1 - begin},
         {text + object, bar2 - 1 - object},
         {text + bar2 + 1, line_end - bar2 - 1},
         kind};
  return true;
}

}  // namespace deadheat::trace
