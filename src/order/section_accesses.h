// What critical sections did to each variable, for rule (a) of weak causal precedence: an access comes after
// the releases of earlier sections of a lock that it holds in which something conflicts with it.
// Departs from Kini et al.: they write into L[l, x], at each release of l, what was accessed in the section.
// Here an access leaves a note that refers to its section at once, and the release writes its clock into the
// section: nobody looks at the note before, since the lock is held until then. So nothing is gathered in long
// sections, and what is accessed often is noted once. And it is known whose section it was: of its own ones a
// thread need not be told.
// Of one lock and variable the sections of two threads are enough: the later ones know the earlier ones; but
// readers' sections do not know of each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "clock/flat_clocks.h"
#include "deadheat/event.h"
#include "model/cells.h"

namespace deadheat::order {

class SectionAccesses {
 public:
  using Message = clock::FlatClocks::Message;

  // A critical section that something was accessed in.
  struct Section {
    bool open = true;
    std::uint32_t notes = 0;
    Message known;  // once it is released
  };
  // A lock that a thread holds.
  struct Held {
    LockId lock;
    bool exclusive;
    clock::Time acquired;
    Section* section = nullptr;  // once something was accessed in it
  };

  explicit SectionAccesses(clock::FlatClocks& clocks) : clocks_(clocks) {}
  SectionAccesses(const SectionAccesses&) = delete;
  SectionAccesses& operator=(const SectionAccesses&) = delete;
  ~SectionAccesses() {
    cells_.for_each([this](State& s) { drop(s); });
  }

  void reserve(std::uint64_t variables) { cells_.reserve(variables); }
  void prefetch(std::uint32_t variable) const { cells_.prefetch(variable); }
  // To be called when what prefetch() asked for has had time to arrive.
  void prefetch_notes(std::uint32_t variable) const { __builtin_prefetch(cells_.cell(variable).notes); }

  // An access, or a free, of a thread that holds locks. learn(message) is told of what comes before it.
  template <class Learn>
  void narrow_access(ThreadId t, std::vector<Held>& held, EventKind kind, std::uint32_t cell,
                     model::ByteMask bytes, Learn&& learn) {
    cells_.visit(cell, bytes, [&](State& s) { access(s, t, held, class_of(kind), learn); });
  }
  template <class Learn>
  void access(ThreadId t, std::vector<Held>& held, VarId x, const Op& op, Learn&& learn) {
    const auto visit = [&](std::uint32_t cell, model::ByteMask bytes) {
      narrow_access(t, held, op.kind, cell, bytes, learn);
    };
    if (op.kind != EventKind::free) return model::ByteRange{x, op}.each_cell(visit);
    // Perhaps of much memory, of which little was ever accessed.
    cells_.visit_unvisited(stretch(x, op),
                           [&](State& s, model::Stretch) { access(s, t, held, class_of(op.kind), learn); });
    cells_.each_visited(index(x), index(x) + cells(op),
                        [&](std::uint32_t cell) { visit(cell, model::bytes_in_cell(op, cell - index(x))); });
  }
  // What was accessed before is other memory.
  void alloc(VarId x, const Op& op) {
    const auto forget = [this](State& s) { drop(s); };
    cells_.forget_unvisited(stretch(x, op), forget);
    cells_.each_visited(index(x), index(x) + cells(op), [&](std::uint32_t cell) {
      cells_.forget(cell, model::bytes_in_cell(op, cell - index(x)), forget);
    });
  }
  // The section ends; `own` is what its release knows.
  template <class Own>
  void release(Held& held, const Own& own, ThreadId t, clock::Time time) {
    Section* const section = held.section;
    if (section == nullptr) return;
    section->open = false;
    if (section->notes == 0) return destroy(section);
    clocks_.assign(section->known, own, t, time);
  }
  // The section never ends.
  void abandon(Held& held) {
    if (held.section == nullptr) return;
    held.section->open = false;
    if (held.section->notes == 0) destroy(held.section);
  }

  std::size_t bytes() const {
    std::size_t sum = cells_.bytes() + sections_ * sizeof(Section);
    cells_.for_each([&](const State& s) {
      if (s.notes != nullptr) sum += s.notes->bytes();
    });
    return sum;
  }

 private:
  // Classes of accesses, as bits; which classes one of them conflicts with.
  enum Class : std::uint8_t { kRead = 1, kWrite = 2, kAtomicLoad = 4, kAtomicStore = 8 };
  static Class class_of(EventKind kind) {
    switch (kind) {
      case EventKind::read:
        return kRead;
      case EventKind::atomic_load:
        return kAtomicLoad;
      case EventKind::atomic_store:
      case EventKind::atomic_rmw:
        return kAtomicStore;
      default:
        return kWrite;
    }
  }
  static unsigned conflicts(Class c) {
    switch (c) {
      case kRead:
        return kWrite | kAtomicStore;
      case kAtomicLoad:
        return kWrite;
      case kAtomicStore:
        return kRead | kWrite;
      default:
        return kRead | kWrite | kAtomicLoad | kAtomicStore;
    }
  }
  // Whatever conflicts with b conflicts with a.
  static bool covers(Class a, Class b) { return (conflicts(b) & ~conflicts(a)) == 0; }

  // An access in a section.
  struct Note {
    Section* section;
    ThreadId thread;
    Class what;
    bool exclusive;
  };
  // Of one variable: by lock, in order of time.
  class Notes {
   public:
    std::vector<Note>& of(LockId l) {
      const auto at = std::ranges::find(locks_, l);
      if (at != locks_.end()) return notes_[static_cast<std::size_t>(at - locks_.begin())];
      locks_.push_back(l);
      return notes_.emplace_back();
    }
    template <class F>
    void for_each(F&& f) const {
      for (const auto& notes : notes_) {
        for (const Note& note : notes) f(note);
      }
    }
    std::size_t bytes() const {
      std::size_t sum = sizeof(*this) + locks_.capacity() * sizeof(LockId);
      for (const auto& notes : notes_) sum += sizeof(std::vector<Note>) + notes.capacity() * sizeof(Note);
      return sum;
    }

   private:
    std::vector<LockId> locks_;
    std::vector<std::vector<Note>> notes_;  // by number of the lock in locks_
  };
  struct State {
    Notes* notes;
    std::uint32_t next;
    model::ByteMask mask;
    State clone() const {
      State copy = *this;
      if (notes != nullptr) {
        copy.notes = new Notes(*notes);
        notes->for_each([](const Note& note) { ++note.section->notes; });
      }
      return copy;
    }
  };

  static model::Stretch stretch(VarId x, const Op& op) {
    const std::uint64_t begin = std::uint64_t{index(x)} * kCellBytes;
    return {begin + (op.value == 0 ? 0 : op.offset),
            begin + (op.value == 0 ? kCellBytes : op.offset + op.value)};
  }

  template <class Learn>
  void access(State& s, ThreadId t, std::vector<Held>& held, Class what, Learn& learn) {
    if (s.notes == nullptr) s.notes = new Notes;
    for (Held& h : held) {
      std::vector<Note>& notes = s.notes->of(h.lock);
      // What is noted has been told of all that there is: the lock is held since.
      if (h.section != nullptr && !notes.empty() && notes.back().section == h.section &&
          covers(notes.back().what, what)) {
        continue;
      }
      bool noted = false;
      for (const Note& note : notes) {
        if (note.thread == t) {
          noted |= note.section == h.section && covers(note.what, what);
        } else if ((conflicts(what) & note.what) != 0 && (h.exclusive || note.exclusive)) {
          learn(note.section->known);
        }
      }
      if (!noted) add(notes, t, h, what);
    }
  }
  void add(std::vector<Note>& notes, ThreadId t, Held& held, Class what) {
    if (held.section == nullptr) {
      held.section = new Section{};
      ++sections_;
    }
    forget_known(notes, t, held, what);
    notes.push_back({held.section, t, what, held.exclusive});
    ++held.section->notes;
  }
  // Those that are not needed beside one more.
  void forget_known(std::vector<Note>& notes, ThreadId t, const Held& held, Class what) {
    bool another = false;  // exclusive, behind the note, of another thread than t
    Class of_another{};
    std::size_t kept = notes.size();
    for (std::size_t i = notes.size(); i-- > 0;) {
      const Note note = notes[i];
      bool needed = !covers(what, note.what);
      if (note.thread == t) {
        // A lock may be held in both modes, and given up in one.
        const bool over = !note.section->open || note.section == held.section;
        needed |= !over || (note.exclusive && !held.exclusive);
      } else {
        needed |= !held.exclusive || !another || !covers(of_another, note.what);
      }
      if (note.thread != t && note.exclusive && (!another || covers(note.what, of_another))) {
        another = true;
        of_another = note.what;
      }
      if (needed) {
        notes[--kept] = note;
      } else {
        drop(note);
      }
    }
    notes.erase(notes.begin(), notes.begin() + static_cast<std::ptrdiff_t>(kept));
  }
  void drop(const Note& note) {
    if (--note.section->notes == 0 && !note.section->open) destroy(note.section);
  }
  void drop(State& s) {
    if (s.notes == nullptr) return;
    s.notes->for_each([this](const Note& note) { drop(note); });
    delete s.notes;
    s.notes = nullptr;
  }
  void destroy(Section* section) {
    clocks_.clear(section->known);
    delete section;
    --sections_;
  }

  clock::FlatClocks& clocks_;
  model::Cells<State> cells_;
  std::size_t sections_ = 0;
};

}  // namespace deadheat::order
