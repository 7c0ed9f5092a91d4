// Functions of the C library that exist in several versions and that the system's own runtime intercepts. A
// program that was linked with that one asks for them without a version, and the dynamic linker would give it
// the oldest: one with another meaning. These pass the call on to the newest. (Of those that are intercepted
// for their own sake, the interceptors see to it.)
#ifndef DEADHEAT_STATIC_RUNTIME

#include <glob.h>
#include <regex.h>
#include <sched.h>
#include <stdio.h>

#include "runtime/real.h"

namespace deadheat::runtime {

#define DEADHEAT_PASS_ON(result, name, version, parameters, ...) \
  DEADHEAT_INTERCEPT_VERSION(result, name, parameters, version) { return REAL(name)(__VA_ARGS__); }

DEADHEAT_PASS_ON(FILE*, fmemopen, "GLIBC_2.22", (void* buffer, size_t bytes, const char* mode), buffer, bytes,
                 mode)
DEADHEAT_PASS_ON(int, glob, "GLIBC_2.27",
                 (const char* pattern, int flags, int (*failed)(const char*, int), glob_t* found), pattern,
                 flags, failed, found)
DEADHEAT_PASS_ON(int, glob64, "GLIBC_2.27",
                 (const char* pattern, int flags, int (*failed)(const char*, int), glob64_t* found), pattern,
                 flags, failed, found)
DEADHEAT_PASS_ON(double, lgamma, "GLIBC_2.23", (double x), x)
DEADHEAT_PASS_ON(float, lgammaf, "GLIBC_2.23", (float x), x)
DEADHEAT_PASS_ON(long double, lgammal, "GLIBC_2.23", (long double x), x)
DEADHEAT_PASS_ON(int, pthread_attr_getaffinity_np, "GLIBC_2.3.4",
                 (const pthread_attr_t* attributes, size_t bytes, cpu_set_t* set), attributes, bytes, set)
DEADHEAT_PASS_ON(char*, realpath, "GLIBC_2.3", (const char* path, char* resolved), path, resolved)
DEADHEAT_PASS_ON(int, regexec, "GLIBC_2.3.4",
                 (const regex_t* pattern, const char* text, size_t most, regmatch_t* found, int flags),
                 pattern, text, most, found, flags)
DEADHEAT_PASS_ON(int, sched_getaffinity, "GLIBC_2.3.4", (pid_t who, size_t bytes, cpu_set_t* set), who, bytes,
                 set)

}  // namespace deadheat::runtime

#endif
