// What is kept of a thread's calls of setjmp.
#pragma once

namespace deadheat::runtime {

// The thread ends.
void forget_jumps();

}  // namespace deadheat::runtime
