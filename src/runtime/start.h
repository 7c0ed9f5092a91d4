// The beginning and end of recording: of the process, of threads, of handlers.
#pragma once

#include "runtime/emit.h"

namespace deadheat::runtime {

// The first call does it all, whoever makes it. Environment: as given to the program; null: not known.
void start(char** environment);

// A thread that was not seen to begin: made by other means than pthread_create. False: nothing is recorded of
// it.
bool adopt_thread(Thread& t);
// The thread writes to this chunk from now on.
void open_chunk(Thread& t, std::uint32_t chunk);
// In a forked child: those who held them are not there.
void free_stripes();

}  // namespace deadheat::runtime
