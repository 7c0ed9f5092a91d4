// The handlers that run in a thread, innermost first, for jumps that leave them.
#pragma once

#include "runtime/emit.h"

namespace deadheat::runtime {

struct HandlerFrame {
  Interrupted interrupted;
  HandlerFrame* outer;
};

extern constinit thread_local HandlerFrame* t_handlers
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// As if those within `until` had returned.
void leave_handlers(const HandlerFrame* until);

}  // namespace deadheat::runtime
