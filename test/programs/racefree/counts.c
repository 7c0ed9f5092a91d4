// counts NAME [racy]: a count in memory of every kind and width, changed by every kind of access.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "countdown.h"
#include "hidden.h"

// Scalars of each width.
#define SCALAR(name, type)             \
  static type count_##name = kWorkers; \
  static int down_##name(void) { return --count_##name == 0; }
SCALAR(char, char)
SCALAR(short, short)
SCALAR(int, int)
SCALAR(long, long)
SCALAR(wide, __int128)
SCALAR(float, float)
SCALAR(double, double)
SCALAR(long_double, long double)
SCALAR(volatile, volatile int)

// Parts of larger objects.
static struct {
  unsigned before : 3, count : 5, after : 8;
} bits = {1, kWorkers, 1};
static int down_bitfield(void) {
  bits.count -= 1;
  return bits.count == 0;
}
static struct __attribute__((packed)) {
  char before;
  int count;
} packed_struct = {0, kWorkers};
static int down_packed(void) { return --packed_struct.count == 0; }
static union {
  int count;
  unsigned char bytes[4];
} both = {kWorkers};
static int down_union(void) {
  both.count -= 1;
  return both.bytes[0] == 0;
}
struct Queue {
  int capacity, n;
};
static struct Queue queue = {8, kWorkers};
static int down_field(void) {
  queue.n -= 1;
  return queue.n == 0;
}
static int array[4];
static void begin_array(void) { array[2] = kWorkers; }
static int down_array(void) { return --array[2] == 0; }
static int* on_heap;
static void begin_heap(void) { *(on_heap = malloc(sizeof *on_heap)) = kWorkers; }
static int down_heap(void) { return --*on_heap == 0; }
static _Thread_local int of_thread;
static int* of_main;
static void begin_thread_local(void) { *(of_main = &of_thread) = kWorkers; }
static int down_thread_local(void) { return --*of_main == 0; }

// Copies of whole structs.
struct Record {
  int count;
  char text[60];
};
static struct Record record = {kWorkers, ""};
static int down_struct_copy(void) {
  struct Record copy = record;
  --copy.count;
  record = copy;
  return copy.count == 0;
}
static int down_memcpy(void) {
  struct Record copy;
  memcpy(&copy, &record, sizeof copy);
  --copy.count;
  memcpy(&record, &copy, sizeof copy);
  return copy.count == 0;
}
static struct Record swapped(struct Record by_value) {
  --by_value.count;
  return by_value;
}
static __attribute__((noinline)) int count_of(struct Record by_value) { return by_value.count; }
static int down_by_value(void) {
  record = swapped(record);
  return count_of(record) == 0;
}
static char marks[kWorkers + 1];  // as many as are left, then zeros
static void begin_marks(void) { memset(marks, 'x', kWorkers); }
static int down_memmove(void) {
  memmove(marks, marks + 1, sizeof marks - 1);
  return marks[0] == 0;
}
static int down_strlen(void) {
  const size_t length = strlen(marks);
  memset(marks + length - 1, 0, 1);
  return strlen(marks) == 0;
}
static int down_memcmp(void) {
  static const char zeros[kWorkers];
  marks[strlen(marks) - 1] = 0;
  return memcmp(marks, zeros, kWorkers) == 0;
}
#ifdef __clang__
static int down_memcpy_inline(void) {
  struct Record copy;
  __builtin_memcpy_inline(&copy, &record, sizeof copy);
  --copy.count;
  __builtin_memcpy_inline(&record, &copy, sizeof copy);
  return copy.count == 0;
}
#endif

// Vectors.
typedef int V4 __attribute__((vector_size(16)));
typedef int V8 __attribute__((vector_size(32)));
static V4 v4 = {kWorkers, kWorkers, kWorkers, kWorkers};
static int down_vector(void) {
  v4 -= 1;
  return v4[3] == 0;
}
static V8 v8 = {kWorkers, kWorkers, kWorkers, kWorkers, kWorkers, kWorkers, kWorkers, kWorkers};
static int down_long_vector(void) {
  v8 -= 1;
  return v8[7] == 0;
}
static int loop_counts[64];
static void begin_loop(void) {
  for (int i = 0; i < 64; ++i) loop_counts[i] = kWorkers;
}
static int down_loop(void) {
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += --loop_counts[i];
  return sum == 0;
}

// Atomics that order nothing.
static int atomic_count = kWorkers;
static int down_atomic(void) { return __atomic_sub_fetch(&atomic_count, 1, __ATOMIC_RELAXED) == 0; }
static int down_exchange(void) {
  int old = __atomic_load_n(&atomic_count, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&atomic_count, &old, old - 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old == 1;
}
#ifdef __clang__
static _Atomic(double) atomic_double = kWorkers;
static int down_atomic_double(void) { return (atomic_double -= 1) == 0; }
static int down_atomic_min(void) {
  return __atomic_fetch_min(&atomic_count, __atomic_load_n(&atomic_count, __ATOMIC_RELAXED) - 1,
                            __ATOMIC_RELAXED) == 1;
}
#endif

// Code that is not instrumented.
static int hidden_count = kWorkers;
static int down_hidden(void) { return hidden_decrement(&hidden_count) == 0; }
static int (*volatile indirect)(int*) = hidden_decrement;
static int down_indirect(void) { return indirect(&hidden_count) == 0; }
static _Thread_local int calls;
static void count_call(void) { ++calls; }
static int down_after_callback(void) { return hidden_decrement_after(&hidden_count, count_call) == 0; }
static int down_before_callback(void) { return hidden_decrement_before(&hidden_count, count_call) == 0; }
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static int down_hidden_lock(void) { return hidden_decrement_locked(&hidden_count, &inner) == 0; }
static int down_jump(void) {
  jmp_buf buffer;
  const int left = setjmp(buffer);
  if (left != 0) return left == 1;
  hidden_decrement_and_jump(&hidden_count, &buffer);
  return 0;
}
static int decrement(int* count) { return --*count; }
static int down_called_back(void) { return hidden_call(decrement, &hidden_count) == 0; }
static int down_hidden_called_back(void) { return hidden_call(hidden_decrement, &hidden_count) == 0; }
__attribute__((no_sanitize_thread, noinline)) static int decrement_not_sanitized(int* count) {
  return --*count;
}
static int down_not_sanitized(void) { return decrement_not_sanitized(&hidden_count) == 0; }
#ifdef __clang__
static int decrement_at_the_end(int* count) { __attribute__((musttail)) return hidden_decrement(count); }
static int down_tail_call(void) { return decrement_at_the_end(&hidden_count) == 0; }
#endif

// Assembly.
static int down_asm(void) {
  __asm__ volatile("decl %0" : "+m"(hidden_count) : : "cc");
  int left;
  __asm__ volatile("movl %1, %0" : "=r"(left) : "m"(hidden_count));
  return left == 0;
}
static int down_asm_clobber(void) {
  int left;
  __asm__ volatile("decl (%1)\n\tmovl (%1), %0" : "=&r"(left) : "r"(&hidden_count) : "memory", "cc");
  return left == 0;
}

// The C library.
static char text[16] = "3";
static int down_atoi(void) {
  sprintf(text, "%d", atoi(text) - 1);
  return atoi(text) == 0;
}
static int down_strtol(void) {
  snprintf(text, sizeof text, "%ld", strtol(text, NULL, 10) - 1);
  return strtol(text, NULL, 10) == 0;
}
static int down_strtod(void) {
  snprintf(text, sizeof text, "%g", strtod(text, NULL) - 1);
  return strtod(text, NULL) == 0;
}
static int down_sscanf(void) {
  int left = 0;
  sscanf(text, "%d", &left);
  sprintf(text, "%d", left - 1);
  return left == 1;
}
static int down_printf(void) {
  char copy[16];
  snprintf(copy, sizeof copy, "%s", text);
  text[0] = (char)(copy[0] - 1);
  snprintf(copy, sizeof copy, "%s", text);
  return copy[0] == '0';
}
static wchar_t wide_text[16] = L"3";
static int down_wcstol(void) {
  swprintf(wide_text, 16, L"%ld", wcstol(wide_text, NULL, 10) - 1);
  return wcstol(wide_text, NULL, 10) == 0;
}
static int values[kWorkers] = {1, 2, 3};
static int compare_values(const void* a, const void* b) { return *(const int*)b - *(const int*)a; }
static int down_qsort(void) {
  int left = 0;
  qsort(values, kWorkers, sizeof *values, compare_values);
  values[0] = 0;  // the largest
  for (int i = 0; i < kWorkers; ++i) left += values[i] != 0;
  return left == 0;
}
static struct tm calendar = {.tm_mday = 1, .tm_year = 100, .tm_sec = kWorkers};
static int down_timegm(void) {
  const time_t seconds = timegm(&calendar) - 1;
  gmtime_r(&seconds, &calendar);
  return seconds % 60 == 0;
}
struct Node {
  struct Node *next, *previous;
} list_head, nodes[kWorkers];
static void begin_list(void) {
  insque(&list_head, NULL);
  for (int i = 0; i < kWorkers; ++i) insque(&nodes[i], &list_head);
}
static int down_list(void) {
  remque(list_head.next);
  return list_head.next == NULL;
}
static void* tree;
static int compare_keys(const void* a, const void* b) { return (a > b) - (a < b); }
static void begin_tree(void) {
  for (int i = 0; i < kWorkers; ++i) tsearch(&nodes[i], &tree, compare_keys);
}
static int down_tree(void) {
  tdelete(*(void**)tree, &tree, compare_keys);
  return tree == NULL;
}
// The stack: what a thread is given is the address of another field.
struct Shared {
  char before[40];
  int count;
  int handle;
};
static int* handle_of_stack;
// Another thread's frame has it, and changes it by name.
static int turns, finished;
static void* owner(void* unused) {
  struct Shared shared;
  shared.count = kWorkers;
  shared.handle = 0;
  pthread_mutex_lock(&mutex);
  handle_of_stack = &shared.handle;
  pthread_cond_broadcast(&is_done);
  while (shared.handle < kWorkers) {
    while (turns == shared.handle) pthread_cond_wait(&is_done, &mutex);
    shared.handle += 1;
    shared.count -= 1;
    pthread_cond_broadcast(&is_done);
  }
  while (finished < kWorkers) pthread_cond_wait(&is_done, &mutex);
  pthread_mutex_unlock(&mutex);
  return NULL;
}
static void begin_stack(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, owner, NULL);
  pthread_detach(thread);
  pthread_mutex_lock(&mutex);
  while (handle_of_stack == NULL) pthread_cond_wait(&is_done, &mutex);
  pthread_mutex_unlock(&mutex);
}
static int down_stack_of_owner(void) {
  struct Shared* const shared = (struct Shared*)((char*)handle_of_stack - offsetof(struct Shared, handle));
  const int turn = ++turns;
  pthread_cond_broadcast(&is_done);
  while (shared->handle < turn) pthread_cond_wait(&is_done, &mutex);
  const int is_last = shared->count == 0;
  ++finished;
  pthread_cond_broadcast(&is_done);
  return is_last;
}

static int ends[2];
static void begin_pipe(void) {
  CHECK(pipe(ends) == 0);
  CHECK(write(ends[1], "123", kWorkers) == kWorkers);
}
static int down_pipe(void) {
  char byte = 0;
  CHECK(read(ends[0], &byte, 1) == 1);
  return byte == '3';
}
static struct in_addr address;
static char address_text[20] = "0.0.0.3";
static int down_inet(void) {
  inet_aton(address_text, &address);
  address.s_addr = htonl(ntohl(address.s_addr) - 1);
  inet_ntop(AF_INET, &address, address_text, sizeof address_text);
  return strcmp(address_text, "0.0.0.0") == 0;
}
static double exponent = kWorkers;
static int down_modf(void) {
  modf(exponent - 0.5, &exponent);
  return exponent == 0;
}

static const struct Case kCases[] = {
    {"char", NULL, down_char},
    {"short", NULL, down_short},
    {"int", NULL, down_int},
    {"long", NULL, down_long},
    {"wide", NULL, down_wide},
    {"float", NULL, down_float},
    {"double", NULL, down_double},
    {"long_double", NULL, down_long_double},
    {"volatile", NULL, down_volatile},
    {"bitfield", NULL, down_bitfield},
    {"packed", NULL, down_packed},
    {"union", NULL, down_union},
    {"field", NULL, down_field},
    {"array", begin_array, down_array},
    {"heap", begin_heap, down_heap},
    {"thread_local", begin_thread_local, down_thread_local},
    {"stack", begin_stack, down_stack_of_owner},
    {"struct_copy", NULL, down_struct_copy},
    {"memcpy", NULL, down_memcpy},
    {"by_value", NULL, down_by_value},
    {"memmove", begin_marks, down_memmove},
    {"strlen", begin_marks, down_strlen},
    {"memcmp", begin_marks, down_memcmp},
    {"vector", NULL, down_vector},
    {"long_vector", NULL, down_long_vector},
    {"loop", begin_loop, down_loop},
    {"atomic", NULL, down_atomic},
    {"exchange", NULL, down_exchange},
#ifdef __clang__
    {"atomic_double", NULL, down_atomic_double},
    {"memcpy_inline", NULL, down_memcpy_inline},
    {"atomic_min", NULL, down_atomic_min},
    {"opaque_tail_call", NULL, down_tail_call},
#endif
    {"opaque_pipe", begin_pipe, down_pipe},
    {"opaque_object", NULL, down_hidden},
    {"opaque_indirect", NULL, down_indirect},
    {"opaque_after_callback", NULL, down_after_callback},
    {"opaque_before_callback", NULL, down_before_callback},
    {"opaque_lock", NULL, down_hidden_lock, 1},
    {"opaque_jump", NULL, down_jump},
    {"called_back", NULL, down_called_back},
    {"opaque_called_back", NULL, down_hidden_called_back},
    {"opaque_not_sanitized", NULL, down_not_sanitized},
    {"opaque_asm", NULL, down_asm},
    {"opaque_asm_clobber", NULL, down_asm_clobber},
    {"opaque_atoi", NULL, down_atoi},
    {"opaque_strtol", NULL, down_strtol},
    {"opaque_strtod", NULL, down_strtod},
    {"opaque_sscanf", NULL, down_sscanf},
    {"opaque_printf", NULL, down_printf},
    {"opaque_wcstol", NULL, down_wcstol},
    {"opaque_qsort", NULL, down_qsort},
    {"opaque_timegm", NULL, down_timegm},
    {"opaque_list", begin_list, down_list},
    {"opaque_tree", begin_tree, down_tree},
    {"opaque_inet", NULL, down_inet},
    {"opaque_modf", NULL, down_modf},
};

int main(int argc, char** argv) { return choose(kCases, sizeof kCases / sizeof *kCases, argc, argv); }
