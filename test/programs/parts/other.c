int other;
void write_other(void) { ++other; }
