// What <sanitizer/tsan_interface.h> offers programs: order that the compiler cannot see, locks of their own,
// and questions about reports.
#include <unistd.h>

#include "runtime/emit.h"
#include "runtime/exported.h"
#include "runtime/real.h"

using namespace deadheat::runtime;

#define ENTRY DEADHEAT_ENTRY
// A program may bring its own.
#define HOOK DEADHEAT_WEAK_ENTRY

namespace {

Address at(const void* address) { return reinterpret_cast<Address>(address); }

void emit_if_recording(Kind kind, const void* object, Address pc) {
  if (recording()) emit(kind, at(object), pc);
}

// What a lock does within its own functions is not the program's: neither accesses nor order.
void ignore() {
  ++t_self.ignore_accesses;
  ++t_self.ignore_sync;
  look_again();
}

void heed() {
  --t_self.ignore_accesses;
  --t_self.ignore_sync;
  look_again();
}

enum LockFlags : unsigned { kRead = 1 << 3, kFailed = 1 << 5, kSeveralLevels = 1 << 6, kAllLevels = 1 << 7 };

std::uint32_t* levels_of(Address lock) {
  for (auto& held : t_self.own_locks) {
    if (held.levels != 0 && held.lock == lock) return &held.levels;
  }
  return nullptr;
}

void take(Address lock, std::uint32_t levels) {
  if (std::uint32_t* const known = levels_of(lock)) {
    *known += levels;
    return;
  }
  for (auto& held : t_self.own_locks) {
    if (held.levels != 0) continue;
    held.lock = lock;
    held.levels = levels;
    return;
  }
}

// How many levels are given back. Of a lock beyond the few that can be noted it is one: if that is too few,
// the recorder will tell.
std::uint32_t give_back(Address lock, bool all) {
  std::uint32_t* const known = levels_of(lock);
  if (known == nullptr) return 1;
  const std::uint32_t levels = all ? *known : 1;
  *known -= levels;
  return levels;
}

}  // namespace

ENTRY void __tsan_acquire(void* object) { emit_if_recording(Kind::recv, object, DEADHEAT_CALLER); }
ENTRY void __tsan_release(void* object) { emit_if_recording(Kind::send, object, DEADHEAT_CALLER); }

ENTRY void __tsan_mutex_create(void* lock, unsigned) {
  emit_if_recording(Kind::forget_lock, lock, DEADHEAT_CALLER);
}
ENTRY void __tsan_mutex_destroy(void* lock, unsigned) {
  emit_if_recording(Kind::forget_lock, lock, DEADHEAT_CALLER);
}
ENTRY void __tsan_mutex_pre_lock(void*, unsigned) { ignore(); }
ENTRY void __tsan_mutex_post_lock(void* lock, unsigned flags, int recursion) {
  heed();
  if ((flags & kFailed) != 0) return;
  if ((flags & kRead) != 0) return emit_if_recording(Kind::acquire_shared, lock, DEADHEAT_CALLER);
  const std::uint32_t levels =
      (flags & kSeveralLevels) != 0 && recursion > 0 ? static_cast<std::uint32_t>(recursion) : 1;
  take(at(lock), levels);
  for (std::uint32_t i = 0; i < levels; ++i) emit_if_recording(Kind::acquire, lock, DEADHEAT_CALLER);
}
// The program gives the levels back to post_lock.
ENTRY int __tsan_mutex_pre_unlock(void* lock, unsigned flags) {
  std::uint32_t levels = 1;
  if ((flags & kRead) != 0) {
    emit_if_recording(Kind::release_shared, lock, DEADHEAT_CALLER);
  } else {
    levels = give_back(at(lock), (flags & kAllLevels) != 0);
    for (std::uint32_t i = 0; i < levels; ++i) emit_if_recording(Kind::release, lock, DEADHEAT_CALLER);
  }
  ignore();
  return static_cast<int>(levels);
}
ENTRY void __tsan_mutex_post_unlock(void*, unsigned) { heed(); }
ENTRY void __tsan_mutex_pre_signal(void*, unsigned) { ignore(); }
ENTRY void __tsan_mutex_post_signal(void*, unsigned) { heed(); }
// Something else is called from within, which is the program's again.
ENTRY void __tsan_mutex_pre_divert(void*, unsigned) { heed(); }
ENTRY void __tsan_mutex_post_divert(void*, unsigned) { ignore(); }
ENTRY void __tsan_check_no_mutexes_held() {}

// Objects of other languages: each access is one of the object's first byte.
ENTRY void* __tsan_external_register_tag(const char* type) { return const_cast<char*>(type); }
ENTRY void __tsan_external_register_header(void*, const char*) {}
ENTRY void __tsan_external_assign_tag(void*, void*) {}
ENTRY void __tsan_external_read(void* object, void* caller, void*) {
  if (g_recording) emit_access(Kind::read, at(object), 1, at(caller));
}
ENTRY void __tsan_external_write(void* object, void* caller, void*) {
  if (g_recording) emit_access(Kind::write, at(object), 1, at(caller));
}

ENTRY void __tsan_flush_memory() {}

// Races are found by who reads the recording, so while the program runs there is no report.
HOOK void __tsan_on_report(void*) {}
// A shared object may bring these; where the runtime is part of the program, ours come before them.
HOOK void __tsan_on_initialize() {
  if (void* const other = find_real("__tsan_on_initialize", nullptr, false)) {
    reinterpret_cast<void (*)()>(other)();
  }
}
HOOK int __tsan_on_finalize(int failed) {
  if (void* const other = find_real("__tsan_on_finalize", nullptr, false)) {
    return reinterpret_cast<int (*)(int)>(other)(failed);
  }
  return failed;
}
namespace __tsan {
bool OnFinalize(bool failed);
}

// The last of the program's destructors. No race is known, so nothing has failed but in the program's eyes.
__attribute__((destructor(101))) static void finalize() {
  constexpr int kFailed = 66;
  if (__tsan::OnFinalize(false)) _exit(kFailed);
}
HOOK const char* __tsan_default_options() { return ""; }
HOOK const char* __tsan_default_suppressions() { return ""; }
HOOK int __tsan_symbolize_external(Address, char*, Address, char*, Address, int*, int*) { return 0; }
HOOK void __tsan_symbolize_external_ex(Address, void (*)(void*, const char*, const char*, int, int), void*) {}

ENTRY void* __tsan_get_current_report() { return nullptr; }
ENTRY int __tsan_get_report_data(void*, const char**, int*, int*, int*, int*, int*, int*, int*, void**,
                                 Address) {
  return 0;
}
ENTRY int __tsan_get_report_tag(void*, Address*) { return 0; }
ENTRY int __tsan_get_report_stack(void*, Address, void**, Address) { return 0; }
ENTRY int __tsan_get_report_mop(void*, Address, int*, void**, int*, int*, int*, void**, Address) { return 0; }
ENTRY int __tsan_get_report_loc(void*, Address, const char**, void**, Address*, Address*, int*, int*, int*,
                                void**, Address) {
  return 0;
}
ENTRY int __tsan_get_report_loc_object_type(void*, Address, const char**) { return 0; }
ENTRY int __tsan_get_report_mutex(void*, Address, Address*, void**, int*, void**, Address) { return 0; }
ENTRY int __tsan_get_report_thread(void*, Address, int*, std::uint64_t*, int*, const char**, int*, void**,
                                   Address) {
  return 0;
}
ENTRY int __tsan_get_report_unique_tid(void*, Address, int*) { return 0; }
ENTRY const char* __tsan_locate_address(Address, char* name, Address name_size, Address* region,
                                        Address* region_size) {
  if (name_size != 0) *name = 0;
  *region = *region_size = 0;
  return "";
}
ENTRY int __tsan_get_alloc_stack(Address, Address*, Address, int*, std::uint64_t*) { return 0; }
