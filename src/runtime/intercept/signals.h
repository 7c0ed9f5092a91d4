// Signals: what orders them, and the handlers that run in a thread, innermost first,
// for jumps that leave them.
#pragma once

#include "runtime/emit.h"

namespace deadheat::runtime {

struct HandlerFrame {
  Interrupted interrupted;
  HandlerFrame* outer;
};

extern constinit thread_local HandlerFrame* t_handlers
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The channel of a signal: who sets its handler or sends it sends, the handler receives. So does who waits
// for it otherwise.
void send_to_signal(int number, Address pc);
void receive_signals(Address pc);  // any that was sent to

// As if those within `until` had returned.
void leave_handlers(const HandlerFrame* until);

}  // namespace deadheat::runtime
