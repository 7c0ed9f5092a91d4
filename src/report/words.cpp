#include "report/words.h"

#include <fmt/format.h>

#include "base/format.h"
#include "base/shown.h"

namespace deadheat::report {

std::string for_people(std::string_view name) { return base::shown(name, 200); }

std::string_view noun_of(EventKind kind) {
  switch (kind) {
    case EventKind::read:
      return "read";
    case EventKind::write:
      return "write";
    case EventKind::atomic_load:
      return "atomic read";
    case EventKind::atomic_store:
      return "atomic write";
    case EventKind::atomic_rmw:
      return "atomic update";
    default:
      return name_of(kind);  // free; no other kind races
  }
}

std::string_view verb_of(EventKind kind) {
  switch (kind) {
    case EventKind::read:
      return "reads";
    case EventKind::write:
      return "writes";
    case EventKind::atomic_load:
      return "atomically reads";
    case EventKind::atomic_store:
      return "atomically writes";
    case EventKind::atomic_rmw:
      return "atomically updates";
    default:
      return "frees";
  }
}

std::string kind_of(const Race& race) {
  return fmt::format("{}-{}", noun_of(race.earlier.kind), noun_of(race.later.kind));
}

std::string at(const Place& place, std::uint64_t event) {
  return place.known() ? fmt::format("at {}, event {}", for_people(place.text), base::grouped(event))
                       : fmt::format("in event {}", base::grouped(event));
}

namespace {

std::string deed(const std::string& thread, const Sync& sync) {
  const std::string object = for_people(sync.object), other = for_people(sync.thread);
  const bool own = sync.thread == thread;
  switch (sync.kind) {
    case EventKind::acquire:
      return fmt::format("acquired lock {}", object);
    case EventKind::acquire_shared:
      return fmt::format("acquired lock {} as reader", object);
    case EventKind::release:
      return fmt::format("released lock {}", object);
    case EventKind::release_shared:
      return fmt::format("released lock {} as reader", object);
    case EventKind::fork:
      return own ? fmt::format("forked {}", object) : fmt::format("was forked by {}", other);
    case EventKind::join:
      return own ? fmt::format("joined {}", object) : fmt::format("was joined by {}", other);
    case EventKind::send:
      return fmt::format("sent on channel {}", object);
    case EventKind::recv:
      return fmt::format("received from channel {}", object);
    case EventKind::barrier_enter:
      return fmt::format("entered barrier {}", object);
    case EventKind::barrier_exit:
      return fmt::format("left barrier {}", object);
    case EventKind::fence:
      return fmt::format("passed a fence ({})", name_of(sync.order));
    case EventKind::atomic_load:
      return fmt::format("atomically read {} ({})", object, name_of(sync.order));
    case EventKind::atomic_store:
      return fmt::format("atomically wrote {} ({})", object, name_of(sync.order));
    case EventKind::atomic_rmw:
      return fmt::format("atomically updated {} ({})", object, name_of(sync.order));
    default:
      return fmt::format("did {}", name_of(sync.kind));
  }
}

}  // namespace

std::string what_it_did(const std::string& thread, const Sync& sync) {
  return fmt::format("{} {}", deed(thread, sync), at(sync.place, sync.event));
}

std::string listed(std::span<const HeldLock> locks) {
  if (locks.empty()) return "no lock";
  std::string out = locks.size() == 1 ? "lock " : "locks ";
  for (std::size_t i = 0; i < locks.size(); ++i) {
    if (i > 0) out += i + 1 == locks.size() ? " and " : ", ";
    out += for_people(locks[i].name);
    if (locks[i].mode == model::HeldLocks::Mode::shared) out += " (as reader)";
  }
  return out;
}

}  // namespace deadheat::report
