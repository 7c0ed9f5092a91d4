// As large as the first plugin, so that it is loaded where that was.

void add_in_plugin(long* x) { ++*x; }
