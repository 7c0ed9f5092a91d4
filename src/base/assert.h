// Promises inside the program. A broken one is our bug: say which, and stop.
#pragma once

namespace deadheat::base {
[[noreturn]] void assertion_failed(const char* condition, const char* message, const char* file, int line);
}

#define DEADHEAT_ASSERT(condition, message) \
  (static_cast<bool>(condition)             \
       ? static_cast<void>(0)               \
       : ::deadheat::base::assertion_failed(#condition, message, __FILE__, __LINE__))

#ifdef NDEBUG
#define DEADHEAT_DEBUG_ASSERT(condition, message) static_cast<void>(0)
#else
#define DEADHEAT_DEBUG_ASSERT(condition, message) DEADHEAT_ASSERT(condition, message)
#endif
