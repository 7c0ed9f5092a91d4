// Functions on memory and strings: reads and writes of the bytes that they really touch, recorded before they
// are touched where that is known.
//
// The C library's own headers are not included: they declare some of these twice for C++.
#include <cstdarg>
#include <cstddef>

#include "runtime/emit.h"
#include "runtime/exported.h"
#include "runtime/intercept/allocation.h"
#include "runtime/intercept/formats.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

using std::size_t;

void reads(const void* p, size_t bytes, Address pc) {
  if (bytes != 0 && !is_outside(pc)) emit_range(Kind::read_range, reinterpret_cast<Address>(p), bytes, pc);
}

void writes(const void* p, size_t bytes, Address pc) {
  if (bytes != 0 && !is_outside(pc)) emit_range(Kind::write_range, reinterpret_cast<Address>(p), bytes, pc);
}

size_t least(size_t a, size_t b) { return a < b ? a : b; }

size_t distance(const void* from, const void* to) {
  return static_cast<size_t>(static_cast<const char*>(to) - static_cast<const char*>(from));
}

unsigned char folded(char c) { return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

// How many bytes of each a comparison looks at: up to the first difference, the end, or `most`.
size_t compared(const char* a, const char* b, size_t most) {
  size_t i = 0;
  while (i < most && a[i] == b[i] && a[i] != 0) ++i;
  return i < most ? i + 1 : most;
}

size_t compared_folded(const char* a, const char* b, size_t most) {
  size_t i = 0;
  while (i < most && folded(a[i]) == folded(b[i]) && a[i] != 0) ++i;
  return i < most ? i + 1 : most;
}

int order_at(const char* a, const char* b, size_t looked_at) {
  if (looked_at == 0) return 0;
  const size_t last = looked_at - 1;
  return static_cast<unsigned char>(a[last]) - static_cast<unsigned char>(b[last]);
}

constexpr size_t kNoLimit = ~size_t{0};

}  // namespace

// Memory.

#define DEADHEAT_COPY(name)                                                                            \
  DEADHEAT_INTERCEPT(void*, name, (void* to, const void* from, size_t bytes)) {                        \
    if (recording()) {                                                                                 \
      reads(from, bytes, DEADHEAT_CALLER);                                                             \
      writes(to, bytes, DEADHEAT_CALLER);                                                              \
    }                                                                                                  \
    return REAL(name)(to, from, bytes);                                                                \
  }                                                                                                    \
  DEADHEAT_INTERCEPT(void*, __##name##_chk, (void* to, const void* from, size_t bytes, size_t room)) { \
    if (recording()) {                                                                                 \
      reads(from, bytes, DEADHEAT_CALLER);                                                             \
      writes(to, least(bytes, room), DEADHEAT_CALLER);                                                 \
    }                                                                                                  \
    return REAL(__##name##_chk)(to, from, bytes, room);                                                \
  }
DEADHEAT_COPY(memcpy)
DEADHEAT_COPY(memmove)
DEADHEAT_COPY(mempcpy)

DEADHEAT_INTERCEPT(void*, __mempcpy, (void* to, const void* from, size_t bytes)) {
  if (recording()) {
    reads(from, bytes, DEADHEAT_CALLER);
    writes(to, bytes, DEADHEAT_CALLER);
  }
  return REAL(mempcpy)(to, from, bytes);
}

DEADHEAT_INTERCEPT(void, bcopy, (const void* from, void* to, size_t bytes)) {
  if (recording()) {
    reads(from, bytes, DEADHEAT_CALLER);
    writes(to, bytes, DEADHEAT_CALLER);
  }
  REAL(memmove)(to, from, bytes);
}

DEADHEAT_INTERCEPT(void*, memset, (void* to, int value, size_t bytes)) {
  if (recording()) writes(to, bytes, DEADHEAT_CALLER);
  return REAL(memset)(to, value, bytes);
}

DEADHEAT_INTERCEPT(void*, __memset_chk, (void* to, int value, size_t bytes, size_t room)) {
  if (recording()) writes(to, least(bytes, room), DEADHEAT_CALLER);
  return REAL(__memset_chk)(to, value, bytes, room);
}

#define DEADHEAT_ZERO(name)                                  \
  DEADHEAT_INTERCEPT(void, name, (void* to, size_t bytes)) { \
    if (recording()) writes(to, bytes, DEADHEAT_CALLER);     \
    REAL(memset)(to, 0, bytes);                              \
  }
DEADHEAT_ZERO(bzero)
DEADHEAT_ZERO(__bzero)
DEADHEAT_ZERO(explicit_bzero)

#define DEADHEAT_COMPARE(name)                                                         \
  DEADHEAT_INTERCEPT(int, name, (const void* a, const void* b, size_t bytes)) {        \
    const int order = REAL(memcmp)(a, b, bytes);                                       \
    if (recording()) {                                                                 \
      size_t looked_at = bytes;                                                        \
      if (order != 0) {                                                                \
        looked_at = 0;                                                                 \
        const char *c = static_cast<const char*>(a), *d = static_cast<const char*>(b); \
        while (looked_at < bytes && c[looked_at] == d[looked_at]) ++looked_at;         \
        looked_at = least(looked_at + 1, bytes);                                       \
      }                                                                                \
      reads(a, looked_at, DEADHEAT_CALLER);                                            \
      reads(b, looked_at, DEADHEAT_CALLER);                                            \
    }                                                                                  \
    return order;                                                                      \
  }
DEADHEAT_COMPARE(memcmp)
DEADHEAT_COMPARE(bcmp)

DEADHEAT_INTERCEPT(void*, memchr, (const void* s, int c, size_t bytes)) {
  void* const found = REAL(memchr)(s, c, bytes);
  if (recording()) reads(s, found != nullptr ? distance(s, found) + 1 : bytes, DEADHEAT_CALLER);
  return found;
}

DEADHEAT_INTERCEPT(void*, memrchr, (const void* s, int c, size_t bytes)) {
  void* const found = REAL(memrchr)(s, c, bytes);
  if (recording()) {
    const void* const first = found != nullptr ? found : s;
    reads(first, bytes - distance(s, first), DEADHEAT_CALLER);
  }
  return found;
}

DEADHEAT_INTERCEPT(void*, rawmemchr, (const void* s, int c)) {
  void* const found = REAL(rawmemchr)(s, c);
  if (recording()) reads(s, distance(s, found) + 1, DEADHEAT_CALLER);
  return found;
}

DEADHEAT_INTERCEPT(void*, __rawmemchr, (const void* s, int c)) {
  void* const found = REAL(rawmemchr)(s, c);
  if (recording()) reads(s, distance(s, found) + 1, DEADHEAT_CALLER);
  return found;
}

DEADHEAT_INTERCEPT(void*, memmem, (const void* s, size_t bytes, const void* part, size_t part_bytes)) {
  void* const found = REAL(memmem)(s, bytes, part, part_bytes);
  if (recording()) {
    reads(s, found != nullptr ? distance(s, found) + part_bytes : bytes, DEADHEAT_CALLER);
    reads(part, part_bytes, DEADHEAT_CALLER);
  }
  return found;
}

// What is sorted is moved about by the C library; the comparison is the program's.
DEADHEAT_INTERCEPT(void, qsort,
                   (void* s, size_t count, size_t size, int (*compare)(const void*, const void*))) {
  if (recording()) {
    reads(s, count * size, DEADHEAT_CALLER);
    writes(s, count * size, DEADHEAT_CALLER);
  }
  REAL(qsort)(s, count, size, compare);
}

DEADHEAT_INTERCEPT(void, qsort_r,
                   (void* s, size_t count, size_t size, int (*compare)(const void*, const void*, void*),
                    void* argument)) {
  if (recording()) {
    reads(s, count * size, DEADHEAT_CALLER);
    writes(s, count * size, DEADHEAT_CALLER);
  }
  REAL(qsort_r)(s, count, size, compare, argument);
}

// Strings that are read.

DEADHEAT_INTERCEPT(size_t, strlen, (const char* s)) {
  const size_t length = REAL(strlen)(s);
  if (recording()) reads(s, length + 1, DEADHEAT_CALLER);
  return length;
}

DEADHEAT_INTERCEPT(size_t, strnlen, (const char* s, size_t most)) {
  const size_t length = REAL(strnlen)(s, most);
  if (recording()) reads(s, least(length + 1, most), DEADHEAT_CALLER);
  return length;
}

DEADHEAT_INTERCEPT(int, strcmp, (const char* a, const char* b)) {
  if (!recording()) return REAL(strcmp)(a, b);
  const size_t looked_at = compared(a, b, kNoLimit);
  reads(a, looked_at, DEADHEAT_CALLER);
  reads(b, looked_at, DEADHEAT_CALLER);
  return order_at(a, b, looked_at);
}

DEADHEAT_INTERCEPT(int, strncmp, (const char* a, const char* b, size_t most)) {
  if (!recording()) return REAL(strncmp)(a, b, most);
  const size_t looked_at = compared(a, b, most);
  reads(a, looked_at, DEADHEAT_CALLER);
  reads(b, looked_at, DEADHEAT_CALLER);
  return order_at(a, b, looked_at);
}

// The result is the C library's, which knows the locale; how far it looked is told by ASCII.
DEADHEAT_INTERCEPT(int, strcasecmp, (const char* a, const char* b)) {
  if (recording()) {
    const size_t looked_at = compared_folded(a, b, kNoLimit);
    reads(a, looked_at, DEADHEAT_CALLER);
    reads(b, looked_at, DEADHEAT_CALLER);
  }
  return REAL(strcasecmp)(a, b);
}

DEADHEAT_INTERCEPT(int, strncasecmp, (const char* a, const char* b, size_t most)) {
  if (recording()) {
    const size_t looked_at = compared_folded(a, b, most);
    reads(a, looked_at, DEADHEAT_CALLER);
    reads(b, looked_at, DEADHEAT_CALLER);
  }
  return REAL(strncasecmp)(a, b, most);
}

#define DEADHEAT_FIND(name)                                                                     \
  DEADHEAT_INTERCEPT(char*, name, (const char* s, int c)) {                                     \
    char* const found = REAL(name)(s, c);                                                       \
    if (recording()) {                                                                          \
      reads(s, (found != nullptr ? distance(s, found) : REAL(strlen)(s)) + 1, DEADHEAT_CALLER); \
    }                                                                                           \
    return found;                                                                               \
  }
DEADHEAT_FIND(strchr)
DEADHEAT_FIND(index)
DEADHEAT_FIND(strchrnul)

#define DEADHEAT_FIND_LAST(name)                                     \
  DEADHEAT_INTERCEPT(char*, name, (const char* s, int c)) {          \
    if (recording()) reads(s, REAL(strlen)(s) + 1, DEADHEAT_CALLER); \
    return REAL(strrchr)(s, c);                                      \
  }
DEADHEAT_FIND_LAST(strrchr)
DEADHEAT_FIND_LAST(rindex)

#define DEADHEAT_FIND_STRING(name)                                                                     \
  DEADHEAT_INTERCEPT(char*, name, (const char* s, const char* part)) {                                 \
    char* const found = REAL(name)(s, part);                                                           \
    if (recording()) {                                                                                 \
      const size_t length = REAL(strlen)(part);                                                        \
      reads(s, found != nullptr ? distance(s, found) + length : REAL(strlen)(s) + 1, DEADHEAT_CALLER); \
      reads(part, length + 1, DEADHEAT_CALLER);                                                        \
    }                                                                                                  \
    return found;                                                                                      \
  }
DEADHEAT_FIND_STRING(strstr)
DEADHEAT_FIND_STRING(strcasestr)

#define DEADHEAT_SPAN(name)                                            \
  DEADHEAT_INTERCEPT(size_t, name, (const char* s, const char* set)) { \
    const size_t length = REAL(name)(s, set);                          \
    if (recording()) {                                                 \
      reads(s, length + 1, DEADHEAT_CALLER);                           \
      reads(set, REAL(strlen)(set) + 1, DEADHEAT_CALLER);              \
    }                                                                  \
    return length;                                                     \
  }
DEADHEAT_SPAN(strspn)
DEADHEAT_SPAN(strcspn)

DEADHEAT_INTERCEPT(char*, strpbrk, (const char* s, const char* set)) {
  char* const found = REAL(strpbrk)(s, set);
  if (recording()) {
    reads(s, (found != nullptr ? distance(s, found) : REAL(strlen)(s)) + 1, DEADHEAT_CALLER);
    reads(set, REAL(strlen)(set) + 1, DEADHEAT_CALLER);
  }
  return found;
}

// Strings that are written.

#define DEADHEAT_COPY_STRING(name)                                                       \
  DEADHEAT_INTERCEPT(char*, name, (char* to, const char* from)) {                        \
    if (recording()) {                                                                   \
      const size_t bytes = REAL(strlen)(from) + 1;                                       \
      reads(from, bytes, DEADHEAT_CALLER);                                               \
      writes(to, bytes, DEADHEAT_CALLER);                                                \
    }                                                                                    \
    return REAL(name)(to, from);                                                         \
  }                                                                                      \
  DEADHEAT_INTERCEPT(char*, __##name##_chk, (char* to, const char* from, size_t room)) { \
    if (recording()) {                                                                   \
      const size_t bytes = REAL(strlen)(from) + 1;                                       \
      reads(from, bytes, DEADHEAT_CALLER);                                               \
      writes(to, least(bytes, room), DEADHEAT_CALLER);                                   \
    }                                                                                    \
    return REAL(__##name##_chk)(to, from, room);                                         \
  }
DEADHEAT_COPY_STRING(strcpy)
DEADHEAT_COPY_STRING(stpcpy)

// All of `most` is written: the rest with zeros.
#define DEADHEAT_COPY_SOME(name)                                                                      \
  DEADHEAT_INTERCEPT(char*, name, (char* to, const char* from, size_t most)) {                        \
    if (recording()) {                                                                                \
      reads(from, least(REAL(strnlen)(from, most) + 1, most), DEADHEAT_CALLER);                       \
      writes(to, most, DEADHEAT_CALLER);                                                              \
    }                                                                                                 \
    return REAL(name)(to, from, most);                                                                \
  }                                                                                                   \
  DEADHEAT_INTERCEPT(char*, __##name##_chk, (char* to, const char* from, size_t most, size_t room)) { \
    if (recording()) {                                                                                \
      reads(from, least(REAL(strnlen)(from, most) + 1, most), DEADHEAT_CALLER);                       \
      writes(to, least(most, room), DEADHEAT_CALLER);                                                 \
    }                                                                                                 \
    return REAL(__##name##_chk)(to, from, most, room);                                                \
  }
DEADHEAT_COPY_SOME(strncpy)
DEADHEAT_COPY_SOME(stpncpy)

namespace {

// `taken` bytes of `from` are put behind what is in `to`, and a zero.
void appended(const char* to, const char* from, size_t read, size_t taken, Address pc) {
  const size_t before = REAL(strlen)(to);
  reads(from, read, pc);
  reads(to, before + 1, pc);
  writes(to + before, taken + 1, pc);
}

void appended_some(const char* to, const char* from, size_t most, Address pc) {
  const size_t taken = REAL(strnlen)(from, most);
  appended(to, from, least(taken + 1, most), taken, pc);
}

void appended_all(const char* to, const char* from, Address pc) {
  const size_t taken = REAL(strlen)(from);
  appended(to, from, taken + 1, taken, pc);
}

}  // namespace

DEADHEAT_INTERCEPT(char*, strcat, (char* to, const char* from)) {
  if (recording()) appended_all(to, from, DEADHEAT_CALLER);
  return REAL(strcat)(to, from);
}

DEADHEAT_INTERCEPT(char*, __strcat_chk, (char* to, const char* from, size_t room)) {
  if (recording()) appended_all(to, from, DEADHEAT_CALLER);
  return REAL(__strcat_chk)(to, from, room);
}

DEADHEAT_INTERCEPT(char*, strncat, (char* to, const char* from, size_t most)) {
  if (recording()) appended_some(to, from, most, DEADHEAT_CALLER);
  return REAL(strncat)(to, from, most);
}

DEADHEAT_INTERCEPT(char*, __strncat_chk, (char* to, const char* from, size_t most, size_t room)) {
  if (recording()) appended_some(to, from, most, DEADHEAT_CALLER);
  return REAL(__strncat_chk)(to, from, most, room);
}

namespace {

char* duplicated(const char* s, size_t length, size_t read, Address pc) {
  if (recording()) reads(s, read, pc);
  char* const copy = static_cast<char*>(allocate(length + 1, pc));
  if (copy == nullptr) return nullptr;
  if (recording()) writes(copy, length + 1, pc);
  REAL(memcpy)(copy, s, length);
  copy[length] = 0;
  return copy;
}

}  // namespace

#define DEADHEAT_DUPLICATE(name)                               \
  DEADHEAT_INTERCEPT(char*, name, (const char* s)) {           \
    const size_t length = REAL(strlen)(s);                     \
    return duplicated(s, length, length + 1, DEADHEAT_CALLER); \
  }
DEADHEAT_DUPLICATE(strdup)
DEADHEAT_DUPLICATE(__strdup)

#define DEADHEAT_DUPLICATE_SOME(name)                                       \
  DEADHEAT_INTERCEPT(char*, name, (const char* s, size_t most)) {           \
    const size_t length = REAL(strnlen)(s, most);                           \
    return duplicated(s, length, least(length + 1, most), DEADHEAT_CALLER); \
  }
DEADHEAT_DUPLICATE_SOME(strndup)
DEADHEAT_DUPLICATE_SOME(__strndup)

// Wide characters.

DEADHEAT_INTERCEPT(size_t, wcslen, (const wchar_t* s)) {
  const size_t length = REAL(wcslen)(s);
  if (recording()) reads(s, (length + 1) * sizeof *s, DEADHEAT_CALLER);
  return length;
}

DEADHEAT_INTERCEPT(size_t, wcsnlen, (const wchar_t* s, size_t most)) {
  const size_t length = REAL(wcsnlen)(s, most);
  if (recording()) reads(s, least(length + 1, most) * sizeof *s, DEADHEAT_CALLER);
  return length;
}

DEADHEAT_INTERCEPT(wchar_t*, wcscpy, (wchar_t * to, const wchar_t* from)) {
  if (recording()) {
    const size_t bytes = (REAL(wcslen)(from) + 1) * sizeof *from;
    reads(from, bytes, DEADHEAT_CALLER);
    writes(to, bytes, DEADHEAT_CALLER);
  }
  return REAL(wcscpy)(to, from);
}

DEADHEAT_INTERCEPT(wchar_t*, wcscat, (wchar_t * to, const wchar_t* from)) {
  if (recording()) {
    const size_t before = REAL(wcslen)(to), bytes = (REAL(wcslen)(from) + 1) * sizeof *from;
    reads(from, bytes, DEADHEAT_CALLER);
    reads(to, (before + 1) * sizeof *to, DEADHEAT_CALLER);
    writes(to + before, bytes, DEADHEAT_CALLER);
  }
  return REAL(wcscat)(to, from);
}

#define DEADHEAT_COPY_WIDE(name)                                                          \
  DEADHEAT_INTERCEPT(wchar_t*, name, (wchar_t * to, const wchar_t* from, size_t count)) { \
    if (recording()) {                                                                    \
      reads(from, count * sizeof *from, DEADHEAT_CALLER);                                 \
      writes(to, count * sizeof *to, DEADHEAT_CALLER);                                    \
    }                                                                                     \
    return REAL(name)(to, from, count);                                                   \
  }
DEADHEAT_COPY_WIDE(wmemcpy)
DEADHEAT_COPY_WIDE(wmemmove)
DEADHEAT_COPY_WIDE(wmempcpy)

DEADHEAT_INTERCEPT(wchar_t*, wmemset, (wchar_t * to, wchar_t value, size_t count)) {
  if (recording()) writes(to, count * sizeof *to, DEADHEAT_CALLER);
  return REAL(wmemset)(to, value, count);
}

// Text that is put together.

#define DEADHEAT_VARIADIC(call)                                      \
  std::va_list arguments;                                            \
  va_start(arguments, format);                                       \
  if (recording()) emit_printed(format, arguments, DEADHEAT_CALLER); \
  const int result = call;                                           \
  va_end(arguments);                                                 \
  return result

namespace {

int formatted(int length, const void* to, size_t most, Address pc) {
  if (length >= 0 && recording()) writes(to, least(static_cast<size_t>(length) + 1, most), pc);
  return length;
}

}  // namespace

DEADHEAT_INTERCEPT(int, vsprintf, (char* to, const char* format, std::va_list arguments)) {
  if (recording()) emit_printed(format, arguments, DEADHEAT_CALLER);
  return formatted(REAL(vsprintf)(to, format, arguments), to, kNoLimit, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, vsnprintf, (char* to, size_t most, const char* format, std::va_list arguments)) {
  if (recording()) emit_printed(format, arguments, DEADHEAT_CALLER);
  return formatted(REAL(vsnprintf)(to, most, format, arguments), to, most, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, __vsprintf_chk,
                   (char* to, int flag, size_t room, const char* format, std::va_list arguments)) {
  if (recording()) emit_printed(format, arguments, DEADHEAT_CALLER);
  return formatted(REAL(__vsprintf_chk)(to, flag, room, format, arguments), to, room, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, __vsnprintf_chk,
                   (char* to, size_t most, int flag, size_t room, const char* format,
                    std::va_list arguments)) {
  if (recording()) emit_printed(format, arguments, DEADHEAT_CALLER);
  return formatted(REAL(__vsnprintf_chk)(to, most, flag, room, format, arguments), to, most, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, sprintf, (char* to, const char* format, ...)) {
  DEADHEAT_VARIADIC(formatted(REAL(vsprintf)(to, format, arguments), to, kNoLimit, DEADHEAT_CALLER));
}

DEADHEAT_INTERCEPT(int, snprintf, (char* to, size_t most, const char* format, ...)) {
  DEADHEAT_VARIADIC(formatted(REAL(vsnprintf)(to, most, format, arguments), to, most, DEADHEAT_CALLER));
}

DEADHEAT_INTERCEPT(int, __sprintf_chk, (char* to, int flag, size_t room, const char* format, ...)) {
  DEADHEAT_VARIADIC(
      formatted(REAL(__vsprintf_chk)(to, flag, room, format, arguments), to, room, DEADHEAT_CALLER));
}

DEADHEAT_INTERCEPT(int, __snprintf_chk,
                   (char* to, size_t most, int flag, size_t room, const char* format, ...)) {
  DEADHEAT_VARIADIC(
      formatted(REAL(__vsnprintf_chk)(to, most, flag, room, format, arguments), to, most, DEADHEAT_CALLER));
}

// What clang calls instead.

DEADHEAT_ENTRY void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  if (recording()) {
    reads(from, bytes, DEADHEAT_CALLER);
    writes(to, bytes, DEADHEAT_CALLER);
  }
  return REAL(memcpy)(to, from, bytes);
}

DEADHEAT_ENTRY void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  if (recording()) {
    reads(from, bytes, DEADHEAT_CALLER);
    writes(to, bytes, DEADHEAT_CALLER);
  }
  return REAL(memmove)(to, from, bytes);
}

DEADHEAT_ENTRY void* __tsan_memset(void* to, int value, size_t bytes) {
  if (recording()) writes(to, bytes, DEADHEAT_CALLER);
  return REAL(memset)(to, value, bytes);
}

DEADHEAT_ENTRY void* __sanitizer_internal_memcpy(void* to, const void* from, size_t bytes) {
  return REAL(memcpy)(to, from, bytes);
}

DEADHEAT_ENTRY void* __sanitizer_internal_memmove(void* to, const void* from, size_t bytes) {
  return REAL(memmove)(to, from, bytes);
}

DEADHEAT_ENTRY void* __sanitizer_internal_memset(void* to, int value, size_t bytes) {
  return REAL(memset)(to, value, bytes);
}

}  // namespace deadheat::runtime
