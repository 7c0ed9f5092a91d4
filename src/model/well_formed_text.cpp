// What people read about a violation.
#include <fmt/format.h>

#include "model/well_formed.h"

namespace deadheat::model {

std::string_view name_of(Rule rule) {
  constexpr std::array<std::string_view, kRules> kNames = {
      "lock-held",     "lock-upgrade", "release-free", "release-other",  "fork-self",    "fork-twice",
      "fork-repeated", "fork-late",    "fork-joined",  "join-self",      "after-join",   "after-end",
      "begin-twice",   "begin-late",   "recv-unsent",  "barrier-inside", "barrier-back", "barrier-closed",
      "barrier-exit",  "order",        "attribute",    "stray"};
  return kNames[static_cast<std::size_t>(rule)];
}

std::string_view meaning_of(Rule rule) {
  switch (rule) {
    case Rule::lock_held:
      return "a lock is held by one writer, or by readers, at a time";
    case Rule::lock_upgrade:
      return "a reader of a lock lets go of it before it becomes the writer";
    case Rule::release_free:
      return "only a lock that is held can be released";
    case Rule::release_other:
      return "a lock is released by its holder, in the mode in which it is held";
    case Rule::fork_self:
      return "no thread forks itself";
    case Rule::fork_twice:
      return "a thread is forked once";
    case Rule::fork_repeated:
      return "a fork is told once";
    case Rule::fork_late:
      return "a thread's first event follows its fork";
    case Rule::fork_joined:
      return "a thread is not forked after its join";
    case Rule::join_self:
      return "no thread joins itself";
    case Rule::after_join:
      return "nothing of a thread follows its join";
    case Rule::after_end:
      return "nothing of a thread follows its end";
    case Rule::begin_twice:
      return "a thread begins once";
    case Rule::begin_late:
      return "a begin is its thread's first event";
    case Rule::recv_unsent:
      return "a receive has an earlier send on its channel";
    case Rule::barrier_inside:
      return "a thread leaves a barrier before it enters it again";
    case Rule::barrier_back:
      return "a thread's generations of one barrier do not go back";
    case Rule::barrier_closed:
      return "a generation of a barrier is entered before anybody leaves it or a later one";
    case Rule::barrier_exit:
      return "a thread leaves the generation of a barrier that it entered";
    case Rule::order:
      return "loads do not release, stores do not acquire";
    case Rule::attribute:
      return "kinds, orders, offsets and sizes are in range";
    case Rule::stray:
      return "events have only the attributes of their kind";
  }
  return "?";
}

namespace {

class Sentence {
 public:
  Sentence(const Violation& violation, const Names& names) : v_(violation), names_(names) {}

  std::string text() const {
    switch (v_.rule) {
      case Rule::lock_held:
        return fmt::format("{} acquires {}{} while {} holds it{}", actor(), object(), mode(), other_actor(),
                           other_mode());
      case Rule::lock_upgrade:
        return fmt::format("{} acquires {} while it holds it as a reader", actor(), object());
      case Rule::release_free:
        return fmt::format("{} releases {}{}, which nobody holds", actor(), object(), mode());
      case Rule::release_other:
        return release_other();
      case Rule::fork_self:
        return fmt::format("{} forks itself", actor());
      case Rule::fork_twice:
        return fmt::format("{} forks {}, which {} forked already", actor(), object(), other_actor());
      case Rule::fork_repeated:
        return fmt::format("{} forks {} twice in a row", actor(), object());
      case Rule::fork_late:
        return fmt::format("{} forks {}, which acted already", actor(), object());
      case Rule::fork_joined:
        return fmt::format("{} forks {}, which {} joined already", actor(), object(), other_actor());
      case Rule::join_self:
        return fmt::format("{} joins itself", actor());
      case Rule::after_join:
        return fmt::format("{} acts after {} joined it", actor(), other_actor());
      case Rule::after_end:
        return fmt::format("{} acts after its end", actor());
      case Rule::begin_twice:
        return fmt::format("{} begins a second time", actor());
      case Rule::begin_late:
        return fmt::format("{} begins after it acted", actor());
      case Rule::recv_unsent:
        return fmt::format("{} receives from {}, to which nobody sent yet", actor(), object());
      default:
        return barrier_or_attribute();
    }
  }

 private:
  std::string barrier_or_attribute() const {
    const Op& op = v_.at.event.op;
    switch (v_.rule) {
      case Rule::barrier_inside:
        return fmt::format("{} enters {} (generation {}) while it is inside (generation {})", actor(),
                           object(), op.value, other_value());
      case Rule::barrier_back:
        return fmt::format("{} enters {} (generation {}) after generation {}", actor(), object(), op.value,
                           other_value());
      case Rule::barrier_closed:
        return fmt::format("{} enters {} (generation {}) after {} left generation {}", actor(), object(),
                           op.value, other_actor(), other_value());
      case Rule::barrier_exit:
        return fmt::format("{} leaves {} (generation {}), which it did not enter", actor(), object(),
                           op.value);
      case Rule::order:
        return fmt::format("{} does {} with order {}, which it cannot have", actor(), name_of(op.kind),
                           name_of(op.order));
      case Rule::attribute:
        return fmt::format(
            "{} does an event with a kind, order, offset or size out of range (kind {}, order "
            "{}, offset {}, value {})",
            actor(), static_cast<unsigned>(op.kind), static_cast<unsigned>(op.order), op.offset, op.value);
      default:
        return fmt::format(
            "{} does {} with an attribute that this kind of event does not have (order {}, "
            "offset {}, value {}, object {})",
            actor(), name_of(op.kind), name_of(op.order), op.offset, op.value, v_.at.event.object);
    }
  }

  std::string release_other() const {
    if (!v_.other) return fmt::format("{} releases {}{}, which others hold", actor(), object(), mode());
    if (v_.other->event.thread == v_.at.event.thread) {
      return fmt::format("{} releases {}{}, which it holds{}", actor(), object(),
                         shared(v_.at) ? " as a reader" : " as the writer",
                         shared(*v_.other) ? " as a reader" : " as the writer");
    }
    return fmt::format("{} releases {}{}, which {} holds{}", actor(), object(), mode(), other_actor(),
                       other_mode());
  }

  static bool shared(const NumberedEvent& e) {
    return e.event.op.kind == EventKind::acquire_shared || e.event.op.kind == EventKind::release_shared;
  }
  std::string_view mode() const { return shared(v_.at) ? " as a reader" : ""; }
  std::string_view other_mode() const { return v_.other && shared(*v_.other) ? " as a reader" : ""; }
  std::string actor() const { return names_.display(ObjectKind::thread, index(v_.at.event.thread)); }
  std::string other_actor() const {
    return v_.other ? names_.display(ObjectKind::thread, index(v_.other->event.thread)) : "another thread";
  }
  std::string object() const { return names_.display(object_kind(v_.at.event.op.kind), v_.at.event.object); }
  std::uint64_t other_value() const { return v_.other ? v_.other->event.op.value : 0; }

  const Violation& v_;
  const Names& names_;
};

}  // namespace

std::string describe(const Violation& violation, const Names& names) {
  return Sentence(violation, names).text();
}

}  // namespace deadheat::model
