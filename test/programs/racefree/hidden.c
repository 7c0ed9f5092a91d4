#include "hidden.h"

#include <setjmp.h>

int hidden_decrement(int* count) { return --*count; }

int hidden_decrement_after(int* count, void (*callback)(void)) {
  callback();
  return --*count;
}

int hidden_decrement_before(int* count, void (*callback)(void)) {
  const int left = --*count;
  callback();
  return left;
}

int hidden_decrement_locked(int* count, pthread_mutex_t* mutex) {
  pthread_mutex_lock(mutex);
  const int left = --*count;
  pthread_mutex_unlock(mutex);
  return left;
}

void hidden_decrement_and_jump(int* count, void* buffer) { longjmp(*(jmp_buf*)buffer, --*count + 1); }

int hidden_call(int (*function)(int*), int* count) { return function(count); }
