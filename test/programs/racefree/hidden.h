// Functions of hidden.c, which is compiled without instrumentation.
#pragma once

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

int hidden_decrement(int* count);
// Calls back in between, so that instrumented code runs before the access.
int hidden_decrement_after(int* count, void (*callback)(void));
// Calls back after the access.
int hidden_decrement_before(int* count, void (*callback)(void));
// Takes the lock itself.
int hidden_decrement_locked(int* count, pthread_mutex_t* mutex);
// Never returns: jumps back to where setjmp was called with this buffer.
void hidden_decrement_and_jump(int* count, void* buffer);
int hidden_call(int (*function)(int*), int* count);

#ifdef __cplusplus
}
#endif
