// Any bytes as a .dht stream: reading ends with an answer or an error, the events are well typed, and what
// was read can be encoded and decoded again.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/assert.h"
#include "deadheat/trace.h"
#include "fuzz/mend_checksums.h"
#include "trace/event_stream.h"
#include "trace/events_codec.h"

using namespace deadheat;

namespace {

class Memory final : public trace::ByteInput {
 public:
  explicit Memory(const std::vector<char>& bytes) : bytes_(bytes) {}
  Result<std::size_t> read(char* to, std::size_t n) override {
    n = std::min(n, bytes_.size() - at_);
    if (n > 0) std::memcpy(to, bytes_.data() + at_, n);
    at_ += n;
    return n;
  }

 private:
  const std::vector<char>& bytes_;
  std::size_t at_ = 0;
};

bool same(const BlockView& a, const BlockView& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] == b[i])) return false;
  }
  return true;
}

void encode_again(const BlockView& block) {
  static trace::EventsEncoder encoder;
  static trace::EventsDecoder decoder;
  trace::Bounds bounds;
  std::vector<char> payload;
  DEADHEAT_ASSERT(encoder.encode(block, bounds, payload), "what was decoded can be encoded");
  const auto again = decoder.decode(payload, block.first, static_cast<std::uint32_t>(block.size()));
  DEADHEAT_ASSERT(again && same(*again, block), "and is the same when it comes back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<char> bytes(data, data + size);
  if (!bytes.empty() && (bytes.back() & 1) == 0) fuzz::mend_checksums(bytes);
  auto stream = trace::open_dht_stream(std::make_unique<Memory>(bytes), "input", "");
  if (!stream) return 0;
  while (true) {
    const auto block = (*stream)->next();
    if (!block || *block == nullptr) break;
    for (const Op& op : (*block)->ops) {
      DEADHEAT_ASSERT(static_cast<std::size_t>(op.kind) < kEventKinds && op.offset < kCellBytes,
                      "well typed");
      (void)(*stream)->names().display(op.site);
    }
    encode_again(**block);
  }
  (void)(*stream)->warnings();
  return 0;
}
