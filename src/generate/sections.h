// Critical sections. Lock l guards a range of the shared variables of its own: they are touched by its holder
// only, written by an exclusive one only. Locks are taken in the order of their numbers, so nobody waits for
// ever.
//
// Each lock has sites of its own: two of four walk through a part of its range, one picks in a part of it,
// one anywhere in it. That is the locality of the workload.
#pragma once

#include "generate/machine.h"

namespace deadheat::generate {

class Sections {
 public:
  struct Range {
    std::uint32_t first, count;
  };
  enum class Locks : std::uint8_t {
    exclusive,
    reader_writer,  // seven of ten sections only read
    reentrant,      // and locks are taken again by who has them
  };

  Sections(Machine& machine, Range shared, Locks locks);

  // A step of a thread that runs through sections for ever: some accesses of its own in between.
  Step step(ThreadState& t) {
    const std::uint64_t r = m_.random();
    if (t.wants != kNobody) return take_wanted(t);
    if ((r & 0xFFFF) < access_bits_) return access(t, r), Step::more;
    return lock_operation(t, r);
  }
  // A step of one section, which is over when nothing is held any more.
  Step step_once(ThreadState& t) {
    if (t.depth == 0 && t.wants == kNobody && t.left == 0) return Step::done;
    t.left = 0;
    return t.depth == 0 && t.wants == kNobody ? lock_operation(t, m_.random()) : step(t);
  }
  bool runnable(const ThreadState& t) const {
    return t.wants == kNobody || m_.free_for(t.id, t.wants, t.wants_shared);
  }

 private:
  struct Walk {  // of a site through the variables of a lock
    std::uint32_t first, count, at, site;
  };

  void access(ThreadState& t, std::uint64_t r);
  Step lock_operation(ThreadState& t, std::uint64_t r);
  Step take_wanted(ThreadState& t);
  bool reenter(ThreadState& t, std::uint64_t r);

  Machine& m_;
  Locks locks_;
  std::uint32_t access_bits_;
  std::uint32_t walks_per_lock_;
  std::vector<Walk> walks_;
  std::vector<Range> guarded_;  // by lock
};

}  // namespace deadheat::generate
