// Which code runs: instrumented, or code whose accesses nobody records.
//
// Instrumented code leaves the address that it calls in the thread's mark; the callee removes it, if it is
// instrumented and the address is its own. So while the mark is 0, instrumented code runs (or code that is
// known: known_functions.h); while it is not, other code may have run since the thread's last event.
//
// No gap is lost. Whatever the runtime records for a thread whose mark is set has a gap before it: an event
// of an interceptor called by such code, and the entry of an instrumented function that was called back,
// which finds a mark that is not its own address, puts it aside and restores it when it is left. The mark is
// removed in two ways only: by a function that finds its own address, before which nothing ran, and together
// with a gap. Marks that stay too long (jumps, exceptions, calls that never return) make gaps too many, never
// too few.
#pragma once

#include "runtime/emit.h"

// Read and written by instrumented code. Threads start in code that is not instrumented.
extern "C" constinit thread_local deadheat::runtime::Address __deadheat_call_mark
    __attribute__((tls_model("initial-exec"), visibility("default")));

namespace deadheat::runtime {

// A mark that is no function's.
inline constexpr Address kNotInstrumented = 1;

// The runtime calls a function of the program.
class MarkedCall {
 public:
  template <class Function>
  MarkedCall(Function* callee, Address pc) : saved_(__deadheat_call_mark), pc_(pc) {
    __deadheat_call_mark = reinterpret_cast<Address>(callee);
  }
  ~MarkedCall() {
    if (recording()) leave_gap_if_opaque(pc_);
    __deadheat_call_mark = saved_;
  }
  MarkedCall(const MarkedCall&) = delete;
  MarkedCall& operator=(const MarkedCall&) = delete;

 private:
  Address saved_, pc_;
};

}  // namespace deadheat::runtime
