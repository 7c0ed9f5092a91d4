// Valgrind's annotations as ThreadSanitizer's, for the programs of its test suites: read behind drd.h or
// helgrind.h, whose client requests mean nothing outside Valgrind.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
void AnnotateHappensBefore(const char*, int, void*);
void AnnotateHappensAfter(const char*, int, void*);
void AnnotateRWLockCreate(const char*, int, void*);
void AnnotateRWLockDestroy(const char*, int, void*);
void AnnotateRWLockAcquired(const char*, int, void*, long);
void AnnotateRWLockReleased(const char*, int, void*, long);
void AnnotateBenignRaceSized(const char*, int, void*, long, const char*);
void AnnotateNewMemory(const char*, int, void*, long);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
void AnnotateThreadName(const char*, int, const char*);
#ifdef __cplusplus
}
#endif

#undef ANNOTATE_HAPPENS_BEFORE
#undef ANNOTATE_HAPPENS_AFTER
#define ANNOTATE_HAPPENS_BEFORE(object) AnnotateHappensBefore(__FILE__, __LINE__, (void*)(object))
#define ANNOTATE_HAPPENS_AFTER(object) AnnotateHappensAfter(__FILE__, __LINE__, (void*)(object))

#undef ANNOTATE_RWLOCK_CREATE
#undef ANNOTATE_RWLOCK_DESTROY
#undef ANNOTATE_RWLOCK_ACQUIRED
#undef ANNOTATE_RWLOCK_RELEASED
#define ANNOTATE_RWLOCK_CREATE(lock) AnnotateRWLockCreate(__FILE__, __LINE__, (void*)(lock))
#define ANNOTATE_RWLOCK_DESTROY(lock) AnnotateRWLockDestroy(__FILE__, __LINE__, (void*)(lock))
#define ANNOTATE_RWLOCK_ACQUIRED(lock, is_w) AnnotateRWLockAcquired(__FILE__, __LINE__, (void*)(lock), is_w)
#define ANNOTATE_RWLOCK_RELEASED(lock, is_w) AnnotateRWLockReleased(__FILE__, __LINE__, (void*)(lock), is_w)

#undef ANNOTATE_BENIGN_RACE
#undef ANNOTATE_BENIGN_RACE_SIZED
#define ANNOTATE_BENIGN_RACE(object, why) ANNOTATE_BENIGN_RACE_SIZED(object, sizeof *(object), why)
#define ANNOTATE_BENIGN_RACE_SIZED(object, size, why) \
  AnnotateBenignRaceSized(__FILE__, __LINE__, (void*)(object), size, why)

#undef ANNOTATE_NEW_MEMORY
#define ANNOTATE_NEW_MEMORY(object, size) AnnotateNewMemory(__FILE__, __LINE__, (void*)(object), size)
#undef VALGRIND_HG_CLEAN_MEMORY
#define VALGRIND_HG_CLEAN_MEMORY(object, size) ANNOTATE_NEW_MEMORY(object, size)

#undef ANNOTATE_IGNORE_READS_BEGIN
#undef ANNOTATE_IGNORE_READS_END
#undef ANNOTATE_IGNORE_WRITES_BEGIN
#undef ANNOTATE_IGNORE_WRITES_END
#undef ANNOTATE_IGNORE_READS_AND_WRITES_BEGIN
#undef ANNOTATE_IGNORE_READS_AND_WRITES_END
#define ANNOTATE_IGNORE_READS_BEGIN() AnnotateIgnoreReadsBegin(__FILE__, __LINE__)
#define ANNOTATE_IGNORE_READS_END() AnnotateIgnoreReadsEnd(__FILE__, __LINE__)
#define ANNOTATE_IGNORE_WRITES_BEGIN() AnnotateIgnoreWritesBegin(__FILE__, __LINE__)
#define ANNOTATE_IGNORE_WRITES_END() AnnotateIgnoreWritesEnd(__FILE__, __LINE__)
#define ANNOTATE_IGNORE_READS_AND_WRITES_BEGIN() \
  (ANNOTATE_IGNORE_READS_BEGIN(), ANNOTATE_IGNORE_WRITES_BEGIN())
#define ANNOTATE_IGNORE_READS_AND_WRITES_END() (ANNOTATE_IGNORE_WRITES_END(), ANNOTATE_IGNORE_READS_END())

#ifdef __cplusplus

#define ANNOTATE_UNPROTECTED_READ(x) unprotected_read_here(x)
template <class T>
T unprotected_read_here(const volatile T& x) {
  ANNOTATE_IGNORE_READS_BEGIN();
  const T value = x;
  ANNOTATE_IGNORE_READS_END();
  return value;
}
#endif

#undef ANNOTATE_THREAD_NAME
#define ANNOTATE_THREAD_NAME(name) AnnotateThreadName(__FILE__, __LINE__, name)

// ThreadSanitizer knows no annotation for these: what they order, as messages.
#undef ANNOTATE_SEM_WAIT_POST
#undef ANNOTATE_SEM_POST_PRE
#define ANNOTATE_SEM_WAIT_POST(semaphore) ANNOTATE_HAPPENS_AFTER(semaphore)
#define ANNOTATE_SEM_POST_PRE(semaphore) ANNOTATE_HAPPENS_BEFORE(semaphore)
#undef ANNOTATE_BARRIER_WAIT_BEFORE
#undef ANNOTATE_BARRIER_WAIT_AFTER
#define ANNOTATE_BARRIER_WAIT_BEFORE(barrier) ANNOTATE_HAPPENS_BEFORE(barrier)
#define ANNOTATE_BARRIER_WAIT_AFTER(barrier) ANNOTATE_HAPPENS_AFTER(barrier)
