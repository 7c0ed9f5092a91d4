// Events into blocks, and blocks into a sink. Operations are numbered once for the whole workload; looking
// one up costs something only once a block.
#pragma once

#include <cstdint>
#include <vector>

#include "deadheat/trace.h"
#include "model/block_builder.h"

namespace deadheat::generate {

class Emitter {
 public:
  Emitter(Sink& sink, std::size_t block_events) : sink_(sink), builder_(block_events) {}

  // The number of a new operation. Its site is named at its first use, so that sites are numbered in order of
  // appearance; equal `place`s are one site, 0 is none.
  std::uint32_t add_op(const Op& op, std::uint32_t place);

  void emit(std::uint32_t thread, std::uint32_t op, std::uint32_t object) {
    if (builder_.full()) [[unlikely]]
      flush();
    std::uint64_t& code = codes_[op];
    if ((code >> 16) != block_) code = block_ << 16 | look_up(op);
    builder_.append(ThreadId{thread}, static_cast<std::uint16_t>(code), object);
    ++emitted_;
  }
  // With a value that is not known beforehand: a barrier's generation.
  void emit_with(std::uint32_t thread, std::uint32_t op, std::uint32_t object, std::uint64_t value);

  std::uint64_t emitted() const { return emitted_; }
  SiteId site_of(std::uint32_t op) const { return ops_[op].site; }
  const Names& names() const { return names_; }
  // True once the sink has failed: there is no sense in going on.
  bool failed() const { return !status_; }
  // Hands over what is left, and finishes the sink.
  Status finish();

 private:
  std::uint16_t look_up(std::uint32_t op);
  void name_site(std::uint32_t op);
  void flush();

  Sink& sink_;
  Names names_;
  model::BlockBuilder builder_;
  std::vector<Op> ops_;
  std::vector<std::uint32_t> places_;  // by operation
  std::vector<SiteId> sites_;          // by place
  std::vector<std::uint64_t> codes_;   // by operation: block << 16 | code in that block
  std::uint64_t block_ = 1;
  std::uint64_t emitted_ = 0;
  Status status_;
};

}  // namespace deadheat::generate
