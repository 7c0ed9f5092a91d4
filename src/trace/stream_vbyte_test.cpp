#include "trace/stream_vbyte.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "trace/format.h"

namespace deadheat::trace {
namespace {

// Numbers of every byte length in equal shares.
rc::Gen<std::vector<std::uint32_t>> numbers() {
  return rc::gen::container<std::vector<std::uint32_t>>(rc::gen::exec([] {
    const unsigned length = *rc::gen::inRange<unsigned>(0, 5);
    if (length == 0) return 0u;
    const std::uint64_t low = std::uint64_t{1} << (8 * (length - 1));
    return static_cast<std::uint32_t>(*rc::gen::inRange<std::uint64_t>(low, low * 256));
  }));
}

TEST(StreamVByte, DecodesWhatWasEncodedWithAnyOmission) {
  EXPECT_TRUE(rc::check([] {
    auto in = *numbers();
    for (unsigned omitted = 0; omitted < kLengths; ++omitted) {
      if (omitted == 4) {
        for (auto& n : in) n &= 0xFFFFFF;
      }
      std::vector<char> control(control_bytes(in.size()));
      std::vector<char> data(4 * in.size() + 4);
      data.resize(encode_lengths(in, omitted, control.data(), data.data()));
      RC_ASSERT(encoded_size(control.data(), in.size(), omitted) == data.size());
      data.resize(data.size() + kPadding);
      std::vector<std::uint32_t> fast(in.size() + 4), plain(in.size());
      decode_lengths(control.data(), data.data(), in.size(), omitted, fast.data());
      decode_lengths_plainly(control.data(), data.data(), in.size(), omitted, plain.data());
      fast.resize(in.size());
      RC_ASSERT(fast == in);
      RC_ASSERT(plain == in);
    }
  }));
}

TEST(StreamVByte, LeavesOutTheLengthThatCostsLeast) {
  EXPECT_TRUE(rc::check([] {
    const auto in = *numbers();
    LengthCounts counts{};
    for (const auto n : in) ++counts[byte_length(n)];
    std::vector<char> control(control_bytes(in.size()));
    std::vector<char> data(4 * in.size() + 4);
    const auto size = [&](unsigned omitted) {
      return encode_lengths(in, omitted, control.data(), data.data());
    };
    const std::size_t chosen = size(cheapest_omission(counts));
    for (unsigned omitted = 0; omitted < 4; ++omitted) RC_ASSERT(chosen <= size(omitted));
    if (counts[4] == 0) RC_ASSERT(chosen <= size(4));
  }));
}

TEST(StreamVByte, RefusesCodesForNumbersThatAreNotThere) {
  const char control = 0b01'00;  // one number, but a code for a second
  EXPECT_EQ(encoded_size(&control, 1, 1), SIZE_MAX);
}

}  // namespace
}  // namespace deadheat::trace
