// program CASE: loads atomics in a loop, in one thread, so that what is recorded and what is left out is
// known.
#include <stdio.h>
#include <string.h>

enum { kRounds = 1000 };
int a, b, c, x, atomics[9];  // others might write them

static int load(int* p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }

// Three in turn: the first round is recorded.
static int three(void) {
  int seen = 0;
  for (int i = 0; i < kRounds; ++i) seen += load(&a) + load(&b) + load(&c);
  return seen;
}
// A store to one of them: all are recorded once more.
static int three_and_a_store(void) {
  int seen = three();
  __atomic_store_n(&b, 0, __ATOMIC_RELEASE);
  return seen + three();
}
// A fence in between orders what the loads before it saw: each is recorded.
static int fence(void) {
  int seen = 0;
  for (int i = 0; i < kRounds; ++i) {
    seen += __atomic_load_n(&a, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  }
  return seen;
}
// An access in between is kept, and the loads around it.
static int reads(void) {
  int seen = 0;
  for (int i = 0; i < kRounds; ++i) seen += load(&a) + x;
  return seen;
}
// More of them than are remembered.
static int many(void) {
  int seen = 0;
  for (int i = 0; i < kRounds; ++i) {
    seen += load(&atomics[0]) + load(&atomics[1]) + load(&atomics[2]) + load(&atomics[3]) +
            load(&atomics[4]) + load(&atomics[5]) + load(&atomics[6]) + load(&atomics[7]) + load(&atomics[8]);
  }
  return seen;
}

int main(int count, char** words) {
  const char* const name = count > 1 ? words[1] : "";
  if (strcmp(name, "three") == 0) return three();
  if (strcmp(name, "three_and_a_store") == 0) return three_and_a_store();
  if (strcmp(name, "fence") == 0) return fence();
  if (strcmp(name, "reads") == 0) return reads();
  if (strcmp(name, "many") == 0) return many();
  puts("which case?");
  return 2;
}
