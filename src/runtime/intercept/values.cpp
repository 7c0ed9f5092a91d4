// Functions of the C library through which values pass: numbers in texts, time, the environment, and what the
// kernel tells. Their reads and writes of the program's memory are recorded, so that nothing is missing
// between who gives a value and who uses it.
//
// Headers of the C library are included only where they do not declare these for C++ in another way.
#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>

#include "runtime/emit.h"
#include "runtime/intercept/formats.h"
#include "runtime/real.h"

extern "C" char** environ;
struct _IO_FILE;

namespace deadheat::runtime {
namespace {

using std::size_t;
using Stream = ::_IO_FILE;

void reads(const volatile void* p, size_t bytes, Address pc) {
  if (p == nullptr || bytes == 0 || !recording() || is_outside(pc)) return;
  emit_range(Kind::read_range, reinterpret_cast<Address>(p), bytes, pc);
}
void writes(const volatile void* p, size_t bytes, Address pc) {
  if (p == nullptr || bytes == 0 || !recording() || is_outside(pc)) return;
  emit_range(Kind::write_range, reinterpret_cast<Address>(p), bytes, pc);
}

template <class Char>
size_t length_of(const Char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}
void reads_text(const char* text, Address pc) {
  if (text != nullptr && recording()) reads(text, length_of(text) + 1, pc);
}
void writes_text(const char* text, Address pc) {
  if (text != nullptr && recording()) writes(text, length_of(text) + 1, pc);
}

// Up to the first character that is no part of the number.
template <class Char>
void reads_number(const Char* text, const Char* end, Address pc) {
  reads(text, static_cast<size_t>(end - text + 1) * sizeof(Char), pc);
}

}  // namespace

// Numbers.

#define DEADHEAT_INTEGER(type, name)                                         \
  DEADHEAT_INTERCEPT(type, name, (const char* text, char** end, int base)) { \
    char* last;                                                              \
    const type value = REAL(name)(text, &last, base);                        \
    reads_number(text, static_cast<const char*>(last), DEADHEAT_CALLER);     \
    if (end != nullptr) {                                                    \
      writes(end, sizeof *end, DEADHEAT_CALLER);                             \
      *end = last;                                                           \
    }                                                                        \
    return value;                                                            \
  }
DEADHEAT_INTEGER(long, strtol)
DEADHEAT_INTEGER(unsigned long, strtoul)
DEADHEAT_INTEGER(long long, strtoll)
DEADHEAT_INTEGER(unsigned long long, strtoull)
DEADHEAT_INTEGER(long, strtoimax)
DEADHEAT_INTEGER(unsigned long, strtoumax)
DEADHEAT_INTEGER(long long, strtoq)
DEADHEAT_INTEGER(unsigned long long, strtouq)

#define DEADHEAT_FLOATING(type, name)                                    \
  DEADHEAT_INTERCEPT(type, name, (const char* text, char** end)) {       \
    char* last;                                                          \
    const type value = REAL(name)(text, &last);                          \
    reads_number(text, static_cast<const char*>(last), DEADHEAT_CALLER); \
    if (end != nullptr) {                                                \
      writes(end, sizeof *end, DEADHEAT_CALLER);                         \
      *end = last;                                                       \
    }                                                                    \
    return value;                                                        \
  }
DEADHEAT_FLOATING(double, strtod)
DEADHEAT_FLOATING(float, strtof)
DEADHEAT_FLOATING(long double, strtold)

#define DEADHEAT_PLAIN_NUMBER(type, name, call)                          \
  DEADHEAT_INTERCEPT(type, name, (const char* text)) {                   \
    char* last;                                                          \
    const type value = static_cast<type>(call);                          \
    reads_number(text, static_cast<const char*>(last), DEADHEAT_CALLER); \
    return value;                                                        \
  }
DEADHEAT_PLAIN_NUMBER(int, atoi, REAL(strtol)(text, &last, 10))
DEADHEAT_PLAIN_NUMBER(long, atol, REAL(strtol)(text, &last, 10))
DEADHEAT_PLAIN_NUMBER(long long, atoll, REAL(strtoll)(text, &last, 10))
DEADHEAT_PLAIN_NUMBER(double, atof, REAL(strtod)(text, &last))

// Formatted text. (Those that write to memory are with the strings.)

#define DEADHEAT_ARGUMENTS(last, call)                               \
  std::va_list arguments;                                            \
  va_start(arguments, last);                                         \
  if (recording()) emit_printed(format, arguments, DEADHEAT_CALLER); \
  const int result = call;                                           \
  va_end(arguments);                                                 \
  return result
#define DEADHEAT_PRINTS(call)                                        \
  if (recording()) emit_printed(format, arguments, DEADHEAT_CALLER); \
  return call

DEADHEAT_INTERCEPT(int, vprintf, (const char* format, std::va_list arguments)) {
  DEADHEAT_PRINTS(REAL(vprintf)(format, arguments));
}
DEADHEAT_INTERCEPT(int, vfprintf, (Stream * to, const char* format, std::va_list arguments)) {
  DEADHEAT_PRINTS(REAL(vfprintf)(to, format, arguments));
}
DEADHEAT_INTERCEPT(int, vdprintf, (int to, const char* format, std::va_list arguments)) {
  DEADHEAT_PRINTS(REAL(vdprintf)(to, format, arguments));
}
DEADHEAT_INTERCEPT(int, __vprintf_chk, (int flag, const char* format, std::va_list arguments)) {
  DEADHEAT_PRINTS(REAL(__vprintf_chk)(flag, format, arguments));
}
DEADHEAT_INTERCEPT(int, __vfprintf_chk, (Stream * to, int flag, const char* format, std::va_list arguments)) {
  DEADHEAT_PRINTS(REAL(__vfprintf_chk)(to, flag, format, arguments));
}
DEADHEAT_INTERCEPT(int, printf, (const char* format, ...)) {
  DEADHEAT_ARGUMENTS(format, REAL(vprintf)(format, arguments));
}
DEADHEAT_INTERCEPT(int, fprintf, (Stream * to, const char* format, ...)) {
  DEADHEAT_ARGUMENTS(format, REAL(vfprintf)(to, format, arguments));
}
DEADHEAT_INTERCEPT(int, dprintf, (int to, const char* format, ...)) {
  DEADHEAT_ARGUMENTS(format, REAL(vdprintf)(to, format, arguments));
}
DEADHEAT_INTERCEPT(int, __printf_chk, (int flag, const char* format, ...)) {
  DEADHEAT_ARGUMENTS(format, REAL(__vprintf_chk)(flag, format, arguments));
}
DEADHEAT_INTERCEPT(int, __fprintf_chk, (Stream * to, int flag, const char* format, ...)) {
  DEADHEAT_ARGUMENTS(format, REAL(__vfprintf_chk)(to, flag, format, arguments));
}

namespace {

// The block is allocated by malloc, which is intercepted.
int made_text(int result, char** to, Address pc) {
  if (result < 0 || !recording()) return result;
  writes(to, sizeof *to, pc);
  writes(*to, static_cast<size_t>(result) + 1, pc);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, vasprintf, (char** to, const char* format, std::va_list arguments)) {
  if (recording()) emit_printed(format, arguments, DEADHEAT_CALLER);
  return made_text(REAL(vasprintf)(to, format, arguments), to, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(int, __vasprintf_chk, (char** to, int flag, const char* format, std::va_list arguments)) {
  if (recording()) emit_printed(format, arguments, DEADHEAT_CALLER);
  return made_text(REAL(__vasprintf_chk)(to, flag, format, arguments), to, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(int, asprintf, (char** to, const char* format, ...)) {
  DEADHEAT_ARGUMENTS(format, made_text(REAL(vasprintf)(to, format, arguments), to, DEADHEAT_CALLER));
}
DEADHEAT_INTERCEPT(int, __asprintf_chk, (char** to, int flag, const char* format, ...)) {
  DEADHEAT_ARGUMENTS(format,
                     made_text(REAL(__vasprintf_chk)(to, flag, format, arguments), to, DEADHEAT_CALLER));
}

namespace {

int scanned(int result, const char* format, std::va_list arguments, Address pc) {
  if (!recording()) return result;
  emit_format(format, pc);
  emit_scanned(format, result, arguments, pc);
  return result;
}

}  // namespace

// C99 made %a mean something else: two names of each.
#define DEADHEAT_SCAN(prefix)                                                                                \
  DEADHEAT_INTERCEPT(int, prefix##vsscanf, (const char* text, const char* format, std::va_list arguments)) { \
    reads_text(text, DEADHEAT_CALLER);                                                                       \
    std::va_list copy;                                                                                       \
    va_copy(copy, arguments);                                                                                \
    const int result =                                                                                       \
        scanned(REAL(prefix##vsscanf)(text, format, arguments), format, copy, DEADHEAT_CALLER);              \
    va_end(copy);                                                                                            \
    return result;                                                                                           \
  }                                                                                                          \
  DEADHEAT_INTERCEPT(int, prefix##vfscanf, (Stream * from, const char* format, std::va_list arguments)) {    \
    std::va_list copy;                                                                                       \
    va_copy(copy, arguments);                                                                                \
    const int result =                                                                                       \
        scanned(REAL(prefix##vfscanf)(from, format, arguments), format, copy, DEADHEAT_CALLER);              \
    va_end(copy);                                                                                            \
    return result;                                                                                           \
  }                                                                                                          \
  DEADHEAT_INTERCEPT(int, prefix##vscanf, (const char* format, std::va_list arguments)) {                    \
    std::va_list copy;                                                                                       \
    va_copy(copy, arguments);                                                                                \
    const int result = scanned(REAL(prefix##vscanf)(format, arguments), format, copy, DEADHEAT_CALLER);      \
    va_end(copy);                                                                                            \
    return result;                                                                                           \
  }                                                                                                          \
  DEADHEAT_INTERCEPT(int, prefix##sscanf, (const char* text, const char* format, ...)) {                     \
    reads_text(text, DEADHEAT_CALLER);                                                                       \
    std::va_list arguments, copy;                                                                            \
    va_start(arguments, format);                                                                             \
    va_copy(copy, arguments);                                                                                \
    const int result =                                                                                       \
        scanned(REAL(prefix##vsscanf)(text, format, arguments), format, copy, DEADHEAT_CALLER);              \
    va_end(copy);                                                                                            \
    va_end(arguments);                                                                                       \
    return result;                                                                                           \
  }                                                                                                          \
  DEADHEAT_INTERCEPT(int, prefix##fscanf, (Stream * from, const char* format, ...)) {                        \
    std::va_list arguments, copy;                                                                            \
    va_start(arguments, format);                                                                             \
    va_copy(copy, arguments);                                                                                \
    const int result =                                                                                       \
        scanned(REAL(prefix##vfscanf)(from, format, arguments), format, copy, DEADHEAT_CALLER);              \
    va_end(copy);                                                                                            \
    va_end(arguments);                                                                                       \
    return result;                                                                                           \
  }                                                                                                          \
  DEADHEAT_INTERCEPT(int, prefix##scanf, (const char* format, ...)) {                                        \
    std::va_list arguments, copy;                                                                            \
    va_start(arguments, format);                                                                             \
    va_copy(copy, arguments);                                                                                \
    const int result = scanned(REAL(prefix##vscanf)(format, arguments), format, copy, DEADHEAT_CALLER);      \
    va_end(copy);                                                                                            \
    va_end(arguments);                                                                                       \
    return result;                                                                                           \
  }
DEADHEAT_SCAN()
DEADHEAT_SCAN(__isoc99_)

// Lines of streams.

#define DEADHEAT_LINE(name, parameters, ...)                                          \
  DEADHEAT_INTERCEPT(ssize_t, name, parameters) {                                     \
    char* const before = *line;                                                       \
    const ssize_t result = REAL(name)(__VA_ARGS__);                                   \
    if (!recording()) return result;                                                  \
    reads(line, sizeof *line, DEADHEAT_CALLER);                                       \
    reads(room, sizeof *room, DEADHEAT_CALLER);                                       \
    if (*line != before) {                                                            \
      writes(line, sizeof *line, DEADHEAT_CALLER);                                    \
      writes(room, sizeof *room, DEADHEAT_CALLER);                                    \
    }                                                                                 \
    if (result >= 0) writes(*line, static_cast<size_t>(result) + 1, DEADHEAT_CALLER); \
    return result;                                                                    \
  }
DEADHEAT_LINE(getline, (char** line, size_t* room, Stream* from), line, room, from)
DEADHEAT_LINE(getdelim, (char** line, size_t* room, int end, Stream* from), line, room, end, from)
DEADHEAT_LINE(__getdelim, (char** line, size_t* room, int end, Stream* from), line, room, end, from)

#define DEADHEAT_OPEN_STREAM(name)                                          \
  DEADHEAT_INTERCEPT(Stream*, name, (const char* path, const char* mode)) { \
    reads_text(path, DEADHEAT_CALLER);                                      \
    reads_text(mode, DEADHEAT_CALLER);                                      \
    return REAL(name)(path, mode);                                          \
  }
DEADHEAT_OPEN_STREAM(fopen)
DEADHEAT_OPEN_STREAM(fopen64)

// Errors in words. GNU's returns the text, which may be its own.
DEADHEAT_INTERCEPT(char*, strerror_r, (int error, char* to, size_t room)) {
  char* const text = REAL(strerror_r)(error, to, room);
  if (text == to) writes_text(to, DEADHEAT_CALLER);
  return text;
}
DEADHEAT_INTERCEPT(int, __xpg_strerror_r, (int error, char* to, size_t room)) {
  const int result = REAL(__xpg_strerror_r)(error, to, room);
  if (room != 0) writes_text(to, DEADHEAT_CALLER);
  return result;
}

// Pieces of a text. A piece ends where a zero was put, unless the text did.
namespace {

char* piece(char* from, char* found, const char* rest, Address pc) {
  if (!recording() || from == nullptr) return found;
  if (found == nullptr) {
    reads(from, length_of(from) + 1, pc);
    return found;
  }
  const size_t length = length_of(found);
  reads(from, static_cast<size_t>(found - from) + length + 1, pc);
  if (rest == found + length + 1) writes(found + length, 1, pc);
  return found;
}

}  // namespace

#define DEADHEAT_PIECE(name)                                                     \
  DEADHEAT_INTERCEPT(char*, name, (char* text, const char* ends, char** rest)) { \
    reads_text(ends, DEADHEAT_CALLER);                                           \
    if (text == nullptr) reads(rest, sizeof *rest, DEADHEAT_CALLER);             \
    char* const from = text != nullptr ? text : *rest;                           \
    char* const found = REAL(name)(text, ends, rest);                            \
    writes(rest, sizeof *rest, DEADHEAT_CALLER);                                 \
    return piece(from, found, *rest, DEADHEAT_CALLER);                           \
  }
DEADHEAT_PIECE(strtok_r)
DEADHEAT_PIECE(__strtok_r)
DEADHEAT_INTERCEPT(char*, strsep, (char** text, const char* ends)) {
  reads_text(ends, DEADHEAT_CALLER);
  reads(text, sizeof *text, DEADHEAT_CALLER);
  char* const from = *text;
  char* const found = REAL(strsep)(text, ends);
  writes(text, sizeof *text, DEADHEAT_CALLER);
  return piece(from, found, *text, DEADHEAT_CALLER);
}
// The rest is in a variable that all threads share.
DEADHEAT_INTERCEPT(char*, strtok, (char* text, const char* ends)) {
  static char* rest;
  reads_text(ends, DEADHEAT_CALLER);
  writes(&rest, sizeof rest, DEADHEAT_CALLER);
  char* const from = text != nullptr ? text : rest;
  if (from == nullptr) return nullptr;
  char* const found = REAL(strtok_r)(text, ends, &rest);
  return piece(from, found, rest, DEADHEAT_CALLER);
}

// By the locale: as much of the texts as there is may be looked at.
DEADHEAT_INTERCEPT(int, strcoll, (const char* a, const char* b)) {
  reads_text(a, DEADHEAT_CALLER);
  reads_text(b, DEADHEAT_CALLER);
  return REAL(strcoll)(a, b);
}
DEADHEAT_INTERCEPT(size_t, strxfrm, (char* to, const char* from, size_t room)) {
  const size_t length = REAL(strxfrm)(to, from, room);
  reads_text(from, DEADHEAT_CALLER);
  if (length < room) writes(to, length + 1, DEADHEAT_CALLER);
  return length;
}
DEADHEAT_INTERCEPT(char*, setlocale, (int category, const char* name)) {
  reads_text(name, DEADHEAT_CALLER);
  return REAL(setlocale)(category, name);
}

// The environment: who asks reads the table of it, who changes it writes.
DEADHEAT_INTERCEPT(char*, getenv, (const char* name)) {
  reads_text(name, DEADHEAT_CALLER);
  reads(&environ, sizeof environ, DEADHEAT_CALLER);
  return REAL(getenv)(name);
}
DEADHEAT_INTERCEPT(char*, secure_getenv, (const char* name)) {
  reads_text(name, DEADHEAT_CALLER);
  reads(&environ, sizeof environ, DEADHEAT_CALLER);
  return REAL(secure_getenv)(name);
}
DEADHEAT_INTERCEPT(int, setenv, (const char* name, const char* value, int replace)) {
  reads_text(name, DEADHEAT_CALLER);
  reads_text(value, DEADHEAT_CALLER);
  writes(&environ, sizeof environ, DEADHEAT_CALLER);
  return REAL(setenv)(name, value, replace);
}
DEADHEAT_INTERCEPT(int, unsetenv, (const char* name)) {
  reads_text(name, DEADHEAT_CALLER);
  writes(&environ, sizeof environ, DEADHEAT_CALLER);
  return REAL(unsetenv)(name);
}
DEADHEAT_INTERCEPT(int, putenv, (char* text)) {
  reads_text(text, DEADHEAT_CALLER);
  writes(&environ, sizeof environ, DEADHEAT_CALLER);
  return REAL(putenv)(text);
}
DEADHEAT_INTERCEPT(int, clearenv, ()) {
  writes(&environ, sizeof environ, DEADHEAT_CALLER);
  return REAL(clearenv)();
}

// Time. Functions without `_r` give memory that all threads share.

DEADHEAT_INTERCEPT(time_t, time, (time_t* to)) {
  const time_t now = REAL(time)(to);
  writes(to, sizeof *to, DEADHEAT_CALLER);
  return now;
}
DEADHEAT_INTERCEPT(int, gettimeofday, (timeval * to, void* zone)) {
  const int result = REAL(gettimeofday)(to, zone);
  writes(to, sizeof *to, DEADHEAT_CALLER);
  return result;
}
#define DEADHEAT_CLOCK(name)                                        \
  DEADHEAT_INTERCEPT(int, name, (clockid_t clock, timespec * to)) { \
    const int result = REAL(name)(clock, to);                       \
    if (result == 0) writes(to, sizeof *to, DEADHEAT_CALLER);       \
    return result;                                                  \
  }
DEADHEAT_CLOCK(clock_gettime)
DEADHEAT_CLOCK(clock_getres)
DEADHEAT_INTERCEPT(int, timespec_get, (timespec * to, int base)) {
  const int result = REAL(timespec_get)(to, base);
  if (result != 0) writes(to, sizeof *to, DEADHEAT_CALLER);
  return result;
}
DEADHEAT_INTERCEPT(int, nanosleep, (const timespec* wanted, timespec* left)) {
  reads(wanted, sizeof *wanted, DEADHEAT_CALLER);
  const int result = REAL(nanosleep)(wanted, left);
  if (result != 0 && errno == EINTR) writes(left, sizeof *left, DEADHEAT_CALLER);
  return result;
}
DEADHEAT_INTERCEPT(int, clock_nanosleep,
                   (clockid_t clock, int flags, const timespec* wanted, timespec* left)) {
  reads(wanted, sizeof *wanted, DEADHEAT_CALLER);
  const int result = REAL(clock_nanosleep)(clock, flags, wanted, left);
  if (result == EINTR && flags == 0) writes(left, sizeof *left, DEADHEAT_CALLER);
  return result;
}
#define DEADHEAT_CALENDAR(name)                                     \
  DEADHEAT_INTERCEPT(tm*, name, (const time_t* when)) {             \
    reads(when, sizeof *when, DEADHEAT_CALLER);                     \
    tm* const made = REAL(name)(when);                              \
    writes(made, sizeof *made, DEADHEAT_CALLER);                    \
    return made;                                                    \
  }                                                                 \
  DEADHEAT_INTERCEPT(tm*, name##_r, (const time_t* when, tm* to)) { \
    reads(when, sizeof *when, DEADHEAT_CALLER);                     \
    tm* const made = REAL(name##_r)(when, to);                      \
    writes(made, sizeof *made, DEADHEAT_CALLER);                    \
    return made;                                                    \
  }
DEADHEAT_CALENDAR(localtime)
DEADHEAT_CALENDAR(gmtime)
#define DEADHEAT_FROM_CALENDAR(name)              \
  DEADHEAT_INTERCEPT(time_t, name, (tm * when)) { \
    reads(when, sizeof *when, DEADHEAT_CALLER);   \
    const time_t result = REAL(name)(when);       \
    writes(when, sizeof *when, DEADHEAT_CALLER);  \
    return result;                                \
  }
DEADHEAT_FROM_CALENDAR(mktime)
DEADHEAT_FROM_CALENDAR(timegm)
#define DEADHEAT_DATE(name, type)                                     \
  DEADHEAT_INTERCEPT(char*, name, (const type* when)) {               \
    reads(when, sizeof *when, DEADHEAT_CALLER);                       \
    char* const text = REAL(name)(when);                              \
    writes_text(text, DEADHEAT_CALLER);                               \
    return text;                                                      \
  }                                                                   \
  DEADHEAT_INTERCEPT(char*, name##_r, (const type* when, char* to)) { \
    reads(when, sizeof *when, DEADHEAT_CALLER);                       \
    char* const text = REAL(name##_r)(when, to);                      \
    writes_text(text, DEADHEAT_CALLER);                               \
    return text;                                                      \
  }
DEADHEAT_DATE(asctime, tm)
DEADHEAT_DATE(ctime, time_t)
DEADHEAT_INTERCEPT(size_t, strftime, (char* to, size_t room, const char* format, const tm* when)) {
  reads_text(format, DEADHEAT_CALLER);
  reads(when, sizeof *when, DEADHEAT_CALLER);
  const size_t length = REAL(strftime)(to, room, format, when);
  if (length != 0) writes(to, length + 1, DEADHEAT_CALLER);
  return length;
}
DEADHEAT_INTERCEPT(char*, strptime, (const char* text, const char* format, tm* to)) {
  reads_text(text, DEADHEAT_CALLER);
  reads_text(format, DEADHEAT_CALLER);
  char* const end = REAL(strptime)(text, format, to);
  writes(to, sizeof *to, DEADHEAT_CALLER);
  return end;
}

// What the kernel tells, where it is told to: a structure, a buffer.

#define DEADHEAT_TELLS(name, parameters, to, ...)               \
  DEADHEAT_INTERCEPT(int, name, parameters) {                   \
    const int result = REAL(name)(__VA_ARGS__);                 \
    if (result == 0) writes(to, sizeof *(to), DEADHEAT_CALLER); \
    return result;                                              \
  }
#define DEADHEAT_TELLS_OF_PATH(name, parameters, to, ...)       \
  DEADHEAT_INTERCEPT(int, name, parameters) {                   \
    reads_text(path, DEADHEAT_CALLER);                          \
    const int result = REAL(name)(__VA_ARGS__);                 \
    if (result == 0) writes(to, sizeof *(to), DEADHEAT_CALLER); \
    return result;                                              \
  }
DEADHEAT_TELLS(uname, (utsname * to), to, to)
DEADHEAT_TELLS(sysinfo, (struct sysinfo * to), to, to)
DEADHEAT_TELLS(getrusage, (int who, rusage* to), to, who, to)
DEADHEAT_TELLS(getrlimit, (int what, rlimit* to), to, what, to)
DEADHEAT_TELLS(getitimer, (int which, itimerval* to), to, which, to)
DEADHEAT_TELLS(fstat, (int fd, struct stat* to), to, fd, to)
DEADHEAT_TELLS(fstat64, (int fd, struct stat64* to), to, fd, to)
DEADHEAT_TELLS(fstatfs, (int fd, struct statfs* to), to, fd, to)
DEADHEAT_TELLS(fstatvfs, (int fd, struct statvfs* to), to, fd, to)
DEADHEAT_TELLS_OF_PATH(stat, (const char* path, struct stat* to), to, path, to)
DEADHEAT_TELLS_OF_PATH(stat64, (const char* path, struct stat64* to), to, path, to)
DEADHEAT_TELLS_OF_PATH(lstat, (const char* path, struct stat* to), to, path, to)
DEADHEAT_TELLS_OF_PATH(lstat64, (const char* path, struct stat64* to), to, path, to)
DEADHEAT_TELLS_OF_PATH(fstatat, (int folder, const char* path, struct stat* to, int flags), to, folder, path,
                       to, flags)
DEADHEAT_TELLS_OF_PATH(statfs, (const char* path, struct statfs* to), to, path, to)
DEADHEAT_TELLS_OF_PATH(statvfs, (const char* path, struct statvfs* to), to, path, to)
DEADHEAT_INTERCEPT(int, access, (const char* path, int mode)) {
  reads_text(path, DEADHEAT_CALLER);
  return REAL(access)(path, mode);
}
DEADHEAT_INTERCEPT(clock_t, times, (struct tms * to)) {
  const clock_t result = REAL(times)(to);
  writes(to, sizeof *to, DEADHEAT_CALLER);
  return result;
}

#define DEADHEAT_TEXT_TO(name, parameters, ...)         \
  DEADHEAT_INTERCEPT(char*, name, parameters) {         \
    char* const text = REAL(name)(__VA_ARGS__);         \
    if (text == to) writes_text(text, DEADHEAT_CALLER); \
    return text;                                        \
  }
DEADHEAT_TEXT_TO(getcwd, (char* to, size_t room), to, room)
DEADHEAT_INTERCEPT(int, gethostname, (char* to, size_t room)) {
  const int result = REAL(gethostname)(to, room);
  if (result == 0) writes_text(to, DEADHEAT_CALLER);
  return result;
}
DEADHEAT_INTERCEPT(ssize_t, readlink, (const char* path, char* to, size_t room)) {
  reads_text(path, DEADHEAT_CALLER);
  const ssize_t result = REAL(readlink)(path, to, room);
  if (result > 0) writes(to, static_cast<size_t>(result), DEADHEAT_CALLER);
  return result;
}
DEADHEAT_INTERCEPT(ssize_t, getrandom, (void* to, size_t bytes, unsigned flags)) {
  const ssize_t result = REAL(getrandom)(to, bytes, flags);
  if (result > 0) writes(to, static_cast<size_t>(result), DEADHEAT_CALLER);
  return result;
}
DEADHEAT_INTERCEPT(int, getentropy, (void* to, size_t bytes)) {
  const int result = REAL(getentropy)(to, bytes);
  if (result == 0) writes(to, bytes, DEADHEAT_CALLER);
  return result;
}
DEADHEAT_INTERCEPT(int, rand_r, (unsigned* seed)) {
  reads(seed, sizeof *seed, DEADHEAT_CALLER);
  writes(seed, sizeof *seed, DEADHEAT_CALLER);
  return REAL(rand_r)(seed);
}

// Sockets' names and options.

DEADHEAT_INTERCEPT(int, bind, (int fd, const sockaddr* address, socklen_t bytes)) {
  reads(address, bytes, DEADHEAT_CALLER);
  return REAL(bind)(fd, address, bytes);
}
#define DEADHEAT_NAME_OF(name)                                                   \
  DEADHEAT_INTERCEPT(int, name, (int fd, sockaddr* address, socklen_t* bytes)) { \
    reads(bytes, sizeof *bytes, DEADHEAT_CALLER);                                \
    const socklen_t room = *bytes;                                               \
    const int result = REAL(name)(fd, address, bytes);                           \
    if (result != 0) return result;                                              \
    writes(address, *bytes < room ? *bytes : room, DEADHEAT_CALLER);             \
    writes(bytes, sizeof *bytes, DEADHEAT_CALLER);                               \
    return result;                                                               \
  }
DEADHEAT_NAME_OF(getsockname)
DEADHEAT_NAME_OF(getpeername)
DEADHEAT_INTERCEPT(int, setsockopt, (int fd, int level, int name, const void* value, socklen_t bytes)) {
  reads(value, bytes, DEADHEAT_CALLER);
  return REAL(setsockopt)(fd, level, name, value, bytes);
}
DEADHEAT_INTERCEPT(int, getsockopt, (int fd, int level, int name, void* value, socklen_t* bytes)) {
  reads(bytes, sizeof *bytes, DEADHEAT_CALLER);
  const int result = REAL(getsockopt)(fd, level, name, value, bytes);
  if (result != 0) return result;
  writes(value, *bytes, DEADHEAT_CALLER);
  writes(bytes, sizeof *bytes, DEADHEAT_CALLER);
  return result;
}

}  // namespace deadheat::runtime
