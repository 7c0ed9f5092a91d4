// What <sanitizer/common_interface_defs.h> and its like offer to programs under any sanitizer. There is
// nothing to report while a program is recorded, so most of it is there to be called, and does nothing.
#include <malloc.h>

#include "runtime/emit.h"
#include "runtime/exported.h"

using namespace deadheat::runtime;

#define ENTRY DEADHEAT_ENTRY
#define HOOK DEADHEAT_WEAK_ENTRY

ENTRY void __sanitizer_set_report_path(const char*) {}
ENTRY void __sanitizer_set_report_fd(void*) {}
ENTRY const char* __sanitizer_get_report_path() { return ""; }
ENTRY void __sanitizer_set_death_callback(void (*)()) {}
ENTRY void __sanitizer_sandbox_on_notify(void*) {}
ENTRY void __sanitizer_print_stack_trace() {}
ENTRY void __sanitizer_print_memory_profile(std::size_t, std::size_t) {}
ENTRY int __sanitizer_acquire_crash_state() { return 1; }
HOOK void __sanitizer_report_error_summary(const char*) {}
HOOK void __sanitizer_on_print(const char*) {}

ENTRY void __sanitizer_symbolize_pc(void*, const char*, char* text, std::size_t size) {
  if (size != 0) *text = 0;
}
ENTRY void __sanitizer_symbolize_global(void*, const char*, char* text, std::size_t size) {
  if (size != 0) *text = 0;
}
ENTRY int __sanitizer_get_module_and_offset_for_pc(void*, char*, std::size_t, void**) { return 0; }

// Blocks of the C library.
ENTRY std::size_t __sanitizer_get_allocated_size(const volatile void* block) {
  return malloc_usable_size(const_cast<void*>(block));
}
ENTRY std::size_t __sanitizer_get_estimated_allocated_size(std::size_t bytes) { return bytes; }
ENTRY int __sanitizer_get_ownership(const volatile void* block) { return block != nullptr ? 1 : 0; }
ENTRY std::size_t __sanitizer_get_current_allocated_bytes() { return mallinfo2().uordblks; }
ENTRY std::size_t __sanitizer_get_heap_size() { return mallinfo2().arena; }
ENTRY std::size_t __sanitizer_get_free_bytes() { return mallinfo2().fordblks; }
ENTRY std::size_t __sanitizer_get_unmapped_bytes() { return 0; }
ENTRY int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, std::size_t),
                                                    void (*)(const volatile void*)) {
  return 0;  // there are none
}
HOOK void __sanitizer_malloc_hook(const volatile void*, std::size_t) {}
HOOK void __sanitizer_free_hook(const volatile void*) {}
ENTRY void __sanitizer_purge_allocator() { malloc_trim(0); }

ENTRY void __sanitizer_annotate_contiguous_container(const void*, const void*, const void*, const void*) {}
ENTRY void __sanitizer_annotate_double_ended_contiguous_container(const void*, const void*, const void*,
                                                                  const void*, const void*, const void*) {}
ENTRY int __sanitizer_verify_contiguous_container(const void*, const void*, const void*) { return 1; }
ENTRY void __sanitizer_start_switch_fiber(void**, const void*, std::size_t) {}
ENTRY void __sanitizer_finish_switch_fiber(void*, const void**, std::size_t*) {}

// Accesses that are written out, because they are not aligned.
#define DEADHEAT_UNALIGNED(bits)                                                                          \
  ENTRY std::uint##bits##_t __sanitizer_unaligned_load##bits(const void* p) {                             \
    if (g_recording) emit_access(Kind::read, reinterpret_cast<Address>(p), (bits) / 8, DEADHEAT_CALLER);  \
    struct [[gnu::packed]] Value {                                                                        \
      std::uint##bits##_t value;                                                                          \
    };                                                                                                    \
    return static_cast<const Value*>(p)->value;                                                           \
  }                                                                                                       \
  ENTRY void __sanitizer_unaligned_store##bits(void* p, std::uint##bits##_t value) {                      \
    if (g_recording) emit_access(Kind::write, reinterpret_cast<Address>(p), (bits) / 8, DEADHEAT_CALLER); \
    struct [[gnu::packed]] Value {                                                                        \
      std::uint##bits##_t value;                                                                          \
    };                                                                                                    \
    static_cast<Value*>(p)->value = value;                                                                \
  }
DEADHEAT_UNALIGNED(16)
DEADHEAT_UNALIGNED(32)
DEADHEAT_UNALIGNED(64)
