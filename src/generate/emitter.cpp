#include "generate/emitter.h"

#include <fmt/format.h>

namespace deadheat::generate {

std::uint32_t Emitter::add_op(const Op& op, std::uint32_t place) {
  ops_.push_back(op);
  places_.push_back(place);
  codes_.push_back(0);
  if (place >= sites_.size()) sites_.resize(std::size_t{place} + 1);
  return static_cast<std::uint32_t>(ops_.size() - 1);
}

void Emitter::emit_with(std::uint32_t thread, std::uint32_t op, std::uint32_t object, std::uint64_t value) {
  if (builder_.full()) flush();
  name_site(op);
  Op with = ops_[op];
  with.value = value;
  builder_.append({ThreadId{thread}, with, object});
  ++emitted_;
}

std::uint16_t Emitter::look_up(std::uint32_t op) {
  name_site(op);
  return builder_.code(ops_[op]);
}

void Emitter::name_site(std::uint32_t op) {
  const std::uint32_t place = places_[op];
  if (place == 0 || ops_[op].site != SiteId::none) return;
  if (sites_[place] == SiteId::none) {
    sites_[place] = names_.add_text_site(fmt::format("{}", names_.sites.size()));
  }
  ops_[op].site = sites_[place];
}

void Emitter::flush() {
  if (status_ && !builder_.empty()) {
    status_ = sink_.append(builder_.view(emitted_ - builder_.size()), names_);
  }
  builder_.clear();
  ++block_;
}

Status Emitter::finish() {
  flush();
  sink_.declare(Completeness::complete());
  return status_ ? sink_.finish() : status_;
}

}  // namespace deadheat::generate
