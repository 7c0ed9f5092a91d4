// Any bytes as a .dht file. The checksums are put right first, since no fuzzer guesses them and a hostile file has
// good ones. Then: reading ends with an answer or an error, the events are well typed, seeking agrees with reading
// in order, and what was read can be written and read again.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/assert.h"
#include "deadheat/trace.h"
#include "trace/block_io.h"
#include "trace/bytes.h"
#include "trace/format.h"

using namespace deadheat;
using namespace deadheat::trace;

namespace {

// A file in memory that can be opened by path.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("fuzz", 0)), path_("/proc/self/fd/" + std::to_string(fd_)) {}
  void set(const std::vector<char>& bytes) const {
    DEADHEAT_ASSERT(ftruncate(fd_, 0) == 0, "memory files can be cut");
    DEADHEAT_ASSERT(pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()), "and written");
  }
  const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

template <class T>
void store(char* to, const T& value) {
  std::memcpy(to, &value, sizeof value);
}

void mend_checksums(std::vector<char>& bytes) {
  if (bytes.size() < sizeof(FileHeader)) return;
  auto file = load<FileHeader>(bytes.data());
  std::memcpy(file.magic.data(), kFileMagic.data(), kFileMagic.size());
  file.major = kMajor;
  store(bytes.data(), file);
  std::size_t at = sizeof(FileHeader);
  std::uint64_t footer = 0;
  while (at + sizeof(BlockHeader) <= bytes.size()) {
    auto block = load<BlockHeader>(bytes.data() + at);
    block.magic = kBlockMagic;
    const std::size_t rest = bytes.size() - at - sizeof block;
    if (block.stored_bytes <= rest) {
      block.payload_hash = hash_bytes(bytes.data() + at + sizeof block, block.stored_bytes);
    }
    block.header_hash = hash_bytes(&block, offsetof(BlockHeader, header_hash));
    store(bytes.data() + at, block);
    if (block.type == BlockType::footer) footer = at;
    if (block.stored_bytes > rest) return;
    at += sizeof block + block.stored_bytes;
  }
  if (bytes.size() - at == sizeof(Trailer) && footer != 0) {
    Trailer trailer{};
    trailer.footer_offset = footer;
    std::memcpy(trailer.magic.data(), kTrailerMagic.data(), kTrailerMagic.size());
    trailer.hash = hash_bytes(&trailer, offsetof(Trailer, hash));
    store(bytes.data() + at, trailer);
  }
}

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

void write_again(const std::vector<Event>& events) {
  static const MemoryFile copy;
  copy.set({});
  auto writer = TraceWriter::create(copy.path(), {.block_events = 100});
  DEADHEAT_ASSERT(writer, "a memory file can be written");
  for (const Event& e : events) {
    // Ids may be sparser than the smaller blocks allow: that is said, and the rest is not written.
    if (!(*writer)->append(e)) return;
  }
  if (!(*writer)->finish()) return;
  auto reader = TraceReader::open(copy.path());
  DEADHEAT_ASSERT(reader, "what was written can be read");
  bool failed = false;
  DEADHEAT_ASSERT(drain(**reader, failed) == events && !failed, "what was written is what is read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file, repaired;
  std::vector<char> bytes(data, data + size);
  if (!bytes.empty() && (bytes.back() & 1) == 0) mend_checksums(bytes);
  file.set(bytes);
  auto reader = TraceReader::open(file.path());
  if (!reader) return 0;
  bool failed = false;
  const auto events = drain(**reader, failed);
  for (const Event& e : events) {
    DEADHEAT_ASSERT(static_cast<std::size_t>(e.op.kind) < kEventKinds && e.op.offset < kCellBytes, "well typed");
  }
  (void)(*reader)->names().display(SiteId{1});
  (void)(*reader)->summary();
  seek_here_and_there(**reader, events);
  write_again(events);
  repaired.set({});
  const auto report = repair(file.path(), repaired.path());
  if (report && !failed) DEADHEAT_ASSERT(report->events == events.size(), "repair keeps what can be read");
  return 0;
}
