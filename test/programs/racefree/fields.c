// fields NAME [racy]: the main thread accesses parts of an object on its stack, of which another thread has
// the address of another part. With `racy` it does so before the other thread has ended.
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "../check.h"

struct Part {
  long a, b;
};
struct Object {
  int number;
  int array[5];
  struct Part part;
  char text[16];
  unsigned low : 4, high : 4;
  int handle;
};

static int racy;
static int sink;

static void* change_all(void* handle) {
  struct Object* const object = (struct Object*)((char*)handle - offsetof(struct Object, handle));
  object->number = 1;
  for (int i = 0; i < 5; ++i) object->array[i] = 1;
  object->part.a = object->part.b = 1;
  memset(object->text, 'x', sizeof object->text);
  object->high = 1;
  object->handle = 1;
  return NULL;
}

// Between the start of the thread and the end of the function nothing else is accessed by both.
#define CASE(name, access)                                                 \
  static void name(void) {                                                 \
    struct Object object;                                                  \
    object.number = 0;                                                     \
    object.low = object.high = 0;                                          \
    pthread_t thread;                                                      \
    CHECK(pthread_create(&thread, NULL, change_all, &object.handle) == 0); \
    if (!racy) CHECK(pthread_join(thread, NULL) == 0);                     \
    access;                                                                \
    if (racy) CHECK(pthread_join(thread, NULL) == 0);                      \
  }

CASE(read_field, sink = object.number)
CASE(write_field, object.number = 2)
CASE(increment_field, object.number++)
CASE(array_field, object.array[3] = 2)
CASE(indexed_field, for (int i = 0; i < 5; ++i) sink += object.array[i])
CASE(struct_field, struct Part copy = object.part; sink = (int)(copy.a + copy.b))
CASE(text_field, memcpy(object.text, "0123456789", 10))
CASE(bit_field, object.low = 3)
CASE(whole_field, struct Object copy = object; sink = copy.number + copy.array[1])

static const struct {
  const char* name;
  void (*run)(void);
} kCases[] = {
    {"read_field", read_field},   {"write_field", write_field},     {"increment_field", increment_field},
    {"array_field", array_field}, {"indexed_field", indexed_field}, {"struct_field", struct_field},
    {"text_field", text_field},   {"bit_field", bit_field},         {"whole_field", whole_field},
};

int main(int argc, char** argv) {
  racy = argc > 2 && strcmp(argv[2], "racy") == 0;
  for (size_t i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    if (argc < 2) puts(kCases[i].name);
    if (argc < 2 || strcmp(argv[1], kCases[i].name) != 0) continue;
    kCases[i].run();
    puts("1");
    return 0;
  }
  return argc < 2 ? 0 : 2;
}
