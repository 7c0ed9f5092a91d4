// Streams of stdio: the program's buffers are read and written. They make no order: what a stream holds back
// is written by whoever fills it, so that nothing can be said of who learns from whom.
#include <stdio.h>

#include "runtime/emit.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

void reads(const void* p, std::size_t bytes, Address pc) {
  if (recording() && !is_outside(pc)) emit_range(Kind::read_range, reinterpret_cast<Address>(p), bytes, pc);
}

void writes(const void* p, std::size_t bytes, Address pc) {
  if (recording() && !is_outside(pc)) emit_range(Kind::write_range, reinterpret_cast<Address>(p), bytes, pc);
}

std::size_t length_of(const char* text) {
  std::size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}

}  // namespace

#define DEADHEAT_READ_STREAM(name)                                                                     \
  DEADHEAT_INTERCEPT(std::size_t, name, (void* to, std::size_t size, std::size_t count, FILE* from)) { \
    const std::size_t got = REAL(name)(to, size, count, from);                                         \
    writes(to, got* size, DEADHEAT_CALLER);                                                            \
    return got;                                                                                        \
  }
DEADHEAT_READ_STREAM(fread)
DEADHEAT_READ_STREAM(fread_unlocked)

#define DEADHEAT_WRITE_STREAM(name)                                                                          \
  DEADHEAT_INTERCEPT(std::size_t, name, (const void* from, std::size_t size, std::size_t count, FILE* to)) { \
    reads(from, size* count, DEADHEAT_CALLER);                                                               \
    return REAL(name)(from, size, count, to);                                                                \
  }
DEADHEAT_WRITE_STREAM(fwrite)
DEADHEAT_WRITE_STREAM(fwrite_unlocked)

DEADHEAT_INTERCEPT(char*, fgets, (char* to, int most, FILE* from)) {
  char* const got = REAL(fgets)(to, most, from);
  if (got != nullptr && recording()) writes(to, length_of(to) + 1, DEADHEAT_CALLER);
  return got;
}

DEADHEAT_INTERCEPT(int, fputs, (const char* text, FILE* to)) {
  if (recording()) reads(text, length_of(text) + 1, DEADHEAT_CALLER);
  return REAL(fputs)(text, to);
}

DEADHEAT_INTERCEPT(int, puts, (const char* text)) {
  if (recording()) reads(text, length_of(text) + 1, DEADHEAT_CALLER);
  return REAL(puts)(text);
}

DEADHEAT_INTERCEPT(std::size_t, __fread_chk,
                   (void* to, std::size_t room, std::size_t size, std::size_t count, FILE* from)) {
  const std::size_t got = REAL(__fread_chk)(to, room, size, count, from);
  writes(to, got * size, DEADHEAT_CALLER);
  return got;
}

DEADHEAT_INTERCEPT(char*, __fgets_chk, (char* to, std::size_t room, int most, FILE* from)) {
  char* const got = REAL(__fgets_chk)(to, room, most, from);
  if (got != nullptr && recording()) writes(to, length_of(to) + 1, DEADHEAT_CALLER);
  return got;
}

}  // namespace deadheat::runtime
