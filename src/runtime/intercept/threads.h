// Threads that the C library makes for itself, and runs the program's functions in.
#pragma once

namespace deadheat::runtime {

// The calling thread, if it has not been seen yet, begins here: with a stack of its own, and an end.
void enter_unseen_thread();

}  // namespace deadheat::runtime
