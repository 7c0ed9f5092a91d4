// Two threads: one variable under a lock, one without. Ends with code 7, or as told.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int guarded, racy;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) {
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&m);
    ++guarded;
    pthread_mutex_unlock(&m);
  }
  ++racy;
  return unused;
}

int main(int argc, char** argv) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("guarded %d\n", guarded);
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "kill") == 0) kill(getpid(), SIGKILL);
  if (argc > 1 && strcmp(argv[1], "abort") == 0) kill(getpid(), SIGABRT);
  if (argc > 1 && strcmp(argv[1], "sleep") == 0) sleep(3);
  return 7;
}
