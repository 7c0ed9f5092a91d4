// Any bytes as a .dht file: opened by path, read, sought in, repaired. Slower than fuzz_dht by the files it
// makes.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/assert.h"
#include "deadheat/trace.h"
#include "fuzz/mend_checksums.h"

using namespace deadheat;

namespace {

// A file in memory that can be opened by path.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("fuzz", 0)), path_("/proc/self/fd/" + std::to_string(fd_)) {}
  void set(const std::vector<char>& bytes) const {
    DEADHEAT_ASSERT(ftruncate(fd_, 0) == 0, "memory files can be cut");
    DEADHEAT_ASSERT(pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
                    "and written");
  }
  const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

std::vector<Event> drain(TraceReader& reader, bool& failed) {
  std::vector<Event> events;
  while (true) {
    const auto block = reader.next();
    failed = !block;
    if (failed || *block == nullptr) return events;
    DEADHEAT_ASSERT((*block)->first == events.size(), "blocks follow each other");
    for (std::size_t i = 0; i < (*block)->size(); ++i) events.push_back((**block)[i]);
  }
}

void seek_here_and_there(TraceReader& reader, const std::vector<Event>& events) {
  for (std::size_t e = 0; e < events.size(); e += 1 + events.size() / 5) {
    if (!reader.seek(e)) continue;  // a broken index is told, not believed
    const auto block = reader.next();
    if (!block || *block == nullptr) continue;
    if ((*block)->first > e || e - (*block)->first >= (*block)->size()) continue;
    // The index may lead to another block that says it holds the event; a hostile file can hold two.
    (void)(**block)[e - (*block)->first];
  }
  (void)reader.load_names();
  for (std::uint32_t t = 0; t < 3; ++t) (void)reader.blocks_of(ThreadId{t});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file, repaired;
  std::vector<char> bytes(data, data + size);
  if (!bytes.empty() && (bytes.back() & 1) == 0) fuzz::mend_checksums(bytes);
  file.set(bytes);
  auto reader = TraceReader::open(file.path());
  if (!reader) return 0;
  bool failed = false;
  const auto events = drain(**reader, failed);
  (void)(*reader)->summary();
  seek_here_and_there(**reader, events);
  repaired.set({});
  const auto report = repair(file.path(), repaired.path());
  if (report && !failed) DEADHEAT_ASSERT(report->events == events.size(), "repair keeps what can be read");
  return 0;
}
