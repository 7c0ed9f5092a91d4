// Processes that the program makes.
#pragma once

namespace deadheat::runtime {

// From now on a forked child leaves the session before any code of the program runs in it. Call it once,
// before the program can register handlers of its own.
void watch_forks();

}  // namespace deadheat::runtime
