// setjmp and longjmp: the shadow stack, and the handlers that a jump leaves, go back to where they were.
//
// A function that returns twice cannot be wrapped in C++. The entry points below note the call and jump to
// the real function with the stack as they found it.
#include "runtime/intercept/jumps.h"

#include <setjmp.h>
#include <sys/syscall.h>

#include "runtime/emit.h"
#include "runtime/intercept/records.h"
#include "runtime/intercept/signals.h"
#include "runtime/opaque_calls.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

// Where a thread was when it called setjmp.
struct Mark {
  const void* buffer;
  Address stack;  // of the caller
  std::uint64_t* top;
  std::uint64_t too_deep;
  ShadowFrames* frames;  // of the thread or fiber
  HandlerFrame* handlers;
  std::uint32_t in_runtime, ignore_accesses, ignore_sync;
  Address call_mark;
};

struct Marks {
  static constexpr std::size_t kMost = 256;
  std::size_t count;
  Mark marks[kMost];  // in the order in which they were made
};
constinit thread_local Marks* t_marks __attribute__((tls_model("initial-exec"))) = {};

// A mark below the present frame, on the same stack, is of a function that returned.
bool is_dead(const Mark& mark, const void* buffer, Address stack) {
  return mark.buffer == buffer ||
         (mark.handlers == t_handlers && mark.frames == t_self.frames && mark.stack < stack);
}

void clean(Marks& marks, const void* buffer, Address stack) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < marks.count; ++i) {
    if (!is_dead(marks.marks[i], buffer, stack)) marks.marks[kept++] = marks.marks[i];
  }
  marks.count = kept;
}

void forget_oldest(Marks& marks) {
  for (std::size_t i = 1; i < marks.count; ++i) marks.marks[i - 1] = marks.marks[i];
  --marks.count;
  __atomic_fetch_add(&g_session->lost.jumps, 1, __ATOMIC_RELAXED);
}

void note(const void* buffer, Address stack) {
  if (!g_recording || t_self.slot == nullptr) return;
  if (t_marks == nullptr) t_marks = static_cast<Marks*>(new_pages(sizeof(Marks)));
  if (t_marks == nullptr) return;
  Marks& marks = *t_marks;
  clean(marks, buffer, stack);
  if (marks.count == Marks::kMost) forget_oldest(marks);
  const Thread& t = t_self;
  marks.marks[marks.count++] = {buffer,        stack,
                                t.top,         t.too_deep,
                                t.frames,      t_handlers,
                                t.in_runtime,  t.ignore_accesses,
                                t.ignore_sync, __deadheat_call_mark};
}

void go_back(const void* buffer) {
  if (!g_recording || t_marks == nullptr) return;
  if (recording()) leave_gap_if_opaque(0);
  for (std::size_t i = t_marks->count; i-- > 0;) {
    const Mark& mark = t_marks->marks[i];
    if (mark.buffer != buffer) continue;
    leave_handlers(mark.handlers);
    Thread& t = t_self;
    // Marks of another fiber, or of a function that returned, are none.
    if (t.slot == nullptr || mark.frames != t.frames || mark.top > t.top) return;
    t.in_runtime = mark.in_runtime;
    t.ignore_accesses = mark.ignore_accesses;
    t.ignore_sync = mark.ignore_sync;
    __deadheat_call_mark = mark.call_mark;
    t.too_deep = mark.too_deep;
    t.top = mark.top;
    if (t.known > t.top) t.known = t.top;
    t.written = nullptr;
    return look_again();
  }
}

}  // namespace

void forget_jumps() {
  if (t_marks == nullptr) return;
  system_call(SYS_munmap, reinterpret_cast<long>(t_marks), sizeof(Marks));
  t_marks = nullptr;
}

using SetJump = int(void*, int);
enum Flavour : int { kPlain, kUnderscore, kSignals, kFlavours };

// The functions to jump to. Found by the first call, since the entry points cannot.
SetJump* g_real_setjmp[kFlavours] asm("deadheat_real_setjmp") __attribute__((visibility("hidden"), used));

extern "C" __attribute__((visibility("hidden"), used)) void deadheat_note_setjmp(const void* buffer,
                                                                                 Address stack, int flavour) {
  static constexpr const char* kNames[kFlavours] = {"setjmp", "_setjmp", "__sigsetjmp"};
  if (__builtin_expect(g_real_setjmp[flavour] == nullptr, false)) {
    g_real_setjmp[flavour] = reinterpret_cast<SetJump*>(find_real(kNames[flavour], nullptr, true));
  }
  note(buffer, stack);
}

// Three words are pushed, so that the stack is aligned for the call.
#define DEADHEAT_SETJMP(name, flavour)                          \
  asm(".text\n.globl " name "\n.type " name ",@function\n" name \
      ":\n"                                                     \
      ".cfi_startproc\n"                                        \
      "endbr64\n"                                               \
      "pushq %rdi\n.cfi_adjust_cfa_offset 8\n"                  \
      "pushq %rsi\n.cfi_adjust_cfa_offset 8\n"                  \
      "leaq 24(%rsp), %rsi\n"                                   \
      "subq $8, %rsp\n.cfi_adjust_cfa_offset 8\n"               \
      "movl $" flavour                                          \
      ", %edx\n"                                                \
      "call deadheat_note_setjmp\n"                             \
      "addq $8, %rsp\n.cfi_adjust_cfa_offset -8\n"              \
      "popq %rsi\n.cfi_adjust_cfa_offset -8\n"                  \
      "popq %rdi\n.cfi_adjust_cfa_offset -8\n"                  \
      "jmpq *deadheat_real_setjmp+8*" flavour                   \
      "(%rip)\n"                                                \
      ".cfi_endproc\n"                                          \
      ".size " name ", .-" name "\n")

DEADHEAT_SETJMP("setjmp", "0");
DEADHEAT_SETJMP("_setjmp", "1");
DEADHEAT_SETJMP("__sigsetjmp", "2");
DEADHEAT_SETJMP("sigsetjmp", "2");

#define DEADHEAT_LONGJMP(name)                                  \
  DEADHEAT_INTERCEPT(void, name, (jmp_buf buffer, int value)) { \
    go_back(buffer);                                            \
    REAL(name)(buffer, value);                                  \
    __builtin_unreachable();                                    \
  }

DEADHEAT_LONGJMP(longjmp)
DEADHEAT_LONGJMP(_longjmp)
DEADHEAT_LONGJMP(siglongjmp)
DEADHEAT_LONGJMP(__longjmp_chk)

}  // namespace deadheat::runtime
