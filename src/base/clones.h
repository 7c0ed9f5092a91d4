// Functions that are compiled several times: once for every machine, and again for wider vectors; the loader
// picks. (Baseline x86-64 has few instructions for vectors of integers.) Not where threads are watched: the
// functions that pick run before the watcher is ready.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DEADHEAT_NO_CLONES
#endif
#endif

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(DEADHEAT_NO_CLONES)
#define DEADHEAT_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define DEADHEAT_CLONES
#endif
