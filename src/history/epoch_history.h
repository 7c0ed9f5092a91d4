// One write and mostly one read a variable.
// Flanagan & Freund, "FastTrack: Efficient and Precise Dynamic Race Detection" (PLDI 2009), figure 5.
// Finds the same racy variables as a full history, and of each variable the same first racing access. After
// that it may miss what a full history flags: the write it remembers is the last one.
// Departs: accesses of the same epoch are checked like others; measured, to look for the epoch first saved
// nothing.
#pragma once

#include "history/access_history.h"

namespace deadheat::history {

struct ForgetReplaced {
  template <class State>
  static void replaced(State&) {}
};
using EpochHistory = AccessHistory<ForgetReplaced>;

}  // namespace deadheat::history
