// Names that the system's own runtimes export and programs may link against, of functions that have little or
// nothing to do here: docs/interception.md says which.
#include <sys/syscall.h>

#include "runtime/emit.h"
#include "runtime/exported.h"
#include "runtime/lines.h"
#include "runtime/real.h"
#include "runtime/system_call.h"

using namespace deadheat::runtime;

#define ENTRY DEADHEAT_ENTRY
#define HOOK DEADHEAT_WEAK_ENTRY

// Interceptors by their other names: the function of the plain name is called, ours if it is intercepted.
// Weak, because not every program is linked with the library that has it.
#define TO_PLAIN(prefix, name)                                                                     \
  asm(".globl " prefix #name "\n.type " prefix #name ", @function\n.weak " #name "\n" prefix #name \
      ":\n"                                                                                        \
      "jmp " #name "@PLT\n.size " prefix #name ", . - " prefix #name "\n");
#define NAME(name)                  \
  TO_PLAIN("__interceptor_", name)  \
  TO_PLAIN("___interceptor_", name) \
  TO_PLAIN("__interceptor_trampoline_", name)
asm(".text");
#include "runtime/abi/interceptor_names.inc"
#undef NAME

// Those that linkers warn of when they see the name are looked for when they are called.
#define LOOKED_FOR(symbol, name, parameters, ...)                                              \
  ENTRY char* symbol parameters {                                                              \
    return reinterpret_cast<char*(*)parameters>(find_real(#name, nullptr, true))(__VA_ARGS__); \
  }
#define NAME(name, parameters, ...)                                \
  LOOKED_FOR(__interceptor_##name, name, parameters, __VA_ARGS__)  \
  LOOKED_FOR(___interceptor_##name, name, parameters, __VA_ARGS__) \
  LOOKED_FOR(__interceptor_trampoline_##name, name, parameters, __VA_ARGS__)
NAME(tempnam, (const char* folder, const char* prefix), folder, prefix)
NAME(tmpnam, (char* name), name)
NAME(tmpnam_r, (char* name), name)
#undef NAME

// Called by programs that make system calls by themselves, around each. What the kernel does to their memory
// is not recorded.
#define DO_NOTHING(symbol) \
  asm(".globl " symbol "\n.type " symbol ", @function\n" symbol ":\nret\n.size " symbol ", . - " symbol "\n");
#define NAME(name)                                  \
  DO_NOTHING("__sanitizer_syscall_pre_impl_" #name) \
  DO_NOTHING("__sanitizer_syscall_post_impl_" #name)
#include "runtime/abi/system_call_names.inc"
#undef NAME

// Coverage is not measured.
HOOK void __sanitizer_cov_8bit_counters_init() {}
HOOK void __sanitizer_cov_bool_flag_init() {}
HOOK void __sanitizer_cov_dump() {}
HOOK void __sanitizer_cov_load1() {}
HOOK void __sanitizer_cov_load16() {}
HOOK void __sanitizer_cov_load2() {}
HOOK void __sanitizer_cov_load4() {}
HOOK void __sanitizer_cov_load8() {}
HOOK void __sanitizer_cov_pcs_init() {}
HOOK void __sanitizer_cov_reset() {}
HOOK void __sanitizer_cov_store1() {}
HOOK void __sanitizer_cov_store16() {}
HOOK void __sanitizer_cov_store2() {}
HOOK void __sanitizer_cov_store4() {}
HOOK void __sanitizer_cov_store8() {}
HOOK void __sanitizer_cov_trace_cmp() {}
HOOK void __sanitizer_cov_trace_cmp1() {}
HOOK void __sanitizer_cov_trace_cmp2() {}
HOOK void __sanitizer_cov_trace_cmp4() {}
HOOK void __sanitizer_cov_trace_cmp8() {}
HOOK void __sanitizer_cov_trace_const_cmp1() {}
HOOK void __sanitizer_cov_trace_const_cmp2() {}
HOOK void __sanitizer_cov_trace_const_cmp4() {}
HOOK void __sanitizer_cov_trace_const_cmp8() {}
HOOK void __sanitizer_cov_trace_div4() {}
HOOK void __sanitizer_cov_trace_div8() {}
HOOK void __sanitizer_cov_trace_gep() {}
HOOK void __sanitizer_cov_trace_pc_guard() {}
HOOK void __sanitizer_cov_trace_pc_guard_init() {}
HOOK void __sanitizer_cov_trace_pc_indir() {}
HOOK void __sanitizer_cov_trace_switch() {}
HOOK void __sanitizer_dump_coverage() {}
HOOK void __sanitizer_dump_trace_pc_guard_coverage() {}
HOOK void __sanitizer_weak_hook_memcmp() {}
HOOK void __sanitizer_weak_hook_memmem() {}
HOOK void __sanitizer_weak_hook_strcasecmp() {}
HOOK void __sanitizer_weak_hook_strcasestr() {}
HOOK void __sanitizer_weak_hook_strcmp() {}
HOOK void __sanitizer_weak_hook_strncasecmp() {}
HOOK void __sanitizer_weak_hook_strncmp() {}
HOOK void __sanitizer_weak_hook_strstr() {}
HOOK const char* __sancov_default_options() { return ""; }
extern "C" {
__attribute__((visibility("default"))) thread_local std::uintptr_t __sancov_lowest_stack = 0;
}

// -fsanitize=undefined along with -fsanitize=thread: each kind is told once, without its details.
#define UNDEFINED(kind)                                                                          \
  ENTRY void __ubsan_handle_##kind() {                                                           \
    static bool told;                                                                            \
    if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED)) say("undefined behaviour: " #kind); \
  }                                                                                              \
  ENTRY void __ubsan_handle_##kind##_abort() { die("undefined behaviour: " #kind); }
UNDEFINED(add_overflow)
UNDEFINED(alignment_assumption)
UNDEFINED(cfi_check_fail)
UNDEFINED(divrem_overflow)
UNDEFINED(float_cast_overflow)
UNDEFINED(function_type_mismatch)
UNDEFINED(implicit_conversion)
UNDEFINED(invalid_builtin)
UNDEFINED(invalid_objc_cast)
UNDEFINED(load_invalid_value)
UNDEFINED(mul_overflow)
UNDEFINED(negate_overflow)
UNDEFINED(nonnull_arg)
UNDEFINED(nonnull_return_v1)
UNDEFINED(nullability_arg)
UNDEFINED(nullability_return_v1)
UNDEFINED(out_of_bounds)
UNDEFINED(pointer_overflow)
UNDEFINED(shift_out_of_bounds)
UNDEFINED(sub_overflow)
UNDEFINED(type_mismatch_v1)
UNDEFINED(vla_bound_not_positive)
ENTRY void __ubsan_handle_builtin_unreachable() { die("undefined behaviour: builtin_unreachable"); }
ENTRY void __ubsan_handle_missing_return() { die("undefined behaviour: missing_return"); }
HOOK const char* __ubsan_default_options() { return ""; }
ENTRY void __ubsan_on_report() {}
ENTRY void __ubsan_get_current_report_data(const char** kind, const char** message, const char** file,
                                           unsigned* line, unsigned* column, char** address) {
  *kind = *message = *file = "";
  *line = *column = 0;
  *address = nullptr;
}

ENTRY void __tsan_on_thread_idle() {}
ENTRY const void* __sanitizer_get_allocated_begin(const void* block) { return block; }
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void* block);
ENTRY std::size_t __sanitizer_get_allocated_size_fast(const void* block) {
  return __sanitizer_get_allocated_size(block);
}
HOOK int __sanitizer_ignore_free_hook(const volatile void*) { return 0; }

// Stock ThreadSanitizer's own tests: a barrier that orders nothing, and how deep the calls are. The low byte
// is how many meet, the rest how many have come.
ENTRY void __tsan_testonly_barrier_init(std::uint64_t* barrier, std::uint32_t count) { *barrier = count; }
ENTRY void __tsan_testonly_barrier_wait(std::uint64_t* barrier) {
  const std::uint64_t count = __atomic_load_n(barrier, __ATOMIC_RELAXED) & 0xff;
  if (count == 0) return;
  const std::uint64_t came = __atomic_fetch_add(barrier, 256, __ATOMIC_RELAXED) >> 8;
  while ((__atomic_load_n(barrier, __ATOMIC_RELAXED) >> 8) / count == came / count) {
    system_call(SYS_sched_yield);
  }
}
ENTRY std::uintptr_t __tsan_testonly_shadow_stack_current_size() {
  return static_cast<std::uintptr_t>(t_self.top - t_self.base);
}

// Java's heap and locks, as its virtual machine tells of them. Where a block lies is not looked for.
namespace {

void emit_java(Kind kind, Address object, Address pc) {
  if (recording()) emit(kind, object, pc);
}

}  // namespace

ENTRY void __tsan_java_init(Address, Address) {}
ENTRY int __tsan_java_fini() { return 0; }
ENTRY void __tsan_java_finalize() {}
ENTRY void __tsan_java_alloc(Address block, Address bytes) {
  if (recording()) emit_with(Kind::alloc, block, DEADHEAT_CALLER, bytes);
}
ENTRY void __tsan_java_free(Address block, Address bytes) {
  if (recording()) emit_with(Kind::unmap, block, DEADHEAT_CALLER, bytes);
}
ENTRY Address __tsan_java_find(Address*, Address) { return 0; }
// What is moved is new where it comes to. While the heap is moved no thread runs.
ENTRY void __tsan_java_move(Address, Address to, Address bytes) {
  if (recording()) emit_with(Kind::fresh, to, DEADHEAT_CALLER, bytes);
}
ENTRY void __tsan_java_mutex_lock(Address lock) { emit_java(Kind::acquire, lock, DEADHEAT_CALLER); }
ENTRY void __tsan_java_mutex_unlock(Address lock) { emit_java(Kind::release, lock, DEADHEAT_CALLER); }
ENTRY void __tsan_java_mutex_read_lock(Address lock) {
  emit_java(Kind::acquire_shared, lock, DEADHEAT_CALLER);
}
ENTRY void __tsan_java_mutex_read_unlock(Address lock) {
  emit_java(Kind::release_shared, lock, DEADHEAT_CALLER);
}
// A wait gives all levels back and takes them again: one release and one acquire order the same.
ENTRY void __tsan_java_mutex_lock_rec(Address lock, int) { emit_java(Kind::acquire, lock, DEADHEAT_CALLER); }
ENTRY int __tsan_java_mutex_unlock_rec(Address lock) {
  emit_java(Kind::release, lock, DEADHEAT_CALLER);
  return 1;
}
ENTRY void __tsan_java_acquire(Address object) { emit_java(Kind::recv, object, DEADHEAT_CALLER); }
ENTRY void __tsan_java_release(Address object) { emit_java(Kind::send, object, DEADHEAT_CALLER); }
ENTRY void __tsan_java_release_store(Address object) { emit_java(Kind::send, object, DEADHEAT_CALLER); }

// Hooks of another kind than __tsan_on_initialize and its like, for runtimes that are built in.
extern "C" void __tsan_on_initialize();
extern "C" int __tsan_on_finalize(int failed);
namespace __tsan {
__attribute__((visibility("default"), weak)) void OnInitialize() { __tsan_on_initialize(); }
__attribute__((visibility("default"), weak)) bool OnFinalize(bool failed) {
  return __tsan_on_finalize(failed ? 1 : 0) != 0;
}
struct ReportDesc;
__attribute__((visibility("default"), weak)) bool OnReport(const ReportDesc*, bool suppressed) {
  return suppressed;
}
__attribute__((visibility("default"), weak)) void OnPotentiallyBlockingRegionBegin() {}
__attribute__((visibility("default"), weak)) void OnPotentiallyBlockingRegionEnd() {}
}  // namespace __tsan
