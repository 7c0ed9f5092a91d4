#include "trace/bit_pack.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace deadheat::trace {
namespace {

TEST(BitPack, GivesBackWhatWasPackedInEveryWidth) {
  EXPECT_TRUE(rc::check([] {
    const auto in = *rc::gen::container<std::vector<std::uint16_t>>(
        rc::gen::map(rc::gen::inRange(0, 65536), [](int n) { return static_cast<std::uint16_t>(n); }));
    for (unsigned bits = 0; bits <= 16; ++bits) {
      std::vector<std::uint16_t> numbers = in;
      for (auto& n : numbers) n = static_cast<std::uint16_t>(n & ((1u << bits) - 1));
      std::vector<char> packed(packed_bytes(numbers.size(), bits) + 16);
      pack_bits(numbers, bits, packed.data());
      std::vector<std::uint16_t> fast(numbers.size() + 8), plain(numbers.size());
      unpack_bits(packed.data(), numbers.size(), bits, fast.data());
      unpack_bits_plainly(packed.data(), numbers.size(), bits, plain.data());
      fast.resize(numbers.size());
      RC_ASSERT(fast == numbers);
      RC_ASSERT(plain == numbers);
    }
  }));
}

TEST(BitPack, KnowsTheBitsItNeeds) {
  EXPECT_EQ(bits_for(1), 0u);
  EXPECT_EQ(bits_for(2), 1u);
  EXPECT_EQ(bits_for(256), 8u);
  EXPECT_EQ(bits_for(257), 9u);
  EXPECT_EQ(bits_for(65536), 16u);
}

}  // namespace
}  // namespace deadheat::trace
