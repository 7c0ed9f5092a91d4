// Messages through atomics. Mailbox m has one writer and one reader, a flag, an answer, and variables of its
// own. The writer fills the variables and publishes by the flag; the reader sees the flag, reads, and
// answers; the writer sees the answer before it fills them again. Each of the four steps is done in one of
// the ways that C++20 offers: a release store and an acquire load, seq_cst, read-modify-writes, relaxed with
// a fence; and others add relaxed read-modify-writes in between, which the release sequence survives.
#pragma once

#include "generate/machine.h"
#include "generate/sections.h"

namespace deadheat::generate {

class Mailboxes {
 public:
  Mailboxes(Machine& machine, Sections::Range shared);

  // Begins to write or read a message, whichever can be done now. False: neither.
  bool start(ThreadState& t);
  Step step_publish(ThreadState& t);
  Step step_take(ThreadState& t);
  // Something that needs no message: a counter, a look at a flag, an addition to a release sequence.
  void idle(ThreadState& t);

 private:
  enum class Box : std::uint8_t { fresh, filling, full, reading, answered };

  std::uint32_t flag(std::uint32_t box) const { return 2 * box; }
  std::uint32_t answer(std::uint32_t box) const { return 2 * box + 1; }
  std::uint32_t box_from(std::uint32_t reader) const {
    return static_cast<std::uint32_t>((reader + boxes_.size() - 1) % boxes_.size());
  }
  void touch(ThreadState& t, bool read);
  void publish(std::uint32_t t, std::uint32_t atomic);
  void observe(std::uint32_t t, std::uint32_t atomic);

  Machine& m_;
  Sections::Range shared_;
  std::uint32_t per_box_;   // variables
  std::uint32_t accesses_;  // by each side of a message, on average
  std::vector<Box> boxes_;  // box i is written by thread i, read by thread i + 1
};

}  // namespace deadheat::generate
