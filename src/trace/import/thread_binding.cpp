#include "trace/import/thread_binding.h"

#include <fmt/format.h>

#include <algorithm>

namespace deadheat::trace {

namespace {

constexpr std::uint32_t kMissing = UINT32_MAX;

bool is_number(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}
bool is_t_number(std::string_view name) { return name.starts_with('T') && is_number(name.substr(1)); }

}  // namespace

std::uint32_t ThreadBinding::find(const std::string& name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? kMissing : found->second;
}

std::uint32_t ThreadBinding::add(const std::string& name) {
  const std::uint32_t id = threads_.add(name);
  ids_.emplace(name, id);
  info_.emplace_back();
  return id;
}

void ThreadBinding::bind(std::uint32_t id, const std::string& number) {
  const std::string full = "T" + number;
  threads_.rename(id, full);
  ids_.emplace(full, id);
  info_[id].bound = true;
}

Result<std::uint32_t> ThreadBinding::actor(std::string_view name) {
  const std::string text(name);
  if (reading_ == Reading::bind_numbers && is_number(name)) {
    const std::uint32_t id = find(text);
    if (id != kMissing && info_[id].bound) {
      if (Status freed = unbind(id, text); !freed) return fail(std::move(freed).error());
    }
  }
  const std::uint32_t id = thread_named(name);
  info_[id].acts = true;
  return id;
}

// The number acts, so it means itself. That can be mended unless T<number> is a thread in its own right.
Status ThreadBinding::unbind(std::uint32_t id, const std::string& number) {
  const std::string full = "T" + number;
  if (info_[id].named) {
    return input_error(fmt::format(
        "thread \"{}\" acts here, but an earlier fork or join of {} was taken to mean thread \"{}\"; "
        "--literal-threads takes such numbers as they are written",
        number, number, full));
  }
  threads_.rename(id, number);
  ids_.erase(full);
  info_[id].bound = false;
  return {};
}

std::uint32_t ThreadBinding::thread_named(std::string_view name) {
  const std::string text(name);
  std::uint32_t id = find(text);
  if (id == kMissing && reading_ == Reading::bind_numbers && is_t_number(name)) {
    const std::string number = text.substr(1);
    const std::uint32_t by_number = find(number);
    if (by_number != kMissing && !info_[by_number].acts) {
      bind(by_number, number);
      id = by_number;
    }
  }
  if (id == kMissing) id = add(text);
  info_[id].named = true;
  return id;
}

std::uint32_t ThreadBinding::target(std::string_view name, std::uint32_t actor) {
  if (reading_ == Reading::literal || !is_number(name)) return thread_named(name);
  return thread_numbered(std::string(name), actor);
}

std::uint32_t ThreadBinding::thread_numbered(const std::string& number, std::uint32_t actor) {
  const bool likely_bound = is_t_number(threads_[actor]);
  std::uint32_t id = find(number);
  if (id == kMissing) {
    const std::string full = "T" + number;
    id = find(full);
    if (id == kMissing) id = add(likely_bound ? full : number);
    info_[id].bound = threads_[id] == full;
    ids_.emplace(number, id);
  } else if (likely_bound && !info_[id].acts && !info_[id].bound) {
    bind(id, number);
  }
  ++info_[id].number_targets;
  return id;
}

std::uint64_t ThreadBinding::bound_targets() const {
  std::uint64_t sum = 0;
  for (const Thread& thread : info_) sum += thread.bound ? thread.number_targets : 0;
  return sum;
}

}  // namespace deadheat::trace
