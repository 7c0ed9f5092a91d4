// Annotations of programs and libraries (OpenMP's Archer among them), found by their names, also by dlsym.
#include "runtime/emit.h"

using namespace deadheat::runtime;

#define ANNOTATION(name, ...) \
  extern "C" __attribute__((visibility("default"))) void name(const char*, int __VA_OPT__(, ) __VA_ARGS__)

namespace {

void emit_if_recording(Kind kind, Address object, Address pc) {
  if (recording()) emit(kind, object, pc);
}

void ignore_accesses(unsigned by) {
  t_self.ignore_accesses += by;
  mark_incomplete(Incomplete::ignored);
  look_again();
}

constexpr unsigned kMore = 1, kLess = ~0u;

void benign_race(Address address, std::size_t bytes, Address pc) {
  if (recording()) emit_with(Kind::benign, address, pc, bytes);
}

}  // namespace

ANNOTATION(AnnotateHappensBefore, Address object) { emit_if_recording(Kind::send, object, DEADHEAT_CALLER); }
ANNOTATION(AnnotateHappensAfter, Address object) { emit_if_recording(Kind::recv, object, DEADHEAT_CALLER); }
ANNOTATION(WTFAnnotateHappensBefore, Address object) {
  emit_if_recording(Kind::send, object, DEADHEAT_CALLER);
}
ANNOTATION(WTFAnnotateHappensAfter, Address object) {
  emit_if_recording(Kind::recv, object, DEADHEAT_CALLER);
}

ANNOTATION(AnnotateRWLockCreate, Address lock) {
  emit_if_recording(Kind::forget_lock, lock, DEADHEAT_CALLER);
}
ANNOTATION(AnnotateRWLockCreateStatic, Address) {}
ANNOTATION(AnnotateRWLockDestroy, Address lock) {
  emit_if_recording(Kind::forget_lock, lock, DEADHEAT_CALLER);
}
ANNOTATION(AnnotateRWLockAcquired, Address lock, Address is_write) {
  emit_if_recording(is_write != 0 ? Kind::acquire : Kind::acquire_shared, lock, DEADHEAT_CALLER);
}
ANNOTATION(AnnotateRWLockReleased, Address lock, Address is_write) {
  emit_if_recording(is_write != 0 ? Kind::release : Kind::release_shared, lock, DEADHEAT_CALLER);
}

// Reads alone or writes alone cannot be ignored: both are, as in ThreadSanitizer.
ANNOTATION(AnnotateIgnoreReadsBegin) { ignore_accesses(kMore); }
ANNOTATION(AnnotateIgnoreReadsEnd) { ignore_accesses(kLess); }
ANNOTATION(AnnotateIgnoreWritesBegin) { ignore_accesses(kMore); }
ANNOTATION(AnnotateIgnoreWritesEnd) { ignore_accesses(kLess); }
ANNOTATION(AnnotateIgnoreSyncBegin) { ++t_self.ignore_sync; }
ANNOTATION(AnnotateIgnoreSyncEnd) { --t_self.ignore_sync; }

ANNOTATION(AnnotateThreadName, const char* name) {
  if (!recording()) return;
  std::uint64_t words[2] = {};
  for (std::size_t i = 0; i < sizeof words && name[i] != 0; ++i) {
    words[i / 8] |= std::uint64_t{static_cast<unsigned char>(name[i])} << i % 8 * 8;
  }
  emit_with(Kind::thread_name, t_self.number, DEADHEAT_CALLER, words[0], words[1]);
}

// What was there before is another's: how Archer tells of a task's memory that is used again.
ANNOTATION(AnnotateNewMemory, Address address, Address bytes) {
  if (recording() && bytes != 0) emit_with(Kind::fresh, address, DEADHEAT_CALLER, bytes);
}

// Its size is not said: accesses with its first byte are meant.
ANNOTATION(AnnotateBenignRace, Address address, const char*) { benign_race(address, 1, DEADHEAT_CALLER); }
ANNOTATION(AnnotateBenignRaceSized, Address address, Address bytes, const char*) {
  benign_race(address, bytes, DEADHEAT_CALLER);
}
ANNOTATION(WTFAnnotateBenignRaceSized, Address address, Address bytes, const char*) {
  benign_race(address, bytes, DEADHEAT_CALLER);
}

// The rest says nothing about order or memory that is not known otherwise.
ANNOTATION(AnnotateCondVarSignal, Address) {}
ANNOTATION(AnnotateCondVarSignalAll, Address) {}
ANNOTATION(AnnotateCondVarWait, Address, Address) {}
ANNOTATION(AnnotateMutexIsNotPHB, Address) {}
ANNOTATION(AnnotateMutexIsUsedAsCondVar, Address) {}
ANNOTATION(AnnotatePCQCreate, Address) {}
ANNOTATION(AnnotatePCQDestroy, Address) {}
ANNOTATION(AnnotatePCQPut, Address) {}
ANNOTATION(AnnotatePCQGet, Address) {}
ANNOTATION(AnnotatePublishMemoryRange, Address, Address) {}
ANNOTATION(AnnotateUnpublishMemoryRange, Address, Address) {}
ANNOTATION(AnnotateMemoryIsInitialized, Address, Address) {}
ANNOTATION(AnnotateMemoryIsUninitialized, Address, Address) {}
ANNOTATION(AnnotateTraceMemory, Address) {}
ANNOTATION(AnnotateNoOp, Address) {}
ANNOTATION(AnnotateFlushState) {}
ANNOTATION(AnnotateFlushExpectedRaces) {}
ANNOTATION(AnnotateExpectRace, Address, const char*) {}
ANNOTATION(AnnotateEnableRaceDetection, int) {}

// Archer asks for the name to learn that somebody listens; programs ask for the value.
extern "C" __attribute__((visibility("default"))) int RunningOnValgrind() { return 0; }
extern "C" __attribute__((visibility("default"), weak)) double ValgrindSlowdown() { return 10; }
extern "C" __attribute__((visibility("default"))) const char* ThreadSanitizerQuery(const char* query) {
  const char* const known = "pure_happens_before";
  for (std::size_t i = 0; query[i] == known[i]; ++i) {
    if (known[i] == 0) return "1";
  }
  return "0";
}
