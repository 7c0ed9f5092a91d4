#include "cli/event_line.h"

#include <fmt/format.h>

#include "base/shown.h"

namespace deadheat::cli {

std::string event_line(const Event& event, const Names& names) {
  const Op& op = event.op;
  const std::string thread = base::shown(names.display(ObjectKind::thread, index(event.thread)));
  const ObjectKind kind = object_kind(op.kind);
  std::string object;
  if (kind != ObjectKind::none) object = base::shown(names.display(kind, event.object));
  if (op.kind == EventKind::begin || op.kind == EventKind::end) object = thread;
  std::string line =
      fmt::format("{}|{}({})|{}", thread, name_of(op.kind), object, base::shown(names.display(op.site)));
  char separator = '|';
  const auto attribute = [&](std::string_view text) {
    line.append(1, separator).append(text);
    separator = ',';
  };
  if (has_order(op.kind) || op.order != MemoryOrder::relaxed) attribute(name_of(op.order));
  if (op.value != 0) attribute(fmt::format("{}={}", is_barrier(op.kind) ? "gen" : "size", op.value));
  if (op.offset != 0) attribute(fmt::format("offset={}", op.offset));
  return line;
}

}  // namespace deadheat::cli
