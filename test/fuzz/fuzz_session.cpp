// Memory that a recorded program shares with its recorder, written over with anything: what is made of it is
// a well-formed trace, in bounded memory and time. Input: pairs of where (16 bits) and what (8 bytes).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "model/well_formed.h"
#include "record/merger.h"
#include "record/transcriber.h"

namespace {

using namespace deadheat;

constexpr std::uint32_t kChunks = 8, kSlots = 4;

class Judge final : public Sink {
 public:
  Status append(const BlockView& block, const Names& /*names*/) override {
    BlockView here = block;
    here.first = events_;
    rules_.feed(here);
    events_ += block.size();
    if (!rules_.ok()) std::abort();
    return {};
  }
  Status finish() override { return {}; }

 private:
  model::WellFormed rules_{16};
  std::uint64_t events_ = 0;
};

// Few words, in the places that matter: heads of slots and chunks, and the first records of each chunk.
void write(record::SharedSession& session, std::uint16_t where, std::uint64_t what) {
  const std::uint32_t part = where >> 13;
  if (part == 0) {
    runtime::Slot& slot = session->slots[where % kSlots];
    switch (where >> 4 & 7) {
      case 0:
        slot.state = static_cast<std::uint32_t>(what) % 5;
        break;
      case 1:
        slot.thread = static_cast<std::uint32_t>(what);
        break;
      case 2:
        slot.first_chunk = static_cast<std::uint32_t>(what);
        break;
      case 3:
        slot.floor = what;
        break;
      case 4:
        session->stamp = what;
        break;
      case 5:
        session->slots_used = static_cast<std::uint32_t>(what);
        break;
      case 6:
        session->modules_used = static_cast<std::uint32_t>(what);
        break;
      default:
        std::memcpy(&session->modules[where % 4], &what, sizeof what);
    }
  } else if (part == 1) {
    const std::uint32_t chunk = 1 + where % (kChunks - 1);
    session.chunk(chunk)->next = static_cast<std::uint32_t>(what);
  } else {
    const std::uint32_t chunk = 1 + where % (kChunks - 1);
    auto* const words = reinterpret_cast<std::uint64_t*>(session.chunk(chunk)->records);
    words[where >> 3 & 0x3FF] = what;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto session =
      record::SharedSession::create({.memory_bytes = kChunks * runtime::kChunkBytes, .most_chunks = kChunks});
  if (!session) return 0;
  record::Merger merger(*session);
  Judge judge;
  record::Transcriber transcriber(**session, judge, {});
  constexpr std::size_t kPair = 10;
  // In two halves: what was read may change under the reader.
  for (std::size_t at = 0; at + kPair <= size; at += kPair) {
    std::uint16_t where = 0;
    std::uint64_t what = 0;
    std::memcpy(&where, data + at, sizeof where);
    std::memcpy(&what, data + at + sizeof where, sizeof what);
    write(*session, where, what);
    if (at / kPair % 16 == 15 && !merger.is_damaged()) merger.round(transcriber);
  }
  if (!merger.is_damaged()) merger.finish(transcriber);
  transcriber.flush();
  return 0;
}
