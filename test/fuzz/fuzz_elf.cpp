// Files of code and debug information, as a trace from strangers may name them.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "symbol/symbolizer.h"

using namespace deadheat;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int fd = memfd_create("elf", MFD_CLOEXEC);
  if (fd < 0) return 0;
  if (write(fd, data, size) == static_cast<ssize_t>(size)) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    symbol::Symbolizer symbols;
    for (const std::uint64_t address : {0x0, 0x1, 0x10, 0x40, 0x1000, 0x1139, 0x4010}) {
      static_cast<void>(symbols.frames({path, ""}, address));
      static_cast<void>(symbols.variable({path, ""}, address));
    }
  }
  close(fd);
  return 0;
}
