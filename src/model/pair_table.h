// A hash table whose key is a pair of ids, for facts that hold of few of all pairs ("thread t holds lock l").
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace deadheat::model {

template <class V>
class PairTable {
 public:
  std::size_t size() const { return size_; }

  // The value, or nullptr. Valid until the next change of the table.
  V* find(std::uint32_t a, std::uint32_t b) {
    if (size_ == 0) return nullptr;
    const std::uint64_t key = join(a, b);
    for (std::size_t at = home(key);; at = (at + 1) & mask_) {
      if (!slots_[at].used) return nullptr;
      if (slots_[at].key == key) return &slots_[at].value;
    }
  }

  // The value, made from V{} if there is none.
  V& operator()(std::uint32_t a, std::uint32_t b) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    const std::uint64_t key = join(a, b);
    std::size_t at = home(key);
    for (; slots_[at].used; at = (at + 1) & mask_) {
      if (slots_[at].key == key) return slots_[at].value;
    }
    slots_[at].used = true;
    slots_[at].key = key;
    slots_[at].value = V{};
    ++size_;
    return slots_[at].value;
  }

  void erase(std::uint32_t a, std::uint32_t b) {
    if (size_ == 0) return;
    const std::uint64_t key = join(a, b);
    std::size_t hole = home(key);
    for (;; hole = (hole + 1) & mask_) {
      if (!slots_[hole].used) return;
      if (slots_[hole].key == key) break;
    }
    // What was pushed past the hole moves back into it, so that no tombstones are needed.
    for (std::size_t at = (hole + 1) & mask_; slots_[at].used; at = (at + 1) & mask_) {
      const std::size_t wanted = home(slots_[at].key);
      if (((at - wanted) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].used = false;
    --size_;
  }

  // f(a, b, value) for every entry, in no particular order.
  template <class F>
  void for_each(F f) const {
    for (const Slot& slot : slots_) {
      if (slot.used) {
        f(static_cast<std::uint32_t>(slot.key >> 32), static_cast<std::uint32_t>(slot.key), slot.value);
      }
    }
  }

  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t key = 0;
    bool used = false;
    V value{};
  };

  static std::uint64_t join(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; }
  std::size_t home(std::uint64_t key) const {
    key = (key ^ key >> 32) * 0x9E3779B97F4A7C15u;
    key = (key ^ key >> 29) * 0xC2B2AE3D27D4EB4Fu;
    return static_cast<std::size_t>(key >> 32) & mask_;
  }
  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_ = std::vector<Slot>(old.empty() ? 64 : 2 * old.size());
    mask_ = slots_.size() - 1;
    for (Slot& slot : old) {
      if (!slot.used) continue;
      std::size_t at = home(slot.key);
      while (slots_[at].used) at = (at + 1) & mask_;
      slots_[at] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace deadheat::model
