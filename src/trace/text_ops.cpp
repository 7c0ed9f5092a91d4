#include "trace/text_ops.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/text_names.h"

namespace deadheat::trace {

namespace {

bool std_has(EventKind kind) {
  switch (kind) {
    case EventKind::read:
    case EventKind::write:
    case EventKind::acquire:
    case EventKind::release:
    case EventKind::fork:
    case EventKind::join:
    case EventKind::begin:
    case EventKind::end:
      return true;
    default:
      return false;
  }
}

// Whether the fields that its kind does not have are as in a fresh Op, and the others within their bounds.
bool well_formed(const Op& op) {
  return static_cast<std::size_t>(op.kind) < kEventKinds &&
         static_cast<std::size_t>(op.order) < kMemoryOrders &&
         (has_order(op.kind) || op.order == MemoryOrder::relaxed) &&
         (has_offset(op.kind) ? op.offset < kCellBytes : op.offset == 0) &&
         (has_size(op.kind) ? op.value <= kMaxAccessBytes : is_barrier(op.kind) || op.value == 0);
}

constexpr std::uint8_t bit(TextLoss loss) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(loss));
}

}  // namespace

std::uint8_t TextOps::losses_of(const Op& op) const {
  if (!well_formed(op)) return bit(TextLoss::malformed);
  std::uint8_t out = 0;
  if (!extended_ && !std_has(op.kind)) out |= bit(TextLoss::kind);
  if (!extended_ && has_size(op.kind) && op.value != 0) out |= bit(TextLoss::size);
  if (!extended_ && op.offset != 0) out |= bit(TextLoss::offset);
  if (has_size(op.kind) && cells(op) > 1) out |= bit(TextLoss::neighbours);
  if (op.stack != StackId::none) out |= bit(TextLoss::stack);
  return out;
}

void TextOps::prepare(std::span<const Op> ops, const Names& names) {
  text_.clear();
  ranges_.clear();
  pieces_.assign(ops.size(), {});
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    Pieces& pieces = pieces_[i];
    Range range{text_.size(), text_.size(), text_.size()};
    pieces.losses = losses_of(op);
    if (!pieces.lost(TextLoss::malformed) && !pieces.lost(TextLoss::kind)) {
      pieces.object = object_kind(op.kind);
      pieces.own_name = op.kind == EventKind::begin || op.kind == EventKind::end;
      text_.append("|").append(name_of(op.kind)).append("(");
      range.middle = text_.size();
      const Location at = location(op.site, names);
      if (at.changed) pieces.losses |= bit(TextLoss::location);
      text_.append(")|").append(at.text);
      if (extended_) append_attributes(op);
      text_.append("\n");
      range.end = text_.size();
    }
    ranges_.push_back(range);
  }
  for (std::size_t i = 0; i < ops.size(); ++i) {  // now that the text stays where it is
    const std::string_view all(text_);
    pieces_[i].before = all.substr(ranges_[i].begin, ranges_[i].middle - ranges_[i].begin);
    pieces_[i].after = all.substr(ranges_[i].middle, ranges_[i].end - ranges_[i].middle);
  }
}

void TextOps::append_attributes(const Op& op) {
  char separator = '|';
  const auto attribute = [&](std::string_view text) {
    text_.append(1, std::exchange(separator, ',')).append(text);
  };
  if (has_order(op.kind)) attribute(name_of(op.order));
  if (has_size(op.kind) && op.value != 0) {  // as much of it as is in the first variable
    attribute(fmt::format("size={}", std::min<std::uint64_t>(op.value, kCellBytes - op.offset)));
  }
  if (op.offset != 0) attribute(fmt::format("offset={}", op.offset));
  if (is_barrier(op.kind) && op.value != 0) attribute(fmt::format("gen={}", op.value));
}

TextOps::Location TextOps::location(SiteId site, const Names& names) {
  if (index(site) >= names.sites.size()) return write_location(site, names);
  locations_.resize(names.sites.size());
  Location& cached = locations_[index(site)];
  if (!cached.known) cached = write_location(site, names);
  return cached;
}

TextOps::Location TextOps::write_location(SiteId site, const Names& names) {
  std::string text = names.display(site);
  const bool changed = !text_obstacle(text, TextColumn::location).empty();
  if (changed) text = nearest_text(text, TextColumn::location);
  return {made_locations_.emplace_back(std::move(text)), changed, true};
}

}  // namespace deadheat::trace
