// Names to dense ids, fast: most names of real traces are a letter and a number (V17, T3, L0) or a bare
// number, and those need no hashing.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/huge_pages.h"

namespace deadheat::trace {

// What a look-up needs to know of a name, found by looking at its text once.
struct NameKey {
  static constexpr std::uint32_t kText = 257;  // bits: hash of the text
  std::uint64_t bits;                          // the number, if the name is a prefix and a number
  std::uint32_t form;                          // 0: no prefix, 1 + byte: a prefix of one byte
};

// Bytes that must be readable in front of a name given to key_of: digits are loaded eight at a time.
inline constexpr std::size_t kKeyFront = 16;

namespace digits {

// The value of the `count` (1 to 8) digits that end at `end`, or kNone. Reads eight bytes.
inline constexpr std::uint64_t kNone = UINT64_MAX;
inline std::uint64_t value(const char* end, unsigned count) {
  std::uint64_t w;
  std::memcpy(&w, end - 8, 8);
  constexpr std::uint64_t kZeros = 0x3030303030303030u, kHigh = 0xF0F0F0F0F0F0F0F0u;
  // The bytes in front of the digits become '0'. (A shift by 64 never happens: count is at least 1.)
  const std::uint64_t front = (std::uint64_t{1} << (64 - 8 * count)) - 1;
  w = (w & ~front) | (kZeros & front);
  // Digits are 0x30..0x39: the high half is 3, and stays 3 when 6 is added.
  if (((w & kHigh) ^ kZeros) | (((w + 0x0606060606060606u) & kHigh) ^ kZeros)) return kNone;
  w -= kZeros;
  w = w * 10 + (w >> 8);  // pairs
  constexpr std::uint64_t kPairs = 0x000000FF000000FFu;
  return ((w & kPairs) * 0x000F424000000064u + ((w >> 16) & kPairs) * 0x0000271000000001u) >> 32;
}

}  // namespace digits

class Interner {
 public:
  static constexpr std::uint32_t kMissing = UINT32_MAX;

  Interner();

  // The name is not empty, and kKeyFront bytes in front of it can be read.
  NameKey key_of(std::string_view name) const {
    const char first = name.front();
    const bool prefixed = static_cast<unsigned char>(first - '0') > 9;
    const std::size_t count = name.size() - (prefixed ? 1 : 0);
    // A leading zero makes another name (V07 is not V7), so it is not taken for a number.
    if (count - 1 < 16 && (count == 1 || name[name.size() - count] != '0')) [[likely]] {
      const char* const end = name.data() + name.size();
      const auto low_count = static_cast<unsigned>(count < 8 ? count : 8);
      std::uint64_t number = digits::value(end, low_count);
      if (number != digits::kNone) [[likely]] {
        const std::uint32_t form = prefixed ? 1u + static_cast<unsigned char>(first) : 0u;
        if (count <= 8) return {number, form};
        const std::uint64_t high = digits::value(end - 8, static_cast<unsigned>(count - 8));
        if (high != digits::kNone) return {high * 100'000'000 + number, form};
      }
    }
    return text_key_of(name);
  }
  // A key for any name, wherever it lies; slower. Not to be mixed with key_of in one interner.
  NameKey text_key_of(std::string_view name) const { return {hash_text(name), NameKey::kText}; }

  // Brings what find(key) will look at nearer. (Inlined always: gcc 12 takes a function that only prefetches
  // for one without effect, and drops calls of it.)
  [[gnu::always_inline]] void prefetch(const NameKey& key) const {
    if (key.form == NameKey::kText) {
      __builtin_prefetch(&texts_[key.bits & text_mask_]);
    } else if (const auto& dense = tables_[table_of_[key.form]]; key.bits < dense.size()) {
      __builtin_prefetch(&dense[key.bits]);
    } else {
      __builtin_prefetch(&numbers_[mix(key) & number_mask_]);
    }
  }
  // To be called when that has had time to arrive: brings the text nearer that the name is compared with.
  [[gnu::always_inline]] void prefetch_text(const NameKey& key, std::string_view name) const {
    if (key.form != NameKey::kText || name.size() >= kLongText) return;
    const std::uint32_t wanted = tag(key.bits, name.size());
    std::uint64_t at = key.bits & text_mask_;
    while (texts_[at].tag != wanted && texts_[at].data != nullptr) at = (at + 1) & text_mask_;
    if (texts_[at].data == nullptr) return;
    __builtin_prefetch(texts_[at].data);
    __builtin_prefetch(texts_[at].data + name.size() - 1);  // it may go over the end of a cache line
  }

  // The id, or kMissing.
  std::uint32_t find(const NameKey& key, std::string_view name) {
    if (key.form != NameKey::kText) [[likely]] {
      const auto& dense = tables_[table_of_[key.form]];
      if (key.bits < dense.size() && dense[key.bits] != kMissing) [[likely]]
        return dense[key.bits];
      return find_number(key);
    }
    return find_text(key, name);
  }

  // Adds a name that is missing. The text must stay where it is for the interner's life.
  void insert(const NameKey& key, std::string_view name, std::uint32_t id);

  // Of all tables together.
  std::size_t bytes() const;

 private:
  // The ids of the numbers of one form, as far as these are not much greater than the count of names.
  using Table = std::vector<std::uint32_t, base::HugePages<std::uint32_t>>;
  struct NumberSlot {
    std::uint64_t number;
    std::uint32_t form;
    std::uint32_t id;  // kMissing: empty
  };
  struct TextSlot {
    const char* data;   // nullptr: empty
    std::uint32_t tag;  // 24 bits of the hash, 8 of the length
    std::uint32_t id;
  };
  struct Text {
    const char* data;
    std::uint32_t size;
    std::uint32_t id;
  };
  static constexpr std::size_t kLongText = 256;  // such and longer names are rare and live in long_

  static std::uint32_t tag(std::uint64_t hash, std::size_t size) {
    return static_cast<std::uint32_t>(hash >> 40) << 8 | static_cast<std::uint32_t>(size);
  }
  std::uint64_t mix(const NameKey& key) const {
    std::uint64_t h = (key.bits ^ std::uint64_t{key.form} << 55 ^ seed_) * 0x9E3779B97F4A7C15u;
    h ^= h >> 32;
    h *= 0xC2B2AE3D27D4EB4Fu;
    return h ^ (h >> 29);
  }
  std::uint64_t hash_text(std::string_view name) const;
  std::uint32_t find_number(const NameKey& key);
  std::uint32_t find_text(const NameKey& key, std::string_view name) const;
  void insert_number(const NameKey& key, std::uint32_t id);
  void insert_text(const NameKey& key, std::string_view name, std::uint32_t id);
  bool insert_dense(const NameKey& key, std::uint32_t id);
  void grow_numbers();
  void grow_texts();

  // The tables of the forms that there are; [0] is that of the others, and stays empty.
  std::vector<Table> tables_;
  std::array<std::uint16_t, NameKey::kText> table_of_{};  // by form
  std::uint64_t number_names_ = 0, dense_ids_ = 0;        // names of such forms; what the tables cover
  // Other numbers, and texts: open addressing, at most half full.
  std::vector<NumberSlot, base::HugePages<NumberSlot>> numbers_;
  std::uint64_t number_mask_, number_count_ = 0;
  std::vector<TextSlot, base::HugePages<TextSlot>> texts_;
  std::uint64_t text_mask_;
  std::vector<Text> all_texts_;  // to fill a larger table without touching the old one
  std::unordered_map<std::string_view, std::uint32_t> long_;
  std::uint64_t seed_;  // of the run: nobody can prepare names that all collide
};

}  // namespace deadheat::trace
