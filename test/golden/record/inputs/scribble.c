/* A program that writes where it should not: over the memory that it shares with its recorder. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int shared;

static void* work(void* unused) {
  for (int i = 0; i < 20000; ++i) ++shared;
  return unused;
}

__attribute__((no_sanitize("thread"))) static void scribble(const char* how) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  uint64_t begin = 0, end = 0;
  while (fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "deadheat-session") != NULL) sscanf(line, "%lx-%lx", &begin, &end);
  }
  fclose(maps);
  if (begin == 0) exit(9);
  if (strcmp(how, "truncate") == 0) {
    if (ftruncate(atoi(getenv("DEADHEAT_SESSION")), 0) == 0) exit(8);
    return;
  }
  /* Chunks are 32 KiB each, 4 GiB of them at the end of the session. The first few are in use. */
  const uint64_t chunk = 32 * 1024;
  for (uint64_t at = end - ((uint64_t)4 << 30) + chunk, last = at + 64 * chunk; at < last; at += chunk) {
    uint32_t* const next = (uint32_t*)at;
    uint64_t* const word = (uint64_t*)at;
    if (word[9] == 0) continue;
    if (strcmp(how, "next") == 0) *next = 0xFFFFFFF0u;
    if (strcmp(how, "circle") == 0) *next = 1;
    if (strcmp(how, "garbage") == 0) {
      for (uint64_t i = 8; i < chunk / 8; ++i) word[i] = 0x123456789ABCDEF1u * (i + at) | (uint64_t)1 << 63;
    }
  }
  usleep(300000); /* for the recorder to see it */
}

int main(int argc, char** argv) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  scribble(argc > 1 ? argv[1] : "next");
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  puts("survived");
  return 5;
}
