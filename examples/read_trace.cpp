// How another program reads a trace: prints its events, one a line.
//
//   c++ read_trace.cpp $(pkg-config --cflags --libs deadheat) -o read_trace
//   ./read_trace bank.std
#include <deadheat/trace.h>

#include <iostream>

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: read_trace TRACE\n";
    return 2;
  }
  const auto source = deadheat::open_source(words[1]);  // .dht or STD text, compressed or not; "-" is stdin
  if (!source) {
    std::cerr << "read_trace: " << source.error().message << '\n';
    return 3;
  }
  while (true) {
    const auto block = (*source)->next();
    if (!block) {
      std::cerr << "read_trace: " << block.error().message << '\n';
      return 3;
    }
    if (*block == nullptr) break;  // the end
    const deadheat::Names& names = (*source)->names();
    for (std::size_t i = 0; i < (*block)->size(); ++i) {
      const deadheat::Event event = (**block)[i];
      const deadheat::ObjectKind kind = object_kind(event.op.kind);
      std::cout << (*block)->first + i << ' '
                << names.display(deadheat::ObjectKind::thread, index(event.thread)) << ' '
                << name_of(event.op.kind);
      if (kind != deadheat::ObjectKind::none) std::cout << ' ' << names.display(kind, event.object);
      std::cout << ' ' << names.display(event.op.site) << '\n';
    }
  }
  return std::cout.flush() ? 0 : 3;
}
