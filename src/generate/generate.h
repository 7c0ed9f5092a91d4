// Synthetic workloads: threads that run small programs, under a scheduler that switches between them by
// chance. The same parameters give the same events, on every machine and for every block size. Memory does
// not grow with the number of events.
#pragma once

#include "deadheat/trace.h"
#include "generate/parameters.h"
#include "generate/races.h"

namespace deadheat::generate {

// Exactly parameters.events events go to the sink, which is finished. They are well formed; apart from the
// planted races no two accesses race. `truth` is called once for each of those, in the order of event2.
Status generate(const Parameters& parameters, Sink& sink, Truth truth = {});

}  // namespace deadheat::generate
