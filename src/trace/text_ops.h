// The parts of a line of text that the operation decides: "|r(" and ")|45|size=4\n".
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deadheat/names.h"
#include "deadheat/trace.h"

namespace deadheat::trace {

// What the text cannot say of an event.
enum class TextLoss : std::uint8_t { malformed, kind, size, offset, neighbours, stack, location };
inline constexpr std::size_t kTextLosses = 7;

class TextOps {
 public:
  struct Pieces {
    std::string_view before, after;
    ObjectKind object = ObjectKind::none;
    bool own_name = false;    // the object to write is the thread itself: begin(T1)
    std::uint8_t losses = 0;  // a bit for each TextLoss
    bool lost(TextLoss loss) const { return (losses >> static_cast<unsigned>(loss) & 1) != 0; }
  };

  explicit TextOps(const TextOptions& options) : extended_(options.extended) {}

  // For a block: the pieces of ops[i] are (*this)[i] until the next call.
  void prepare(std::span<const Op> ops, const Names& names);
  const Pieces& operator[](std::size_t code) const { return pieces_[code]; }

 private:
  struct Range {
    std::size_t begin, middle, end;
  };
  struct Location {
    std::string_view text;
    bool changed = false;
    bool known = false;
  };

  std::uint8_t losses_of(const Op& op) const;
  void append_attributes(const Op& op);
  Location location(SiteId site, const Names& names);
  Location write_location(SiteId site, const Names& names);

  bool extended_;
  std::string text_;  // of all pieces
  std::vector<Range> ranges_;
  std::vector<Pieces> pieces_;
  std::vector<Location> locations_;  // by site
  std::deque<std::string> made_locations_;
};

}  // namespace deadheat::trace
