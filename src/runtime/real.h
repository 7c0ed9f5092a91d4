// The functions behind the interceptors: those of the C library, found at first use.
#pragma once

#include "runtime/exported.h"

namespace deadheat::runtime {

// The next definition of the name behind ours; with a version where the plain name would give an old one.
// Writes a line and ends the program if there is none and `required`.
void* find_real(const char* name, const char* version, bool required);

// REAL(pthread_mutex_lock)(m): declared by DEADHEAT_INTERCEPT below.
#define REAL(name) (*real_##name())

// In the static library weak, as in the system's own: a program that brings its own malloc still links.
#ifdef DEADHEAT_STATIC_RUNTIME
#define DEADHEAT_EXPORT DEADHEAT_WEAK_ENTRY
#else
#define DEADHEAT_EXPORT DEADHEAT_ENTRY
#endif

// DEADHEAT_INTERCEPT(int, pthread_mutex_lock, (pthread_mutex_t* m)) { ... REAL(pthread_mutex_lock)(m) ... }
// defines the exported function, and how to reach the real one.
#define DEADHEAT_REAL(result, name, parameters, version)                                        \
  using name##_type = result parameters;                                                        \
  [[maybe_unused]] static name##_type* real_##name() {                                          \
    static name##_type* found;                                                                  \
    name##_type* f = __atomic_load_n(&found, __ATOMIC_RELAXED);                                 \
    if (__builtin_expect(f == nullptr, false)) {                                                \
      f = reinterpret_cast<name##_type*>(::deadheat::runtime::find_real(#name, version, true)); \
      __atomic_store_n(&found, f, __ATOMIC_RELAXED);                                            \
    }                                                                                           \
    return f;                                                                                   \
  }

#define DEADHEAT_INTERCEPT_VERSION(result, name, parameters, version) \
  DEADHEAT_REAL(result, name, parameters, version)                    \
  DEADHEAT_EXPORT result name parameters

#define DEADHEAT_INTERCEPT(result, name, parameters) \
  DEADHEAT_INTERCEPT_VERSION(result, name, parameters, nullptr)

}  // namespace deadheat::runtime
