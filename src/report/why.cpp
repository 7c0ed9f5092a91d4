#include "report/why.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/words.h"

namespace deadheat::report {

namespace {

using Mode = model::HeldLocks::Mode;

// A lock that both hold; one that excludes the other before one that both hold as readers.
struct LockOfBoth {
  const HeldLock* earlier = nullptr;
  const HeldLock* later = nullptr;
  bool as_readers() const { return earlier->mode == Mode::shared && later->mode == Mode::shared; }
};

std::optional<LockOfBoth> common_lock(const Race& race) {
  std::optional<LockOfBoth> found;
  for (const HeldLock& a : race.earlier.locks) {
    for (const HeldLock& b : race.later.locks) {
      if (a.name != b.name) continue;
      const LockOfBoth common{&a, &b};
      if (!found || !common.as_readers()) found = common;
    }
  }
  return found;
}

std::string about_locks(const Race& race) {
  const std::string one = for_people(race.earlier.thread), other = for_people(race.later.thread);
  if (race.earlier.locks.empty() && race.later.locks.empty()) {
    return race.around == analysis::Around::window ? "Neither thread held a lock that the window shows."
                                                   : "Neither thread held a lock.";
  }
  const auto common = common_lock(race);
  if (!common) {
    return fmt::format("{} held {}, {} held {}: no lock in common.", one, listed(race.earlier.locks), other,
                       listed(race.later.locks));
  }
  const std::string name = for_people(common->earlier->name);
  if (common->as_readers()) {
    return fmt::format("Both held lock {}, but only as readers, and readers do not wait for each other.",
                       name);
  }
  return fmt::format("Both held lock {}.", name);
}

std::string about_order(const Race& race, const Signs& signs) {
  const std::string one = for_people(race.earlier.thread), other = for_people(race.later.thread);
  if (!signs.next_signal) {
    return fmt::format(
        "Between the two accesses {} did nothing that another thread could wait for, so nothing held {} back "
        "until the first access was done.",
        one, other);
  }
  const std::string signal = what_it_did(race.earlier.thread, *signs.next_signal);
  if (!signs.last_wait || signs.last_wait->event < race.earlier.event) {
    return fmt::format(
        "After its access {} {}, but {} waited for nobody between the two accesses: it would have gone on in "
        "any case.",
        one, signal, other);
  }
  const std::string wait = what_it_did(race.later.thread, *signs.last_wait);
  if (signs.last_wait->event < signs.next_signal->event) {
    return fmt::format(
        "{} {}, and waited for nobody after that; only later, after its access, {} {}: too late for {} to "
        "have waited for it.",
        other, wait, one, signal, other);
  }
  if (race.grade == engine::Grade::proved || race.grade == engine::Grade::predicted) {
    return fmt::format(
        "After its access {} {}, and before the other access {} {}. In this run that may have kept them "
        "apart; in another order of the same events it does not.",
        one, signal, other, wait);
  }
  if (race.grade == engine::Grade::candidate) {
    return fmt::format(
        "After its access {} {}, and before the other access {} {}: whether that puts one before the other "
        "in every run was not asked.",
        one, signal, other, wait);
  }
  return fmt::format(
      "After its access {} {}, and before the other access {} {}, but no chain of one thread waiting for "
      "another leads from the first access to the second.",
      one, signal, other, wait);
}

}  // namespace

std::string why(const Race& race, const Signs& signs) {
  if (race.around == analysis::Around::pair) {
    return "No chain of one thread waiting for another leads from the first access to the second. What went "
           "on "
           "around them is not known: the trace was read once, in part; a .dht can be looked into again.";
  }
  return about_locks(race) + ' ' + about_order(race, signs);
}

std::string_view meaning_of(engine::Grade grade) {
  switch (grade) {
    case engine::Grade::observed:
      return "both accesses really happened in this run, and nothing made one wait for the other: in another "
             "run they may come at the same moment, or the other way round";
    case engine::Grade::proved:
      return "whatever kept the accesses apart in this run, another order of the same events, checked step "
             "by step, brings them together";
    case engine::Grade::predicted:
      return "another order of the same events, checked step by step, brings the accesses together; but the "
             "recording may lack reads of the program that would forbid it: build with deadheat cc, or look "
             "at what the two threads know of each other";
    case engine::Grade::candidate:
      return "a suspicion, not a proof: the engine looks at less than all that can order two accesses, so "
             "something else may keep them apart; read the two places before you believe it";
  }
  return "";
}

}  // namespace deadheat::report
