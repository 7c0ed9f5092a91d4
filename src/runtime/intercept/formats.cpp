#include "runtime/intercept/formats.h"

namespace deadheat::runtime {
namespace {

enum class Length : unsigned char { none, hh, h, l, ll, j, z, t, big };  // big: L

struct Conversion {
  char kind;  // 0: the end
  Length length;
  bool is_silent;    // scanf's *
  bool allocates;    // scanf's m
  bool is_numbered;  // %1$d: arguments are not in order
  int width;         // -1: none; -2: an argument
  int precision;     // the same
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int number(const char*& at) {
  int n = 0;
  for (; is_digit(*at); ++at) n = n < 100000000 ? n * 10 + (*at - '0') : n;
  return n;
}

Length length(const char*& at) {
  const char c = *at;
  switch (c) {
    case 'h':
    case 'l':
      ++at;
      if (*at != c) return c == 'h' ? Length::h : Length::l;
      ++at;
      return c == 'h' ? Length::hh : Length::ll;
    case 'q':
      ++at;
      return Length::ll;
    case 'j':
      ++at;
      return Length::j;
    case 'z':
    case 'Z':
      ++at;
      return Length::z;
    case 't':
      ++at;
      return Length::t;
    case 'L':
      ++at;
      return Length::big;
    default:
      return Length::none;
  }
}

int width_or_argument(const char*& at, bool& is_numbered) {
  if (*at != '*') return number(at);
  ++at;
  if (is_digit(*at)) {
    number(at);
    if (*at == '$') ++at;
    is_numbered = true;
  }
  return -2;
}

// The next one of printf from `at` on, which goes behind it.
Conversion next_printed(const char*& at) {
  Conversion out{0, Length::none, false, false, false, -1, -1};
  while (*at != 0 && *at != '%') ++at;
  if (*at == 0) return out;
  ++at;
  const char* const begin = at;
  if (is_digit(*at)) {
    number(at);
    if (*at == '$') {
      ++at;
      out.is_numbered = true;
    } else {
      at = begin;
    }
  }
  for (bool more = true; more;) {
    switch (*at) {
      case '-':
      case '+':
      case ' ':
      case '#':
      case '0':
      case '\'':
      case 'I':
        ++at;
        break;
      default:
        more = false;
    }
  }
  if (is_digit(*at) || *at == '*') out.width = width_or_argument(at, out.is_numbered);
  if (*at == '.') {
    ++at;
    out.precision = width_or_argument(at, out.is_numbered);
  }
  out.length = length(at);
  out.kind = *at;
  if (*at != 0) ++at;
  return out;
}

Conversion next_scanned(const char*& at) {
  Conversion out{0, Length::none, false, false, false, -1, -1};
  while (*at != 0 && *at != '%') ++at;
  if (*at == 0) return out;
  ++at;
  if (is_digit(*at)) {
    out.width = number(at);
    if (*at == '$') {
      ++at;
      out.is_numbered = true;
      out.width = -1;
    }
  }
  for (; *at == '*' || *at == '\'' || *at == 'I'; ++at) out.is_silent = out.is_silent || *at == '*';
  if (is_digit(*at)) out.width = number(at);
  if (*at == 'm') {
    out.allocates = true;
    ++at;
  }
  out.length = length(at);
  out.kind = *at;
  if (*at == 0) return out;
  ++at;
  if (out.kind != '[') return out;
  if (*at == '^') ++at;
  if (*at == ']') ++at;
  while (*at != 0 && *at != ']') ++at;
  if (*at == ']') ++at;
  return out;
}

std::size_t bytes_of(Length length) {
  switch (length) {
    case Length::hh:
      return 1;
    case Length::h:
      return 2;
    case Length::none:
      return 4;
    default:
      return 8;
  }
}

void reads(const void* p, std::size_t bytes, Address pc) {
  if (bytes != 0 && !is_outside(pc)) emit_range(Kind::read_range, reinterpret_cast<Address>(p), bytes, pc);
}
void writes(const void* p, std::size_t bytes, Address pc) {
  if (bytes != 0 && !is_outside(pc)) emit_range(Kind::write_range, reinterpret_cast<Address>(p), bytes, pc);
}

template <class Char>
void reads_text(const Char* text, int most, Address pc) {
  if (text == nullptr) return;  // is printed as "(null)"
  std::size_t count = 0;
  while ((most < 0 || count < static_cast<std::size_t>(most)) && text[count] != 0) ++count;
  const bool has_end = most < 0 || count < static_cast<std::size_t>(most);
  reads(text, (count + (has_end ? 1 : 0)) * sizeof(Char), pc);
}

template <class Char>
void writes_text(const Char* text, Address pc) {
  std::size_t count = 0;
  while (text[count] != 0) ++count;
  writes(text, (count + 1) * sizeof(Char), pc);
}

}  // namespace

void emit_format(const char* format, Address pc) { reads_text(format, -1, pc); }

void emit_printed(const char* format, std::va_list arguments, Address pc) {
  emit_format(format, pc);
  std::va_list list;
  va_copy(list, arguments);
  const char* at = format;
  for (Conversion c = next_printed(at); c.kind != 0; c = next_printed(at)) {
    if (c.is_numbered) {
      emit_gap(0, 0, pc);
      break;
    }
    if (c.width == -2) va_arg(list, int);
    if (c.precision == -2) {
      const int given = va_arg(list, int);
      c.precision = given < 0 ? -1 : given;
    }
    switch (c.kind) {
      case 'd':
      case 'i':
      case 'o':
      case 'u':
      case 'x':
      case 'X':
      case 'c':
      case 'C':
        if (bytes_of(c.length) == 8) {  // NOLINT(bugprone-branch-clone): the types are not the same
          va_arg(list, long);
        } else {
          va_arg(list, int);
        }
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        if (c.length == Length::big) {  // NOLINT(bugprone-branch-clone)
          va_arg(list, long double);
        } else {
          va_arg(list, double);
        }
        break;
      case 'p':
        va_arg(list, void*);
        break;
      case 's':
      case 'S':
        if (c.kind == 'S' || c.length == Length::l) {
          reads_text(va_arg(list, const wchar_t*), c.precision, pc);
        } else {
          reads_text(va_arg(list, const char*), c.precision, pc);
        }
        break;
      case 'n':
        writes(va_arg(list, void*), bytes_of(c.length), pc);
        break;
      case 'm':
      case '%':
        break;
      default:  // of the program's own making (register_printf_function)
        emit_gap(0, 0, pc);
        va_end(list);
        return;
    }
  }
  va_end(list);
}

void emit_scanned(const char* format, int assigned, std::va_list arguments, Address pc) {
  std::va_list list;
  va_copy(list, arguments);
  const char* at = format;
  for (Conversion c = next_scanned(at); c.kind != 0; c = next_scanned(at)) {
    if (c.kind == '%' || c.is_silent) continue;
    if (c.is_numbered) {
      emit_gap(0, 0, pc);
      break;
    }
    if (c.kind != 'n' && assigned-- <= 0) break;
    void* const to = va_arg(list, void*);
    const bool is_wide = c.length == Length::l || c.kind == 'S' || c.kind == 'C';
    switch (c.kind) {
      case 's':
      case 'S':
      case '[': {
        const void* text = to;
        if (c.allocates) {
          writes(to, sizeof(void*), pc);
          text = *static_cast<void**>(to);
        }
        if (is_wide) {
          writes_text(static_cast<const wchar_t*>(text), pc);
        } else {
          writes_text(static_cast<const char*>(text), pc);
        }
        break;
      }
      case 'c':
      case 'C': {
        const std::size_t count = c.width < 0 ? 1 : static_cast<std::size_t>(c.width);
        const void* text = to;
        if (c.allocates) {
          writes(to, sizeof(void*), pc);
          text = *static_cast<void**>(to);
        }
        writes(text, count * (is_wide ? sizeof(wchar_t) : 1), pc);
        break;
      }
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A':
        writes(to, c.length == Length::big ? sizeof(long double) : c.length == Length::l ? 8 : 4, pc);
        break;
      case 'p':
        writes(to, sizeof(void*), pc);
        break;
      default:
        writes(to, bytes_of(c.length), pc);
    }
  }
  va_end(list);
}

}  // namespace deadheat::runtime
