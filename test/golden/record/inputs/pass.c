#include <string.h>

struct Object {
  int a, b;
  char text[64];
};
struct Object shared, other;
const int constant = 7;
extern const int constant_elsewhere;
int table[8];

int elsewhere(int);
void escape(void*);
void by_value(struct Object);
static __attribute__((noinline)) int local(int* p) { return *p; }

void increment(int* p) { ++*p; }
int leaf(int a) { return a + 1; }
int call_elsewhere(int a) { return elsewhere(a) + 1; }
int call_local(void) { return local(&table[1]) + 1; }
int call_known(const char* s) { return (int)strlen(s) + 1; }
int call_pointer(int (*f)(int)) { return f(1) + 1; }

int private_object(int i) {
  volatile int values[4] = {1, 2, 3, 4};
  return values[i & 3];
}
int escaping_field(void) {
  struct Object object;
  escape(&object.b);
  return object.a;
}
int constants(int i) {
  static const int numbers[4] = {4, 3, 2, 1};
  return numbers[i & 3] + constant;
}
int declared_constant(void) { return constant_elsewhere; }
void copy(void) { shared = other; }
void pass_by_value(void) { by_value(shared); }
long double wide;
void odd_size(void) { wide += 1; }
void barrier(void) { __asm__ volatile("" : : : "memory"); }
void assembly(int* p) { __asm__ volatile("incl (%0)" : : "r"(p) : "memory"); }
void operand(void) { __asm__ volatile("incl %0" : "+m"(table[2])); }
int atomics(_Atomic int* p) { return __c11_atomic_fetch_add(p, 1, __ATOMIC_RELEASE); }
int maximum(int* p) { return __atomic_fetch_max(p, 5, __ATOMIC_RELAXED); }
__attribute__((no_sanitize_thread)) void not_sanitized(int* p) { ++*p; }
int call_not_sanitized(int* p) {
  not_sanitized(p);
  return 1;
}
int tail(int a) { __attribute__((musttail)) return elsewhere(a); }
