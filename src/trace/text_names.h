// Under which names the ids of one name space are written as text: such as fit into a column, and never two
// ids under one name.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/huge_pages.h"
#include "deadheat/names.h"
#include "trace/import/interner.h"

namespace deadheat::trace {

// What stands in the way of writing a name as it is; empty if nothing does.
enum class TextColumn { thread, object, location };
std::string_view text_obstacle(std::string_view name, TextColumn column);
// The nearest text that can be written.
std::string nearest_text(std::string_view name, TextColumn column);

class TextNames {
 public:
  explicit TextNames(ObjectKind kind) : kind_(kind) {}

  // To be called when the names have grown or changed, before any use of the new ones.
  void learn(const NameTable& names);

  // Fixed for an id from its first use on, also where it is renamed later: who reads the text must see one
  // thread, not two.
  std::string_view operator[](std::uint32_t id) {
    if (id < written_.size() && written_[id].data() != nullptr) [[likely]]
      return written_[id];
    return decide(id);
  }
  // For an id that is needed soon: its entry, and, once that has arrived, its text.
  [[gnu::always_inline]] void prefetch(std::uint32_t id) const {
    if (id < written_.size()) __builtin_prefetch(&written_[id]);
  }
  [[gnu::always_inline]] void prefetch_text(std::uint32_t id) const {
    if (id < written_.size()) __builtin_prefetch(written_[id].data());
  }

  // Why the name of an id, in use already, is not the one it was given; empty if it is.
  std::string_view obstacle(std::uint32_t id) const;
  bool any_obstacle() const { return !obstacles_.empty(); }
  std::uint64_t changed() const { return obstacles_.size(); }
  std::uint64_t renamed_too_late() const { return renamed_too_late_; }

 private:
  std::string_view decide(std::uint32_t id);
  std::string_view choose(std::uint32_t id);
  std::uint32_t owner(std::string_view name);  // kNobody if it is free
  void own(std::string_view name, std::uint32_t id);
  std::string_view invent(std::string name, std::uint32_t id);
  void rename(std::uint32_t id, std::string_view name);

  static constexpr std::uint32_t kNobody = Interner::kMissing;

  ObjectKind kind_;
  std::vector<std::string_view> given_;  // by id
  std::vector<std::string_view, base::HugePages<std::string_view>>
      written_;                                                      // by id; no data: not in use yet
  std::unordered_map<std::uint32_t, std::string_view> far_written_;  // of ids too great for that
  Interner owners_;                                                  // whose each name is
  std::unordered_map<std::string_view, std::uint32_t> new_owners_;   // of names given up, over the above
  std::unordered_map<std::uint32_t, std::string_view> obstacles_;    // of ids in use
  std::deque<std::string> invented_;
  std::size_t renames_seen_ = 0;
  std::uint64_t renamed_too_late_ = 0;
};

}  // namespace deadheat::trace
