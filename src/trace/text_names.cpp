#include "trace/text_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "trace/import/std_line.h"

namespace deadheat::trace {

namespace {

bool separates(char c) { return c == '|' || c == '\n' || c == '\0'; }

}  // namespace

std::string_view text_obstacle(std::string_view name, TextColumn column) {
  if (name.size() > kMaxTextNameBytes) return "is longer than 16 MiB";
  if (std::any_of(name.begin(), name.end(), separates)) return "holds \"|\", a line end or a NUL byte";
  // Only a location ends a line, and only a thread begins one.
  if (column == TextColumn::location && name.ends_with('\r')) return "ends in a carriage return";
  if (column == TextColumn::thread && !can_name_thread(name)) {
    return "begins as a comment or with a byte order mark";
  }
  return {};
}

std::string nearest_text(std::string_view name, TextColumn column) {
  constexpr std::size_t kShort = 100;
  std::string out(name.substr(0, name.size() > kMaxTextNameBytes ? kShort : name.size()));
  std::replace_if(out.begin(), out.end(), separates, '_');
  if (column == TextColumn::location && out.ends_with('\r')) out.back() = '_';
  if (column == TextColumn::thread && !text_obstacle(out, column).empty()) out.front() = '_';
  return out;
}

void TextNames::learn(const NameTable& names) {
  const auto renamed = names.renamed();
  for (; renames_seen_ < renamed.size(); ++renames_seen_) {
    if (const std::uint32_t id = renamed[renames_seen_]; id < given_.size()) rename(id, names[id]);
  }
  while (given_.size() < names.size()) {
    const auto id = static_cast<std::uint32_t>(given_.size());
    given_.push_back(names[id]);
    if (!given_[id].empty() && owner(given_[id]) == kNobody) own(given_[id], id);
  }
  written_.resize(std::max(written_.size(), given_.size()));
}

void TextNames::rename(std::uint32_t id, std::string_view name) {
  if (name == given_[id]) return;
  if (written_[id].data() != nullptr || far_written_.contains(id)) {
    ++renamed_too_late_;
    return;
  }
  if (!given_[id].empty() && owner(given_[id]) == id) new_owners_[given_[id]] = kNobody;
  given_[id] = name;
  if (!name.empty() && owner(name) == kNobody) own(name, id);
}

std::uint32_t TextNames::owner(std::string_view name) {
  if (const auto found = new_owners_.find(name); found != new_owners_.end()) return found->second;
  return owners_.find(owners_.text_key_of(name), name);
}

void TextNames::own(std::string_view name, std::uint32_t id) {
  if (const auto found = new_owners_.find(name); found != new_owners_.end()) {
    found->second = id;
  } else {
    owners_.insert(owners_.text_key_of(name), name, id);
  }
}

std::string_view TextNames::decide(std::uint32_t id) {
  if (const auto far = far_written_.find(id); far != far_written_.end()) return far->second;
  const std::string_view name = choose(id);
  // Ids without names need not be dense: memory goes by how many there are, not by the greatest.
  if (id >= written_.size() && id < 2 * written_.size() + 65536) written_.resize(std::size_t{id} + 1);
  if (id < written_.size()) return written_[id] = name;
  return far_written_[id] = name;
}

std::string_view TextNames::choose(std::uint32_t id) {
  const std::string_view given = id < given_.size() ? given_[id] : std::string_view{};
  if (given.empty()) {
    constexpr std::string_view kLetters = "?VLTCB";  // as Names::display
    return invent(fmt::format("{}{}", kLetters[static_cast<std::size_t>(kind_)], id), id);
  }
  const TextColumn column = kind_ == ObjectKind::thread ? TextColumn::thread : TextColumn::object;
  std::string_view obstacle = text_obstacle(given, column);
  if (obstacle.empty() && owner(given) == kNobody) own(given, id);
  if (obstacle.empty() && owner(given) != id) obstacle = "is the name of another one too";
  if (obstacle.empty()) return given;
  obstacles_.emplace(id, obstacle);
  return invent(nearest_text(given, column), id);
}

// The id makes a taken name a new one; an underscore more where even that is taken.
std::string_view TextNames::invent(std::string name, std::uint32_t id) {
  if (owner(name) != kNobody) name += fmt::format("_{}", id);
  while (owner(name) != kNobody) name += '_';
  invented_.push_back(std::move(name));
  own(invented_.back(), id);
  return invented_.back();
}

std::string_view TextNames::obstacle(std::uint32_t id) const {
  const auto found = obstacles_.find(id);
  return found == obstacles_.end() ? std::string_view{} : found->second;
}

}  // namespace deadheat::trace
