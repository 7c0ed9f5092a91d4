// Loaded by program.c: each thread that comes by gets memory for this.
static __thread long mine[1000];
void add_in_plugin(long* x) {
  for (int i = 0; i < 1000; ++i) ++mine[i];
  *x += mine[0] > 0;
}
