// Loaded by program.c.
void add_in_plugin(long* x) { ++*x; }
