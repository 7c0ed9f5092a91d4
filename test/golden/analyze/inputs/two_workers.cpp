// Tells write-recording of a run in which two workers race, with the addresses that it has itself.
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static unsigned long bias;

static int first(struct dl_phdr_info* info, size_t, void*) {
  bias = info->dlpi_addr;
  return 1;
}

#define NEVER_INLINE __attribute__((noinline, noclone))
#define INLINE static inline __attribute__((always_inline))

// A site: where the call of this returns to.
NEVER_INLINE void here() {
  printf("site 1 0x%lx\n", reinterpret_cast<unsigned long>(__builtin_return_address(0)) - bias);
}

namespace bank {
alignas(8) int counters[4];

INLINE void bump(int i) {
  here();  // the race, in every copy of it
  counters[i] += 1;
}

INLINE void twice(int i) {
  bump(i);  // the first
  bump(i);  // the second
}
}  // namespace bank

NEVER_INLINE void worker(int i) {
  bank::twice(i);
  asm volatile("");
}

NEVER_INLINE int* new_node() {
  here();  // allocates
  return static_cast<int*>(calloc(8, 8));
}

NEVER_INLINE void touch(int* node) {
  here();  // the race for the node
  *node = 1;
}

int main(int, char** arguments) {
  dl_iterate_phdr(first, nullptr);
  char path[4096] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return 3;
  printf("module %s %s 0x%lx\n", path, arguments[1], bias);
  int* node = new_node();  // site 1
  here();                  // site 2: forks
  worker(2);               // sites 3 and 4
  touch(node);             // site 5
  printf("region 0 %p 2\nregion 10 %p 8\n", static_cast<void*>(bank::counters), static_cast<void*>(node));
  puts(
      "stack 0 2\n"
      "event 0 alloc 10 1 1 0 64\n"
      "event 0 fork 1 2 0 0 0\n"
      "event 0 fork 2 2 0 0 0\n"
      "event 1 w 1 3 0 0 4\n"
      "event 2 w 1 4 1 0 4\n"
      "event 1 w 1 4 0 0 4\n"
      "event 1 w 12 5 0 4 4\n"
      "event 2 w 12 5 0 4 4");
}
