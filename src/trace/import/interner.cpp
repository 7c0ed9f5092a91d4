#include "trace/import/interner.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <random>
#include <utility>

namespace deadheat::trace {

namespace {

constexpr std::size_t kFirstSlots = 64;
// How many numbers the tables may cover, all together: 4 MiB, and 16 bytes for each name.
constexpr std::uint64_t kDenseAlways = std::uint64_t{1} << 20;
constexpr std::uint64_t kDensePerName = 4;

std::uint64_t seed_of_this_run() {
  static const std::uint64_t seed = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  }();
  return seed;
}

}  // namespace

Interner::Interner()
    : tables_(1),
      numbers_(kFirstSlots, NumberSlot{0, 0, kMissing}),
      number_mask_(kFirstSlots - 1),
      texts_(kFirstSlots),
      text_mask_(kFirstSlots - 1),
      seed_(seed_of_this_run()) {}

std::uint64_t Interner::hash_text(std::string_view name) const {
  return XXH3_64bits_withSeed(name.data(), name.size(), seed_);
}

std::uint32_t Interner::find_number(const NameKey& key) {
  if (number_count_ == 0) return kMissing;
  auto& dense = tables_[table_of_[key.form]];
  for (std::uint64_t at = mix(key) & number_mask_; numbers_[at].id != kMissing;
       at = (at + 1) & number_mask_) {
    if (numbers_[at].number != key.bits || numbers_[at].form != key.form) continue;
    // It came when it looked too great for the table, which has grown since: next time it is there.
    if (key.bits < dense.size()) dense[key.bits] = numbers_[at].id;
    return numbers_[at].id;
  }
  return kMissing;
}

std::uint32_t Interner::find_text(const NameKey& key, std::string_view name) const {
  if (name.size() >= kLongText) {
    const auto found = long_.find(name);
    return found == long_.end() ? kMissing : found->second;
  }
  const std::uint32_t wanted = tag(key.bits, name.size());
  for (std::uint64_t at = key.bits & text_mask_; texts_[at].data != nullptr; at = (at + 1) & text_mask_) {
    if (texts_[at].tag == wanted && std::memcmp(texts_[at].data, name.data(), name.size()) == 0) {
      return texts_[at].id;
    }
  }
  return kMissing;
}

std::size_t Interner::bytes() const {
  std::size_t sum = numbers_.capacity() * sizeof(NumberSlot) + texts_.capacity() * sizeof(TextSlot) +
                    all_texts_.capacity() * sizeof(Text);
  for (const Table& table : tables_) sum += table.capacity() * sizeof(std::uint32_t);
  return sum;
}

void Interner::insert(const NameKey& key, std::string_view name, std::uint32_t id) {
  if (key.form == NameKey::kText) return insert_text(key, name, id);
  if (table_of_[key.form] == 0) {
    table_of_[key.form] = static_cast<std::uint16_t>(tables_.size());
    tables_.emplace_back();
  }
  ++number_names_;
  if (!insert_dense(key, id)) insert_number(key, id);
}

// A number that is far above the count of names seen would cost memory out of proportion to the input.
bool Interner::insert_dense(const NameKey& key, std::uint32_t id) {
  auto& dense = tables_[table_of_[key.form]];
  if (key.bits >= dense.size()) {
    const std::uint64_t limit = dense.size() + kDenseAlways + kDensePerName * number_names_ - dense_ids_;
    if (key.bits >= limit) return false;
    const std::size_t size =
        std::max<std::size_t>(key.bits + 1, std::min<std::size_t>(limit, 2 * dense.size()));
    dense_ids_ += size - dense.size();
    dense.resize(size, kMissing);
  }
  dense[key.bits] = id;
  return true;
}

void Interner::insert_number(const NameKey& key, std::uint32_t id) {
  if (2 * ++number_count_ > numbers_.size()) grow_numbers();
  std::uint64_t at = mix(key) & number_mask_;
  while (numbers_[at].id != kMissing) at = (at + 1) & number_mask_;
  numbers_[at] = {key.bits, key.form, id};
}

void Interner::grow_numbers() {
  const auto old =
      std::exchange(numbers_, decltype(numbers_)(2 * numbers_.size(), NumberSlot{0, 0, kMissing}));
  number_mask_ = numbers_.size() - 1;
  for (const NumberSlot& slot : old) {
    if (slot.id == kMissing) continue;
    std::uint64_t at = mix({slot.number, slot.form}) & number_mask_;
    while (numbers_[at].id != kMissing) at = (at + 1) & number_mask_;
    numbers_[at] = slot;
  }
}

void Interner::insert_text(const NameKey& key, std::string_view name, std::uint32_t id) {
  if (name.size() >= kLongText) {
    long_.emplace(name, id);
    return;
  }
  if (2 * (all_texts_.size() + 1) > texts_.size()) grow_texts();
  all_texts_.push_back({name.data(), static_cast<std::uint32_t>(name.size()), id});
  std::uint64_t at = key.bits & text_mask_;
  while (texts_[at].data != nullptr) at = (at + 1) & text_mask_;
  texts_[at] = {name.data(), tag(key.bits, name.size()), id};
}

void Interner::grow_texts() {
  texts_.assign(2 * texts_.size(), TextSlot{});
  text_mask_ = texts_.size() - 1;
  for (const Text& text : all_texts_) {
    const std::uint64_t hash = hash_text({text.data, text.size});
    std::uint64_t at = hash & text_mask_;
    while (texts_[at].data != nullptr) at = (at + 1) & text_mask_;
    texts_[at] = {text.data, tag(hash, text.size), text.id};
  }
}

}  // namespace deadheat::trace
