// values NAME [racy]: what functions of the C library read and write for the program. One thread writes the
// text or the number, another has it read, or written, by a function; with `racy` nothing orders them.
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static int racy, turn;
static union {
  char text[256];
  int number;
  long numbers[32];
  struct timespec spec;
  struct timeval val;
  struct tm calendar;
  struct utsname names;
  struct stat status;
  struct rusage usage;
} shared = {.text = "12 34 ab"};
static char other[256];
static char* const text = shared.text;
static const char* volatile format;
static FILE* nowhere;

static int compare(const void* a, const void* b) { return *(const char*)a - *(const char*)b; }
static void print_list(const char* how, ...) {
  va_list list;
  va_start(list, how);
  CHECK(vfprintf(nowhere, how, list) > 0);
  va_end(list);
}

// Reading the text.
static void use_atoi(void) { CHECK(atoi(text) == 12); }
static void use_atof(void) { CHECK(atof(text) == 12); }
static void use_strtol(void) {
  char* end;
  CHECK(strtol(text, &end, 10) == 12 && end == text + 2);
}
static void use_strtod(void) { CHECK(strtod(text, NULL) == 12); }
static void use_strtoumax(void) { CHECK(strtoumax(text, NULL, 10) == 12); }
static void use_printf(void) {
  format = "%d %s %5.2f %*d %%\n";
  CHECK(fprintf(nowhere, format, 7, text, 1.5, 4, 3) > 0);
}
static void use_vfprintf(void) { print_list("%ld %Lf %.3s", 7L, 1.0L, text); }
static void use_snprintf(void) {
  char to[64];
  format = "%c%hhd%zu%p%s";
  CHECK(snprintf(to, sizeof to, format, 'a', 1, sizeof to, (void*)to, text) > 0);
}
static void use_asprintf(void) {
  char* made;
  format = "%s!";
  CHECK(asprintf(&made, format, text) == 9 && strcmp(made, "12 34 ab!") == 0);
  free(made);
}
static void use_sscanf(void) {
  int a, b;
  format = "%d %d";
  CHECK(sscanf(text, format, &a, &b) == 2 && a == 12 && b == 34);
}
static void use_strtok(void) {
  char* rest;
  CHECK(strcmp(strtok_r(text, " ", &rest), "12") == 0);
}
static void use_getenv(void) { CHECK(getenv(text) == NULL); }
static void use_stat(void) {
  struct stat status;
  CHECK(stat(text, &status) != 0);
}
static void use_fopen(void) { CHECK(fopen(text, "r") == NULL); }
static void use_strcoll(void) { CHECK(strcoll(text, "x") != 0); }
static void use_setlocale(void) { setlocale(LC_ALL, text); }
static void use_qsort(void) { qsort(text, 8, 1, compare); }

// Writing to it.
static void use_count(void) {
  format = "abc%n";
  CHECK(fprintf(nowhere, format, &shared.number) == 3);
}
static void use_scan_number(void) {
  format = "%d%*d%s";
  CHECK(sscanf("5 6 x", format, &shared.number, other) == 2 && shared.number == 5);
}
static void use_scan_text(void) {
  format = "%5[a-z]";
  CHECK(sscanf("abc", format, text) == 1 && strcmp(text, "abc") == 0);
}
static void use_scan_long(void) {
  int a;
  format = "%d %ld";
  CHECK(sscanf("1 2", format, &a, &shared.numbers[0]) == 2 && shared.numbers[0] == 2);
}
static void use_strerror_r(void) {
  char* const said = strerror_r(12345, text, 64);
  CHECK(said == text);
}
static void use_clock(void) { CHECK(clock_gettime(CLOCK_REALTIME, &shared.spec) == 0); }
static void use_timeofday(void) { CHECK(gettimeofday(&shared.val, NULL) == 0); }
static void use_localtime(void) {
  const time_t when = 0;
  CHECK(localtime_r(&when, &shared.calendar) == &shared.calendar);
}
static void use_uname(void) { CHECK(uname(&shared.names) == 0); }
static void use_fstat(void) { CHECK(fstat(0, &shared.status) == 0); }
static void use_rusage(void) { CHECK(getrusage(RUSAGE_SELF, &shared.usage) == 0); }
static void use_cwd(void) { CHECK(getcwd(text, 256) == text); }
static void use_strftime(void) {
  const struct tm when = {.tm_mday = 1};
  CHECK(strftime(text, 64, "%d", &when) == 2);
}

static const struct {
  const char* name;
  void (*use)(void);
} cases[] = {
    {"atoi", use_atoi},
    {"atof", use_atof},
    {"strtol", use_strtol},
    {"strtod", use_strtod},
    {"strtoumax", use_strtoumax},
    {"printf", use_printf},
    {"vfprintf", use_vfprintf},
    {"snprintf", use_snprintf},
    {"asprintf", use_asprintf},
    {"sscanf", use_sscanf},
    {"strtok", use_strtok},
    {"getenv", use_getenv},
    {"stat", use_stat},
    {"fopen", use_fopen},
    {"strcoll", use_strcoll},
    {"setlocale", use_setlocale},
    {"qsort", use_qsort},
    {"count", use_count},
    {"scan_number", use_scan_number},
    {"scan_text", use_scan_text},
    {"scan_long", use_scan_long},
    {"strerror_r", use_strerror_r},
    {"clock", use_clock},
    {"timeofday", use_timeofday},
    {"localtime", use_localtime},
    {"uname", use_uname},
    {"fstat", use_fstat},
    {"rusage", use_rusage},
    {"cwd", use_cwd},
    {"strftime", use_strftime},
};
enum { kCases = sizeof cases / sizeof *cases };
static int chosen;

static void* give(void* unused) {
  ((volatile char*)text)[0] = '1';
  __atomic_store_n(&turn, 1, __ATOMIC_RELAXED);
  return unused;
}
static void* use(void* unused) {
  while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != 1) sched_yield();
  cases[chosen].use();
  return unused;
}

int main(int count, char** words) {
  if (count == 1) {
    for (int i = 0; i < kCases; ++i) puts(cases[i].name);
    return 0;
  }
  racy = count > 2;
  while (chosen < kCases && strcmp(words[1], cases[chosen].name) != 0) ++chosen;
  CHECK(chosen < kCases && (nowhere = fopen("/dev/null", "w")) != NULL);
  pthread_t a, b;
  CHECK(pthread_create(&a, NULL, give, NULL) == 0);
  if (!racy) CHECK(pthread_join(a, NULL) == 0);
  CHECK(pthread_create(&b, NULL, use, NULL) == 0);
  if (racy) CHECK(pthread_join(a, NULL) == 0);
  CHECK(pthread_join(b, NULL) == 0);
  puts("1");
  return 0;
}
