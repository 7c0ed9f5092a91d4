#include "trace/import/std_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/shown.h"

namespace deadheat::trace {

namespace {

using base::shown;

tl::unexpected<Reason> because(std::string reason) { return tl::unexpected<Reason>(std::move(reason)); }

std::optional<EventKind> kind_named(std::string_view name) {
  for (std::size_t k = 0; k < kEventKinds; ++k) {
    if (name_of(static_cast<EventKind>(k)) == name) return static_cast<EventKind>(k);
  }
  return std::nullopt;
}

std::optional<MemoryOrder> order_named(std::string_view name) {
  for (std::size_t k = 0; k < kMemoryOrders; ++k) {
    if (name_of(static_cast<MemoryOrder>(k)) == name) return static_cast<MemoryOrder>(k);
  }
  return std::nullopt;
}

// Takes the text up to the next `separator` off the front, with the separator; nothing if there is none.
std::optional<std::string_view> take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return taken;
}

struct Operation {
  EventKind kind;
  std::string_view object;
};

// Some tools write the thread's own name in begin(T1), some its number alone.
bool names_itself(std::string_view object, std::string_view thread) {
  return object.empty() || object == thread || (thread.starts_with('T') && object == thread.substr(1));
}

tl::expected<Operation, Reason> parse_operation(std::string_view column, std::string_view thread) {
  const std::size_t open = column.find('(');
  const std::string_view name = column.substr(0, open);
  const auto kind = kind_named(name);
  if (!kind) return because(fmt::format("unknown operation \"{}\"", shown(name, 20)));
  const bool objectless = object_kind(*kind) == ObjectKind::none;
  if (open == std::string_view::npos) {
    if (objectless) return Operation{*kind, {}};
    return because(fmt::format("{} needs an object in parentheses", name));
  }
  if (column.back() != ')') return because(fmt::format("no \")\" at the end of \"{}\"", shown(column, 20)));
  const std::string_view object = column.substr(open + 1, column.size() - open - 2);
  if (objectless) {
    const bool own_name =
        (*kind == EventKind::begin || *kind == EventKind::end) && names_itself(object, thread);
    if (!object.empty() && !own_name) return because(fmt::format("{} takes no object", name));
    return Operation{*kind, {}};
  }
  if (object.empty()) return because(fmt::format("{} of an object without a name", name));
  if (object_kind(*kind) == ObjectKind::thread && !can_name_thread(object)) {
    return because("no thread has a name that begins as a comment or with a byte order mark");
  }
  return Operation{*kind, object};
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Reads attributes into an Op; each may be given once.
class Attributes {
 public:
  explicit Attributes(EventKind kind) : op_(plain_op(kind)) {}

  tl::expected<Op, Reason> parse(std::string_view column) {
    while (true) {
      const std::size_t comma = column.find(',');
      if (auto reason = one(column.substr(0, comma))) return because(std::move(*reason));
      if (comma == std::string_view::npos) break;
      column.remove_prefix(comma + 1);
    }
    // Names say nothing of which variables are neighbours: it would hit whichever is numbered next.
    if (has_size(op_.kind) && op_.value > kCellBytes - op_.offset) {
      return because(
          fmt::format("size={},offset={} goes beyond the {} bytes of a variable, and text does not "
                      "say which one follows",
                      op_.value, op_.offset, kCellBytes));
    }
    return op_;
  }

 private:
  std::optional<Reason> one(std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const auto order = equals == std::string_view::npos ? order_named(text) : std::nullopt;
    if (order) return set_order(*order);
    if (name != "size" && name != "offset" && name != "gen") {
      return fmt::format("unknown attribute \"{}\"", shown(text, 20));
    }
    const auto value = equals == std::string_view::npos ? std::nullopt : number(text.substr(equals + 1));
    if (!value) return fmt::format("\"{}\" is not {}= and a number below 2^64", shown(text, 30), name);
    if (name == "size") return set(has_size(op_.kind), size_given_, name, [&] { op_.value = *value; });
    if (name == "gen") return set(is_barrier(op_.kind), generation_given_, name, [&] { op_.value = *value; });
    if (*value >= kCellBytes) return fmt::format("offset={} is not below {}", *value, kCellBytes);
    return set(has_offset(op_.kind), offset_given_, name,
               [&] { op_.offset = static_cast<std::uint8_t>(*value); });
  }

  std::optional<Reason> set_order(MemoryOrder order) {
    return set(has_order(op_.kind), order_given_, name_of(order), [&] { op_.order = order; });
  }

  template <class Assign>
  std::optional<Reason> set(bool sensible, bool& given, std::string_view name, Assign assign) {
    if (!sensible) return fmt::format("{} is no attribute of {}", name, name_of(op_.kind));
    if (given) return fmt::format("{} is given a second time", name);
    given = true;
    assign();
    return std::nullopt;
  }

  Op op_;
  bool size_given_ = false, offset_given_ = false, generation_given_ = false, order_given_ = false;
};

}  // namespace

tl::expected<StdLine, Reason> parse_std_line(std::string_view line) {
  if (line.find('\0') != std::string_view::npos) return because("it holds a NUL byte");
  const auto thread = take_until(line, '|');
  if (!thread) return because("no \"|\"");
  if (thread->empty()) return because("the thread has no name");
  const auto column = take_until(line, '|');
  if (!column) return because("no \"|\" and location after the operation");
  const auto operation = parse_operation(*column, *thread);
  if (!operation) return because(operation.error());

  const std::size_t bar = line.find('|');
  StdLine out{*thread, operation->object, line.substr(0, bar), plain_op(operation->kind)};
  if (bar == std::string_view::npos) return out;
  // Without attributes it would be part of the line end: no location can have one.
  if (out.location.ends_with('\r')) return because("the location ends in a carriage return");
  const auto op = Attributes(operation->kind).parse(line.substr(bar + 1));
  if (!op) return because(op.error());
  out.op = *op;
  return out;
}

Completeness parse_completeness(std::string_view line) {
  constexpr std::string_view kBetween = " \t,()";
  line.remove_prefix(kCompletenessComment.size());
  Completeness out{.declared = false};
  bool all_complete = true, any = false;
  while (true) {
    const std::size_t begin = line.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    any = true;
    all_complete &= word == "complete";
    for (std::size_t i = 0; i < kOmissions; ++i) {
      if (word == name_of(omission(i))) out.omissions |= static_cast<std::uint32_t>(omission(i));
    }
  }
  out.declared = any && all_complete;
  return out;
}

std::string std_line_expected() {
  std::string out = "expected thread|op(object)|location with op one of ";
  for (std::size_t k = 0; k < kEventKinds; ++k) {
    if (k > 0) out += ", ";
    out += name_of(static_cast<EventKind>(k));
  }
  return out;
}

}  // namespace deadheat::trace
