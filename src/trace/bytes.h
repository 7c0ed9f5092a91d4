// Little-endian numbers and varints in byte buffers. Reading never goes past the end: it fails, once and for
// all.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace deadheat::trace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian and read as it is");

constexpr std::uint64_t zigzag(std::int64_t n) {
  return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t n) {
  return static_cast<std::int64_t>((n >> 1) ^ (~(n & 1) + 1));
}
constexpr std::uint32_t zigzag32(std::uint32_t n) {
  return (n << 1) ^ static_cast<std::uint32_t>(static_cast<std::int32_t>(n) >> 31);
}
constexpr std::uint32_t unzigzag32(std::uint32_t n) { return (n >> 1) ^ (~(n & 1) + 1); }

template <class T>
T load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

class ByteWriter {
 public:
  explicit ByteWriter(std::vector<char>& out) : out_(out) {}

  template <class T>
  void fixed(T value) {
    const std::size_t at = out_.size();
    out_.resize(at + sizeof value);
    std::memcpy(out_.data() + at, &value, sizeof value);
  }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }
  void delta(std::uint32_t value, std::uint32_t previous) {
    varint(zigzag(static_cast<std::int64_t>(value) - static_cast<std::int64_t>(previous)));
  }
  void raw(const void* data, std::size_t bytes) {
    const char* from = static_cast<const char*>(data);
    out_.insert(out_.end(), from, from + bytes);
  }
  void text(std::string_view s) {
    varint(s.size());
    raw(s.data(), s.size());
  }

 private:
  std::vector<char>& out_;
};

// After a failed read every further one fails and gives 0: check ok() where it matters.
class ByteReader {
 public:
  explicit ByteReader(std::span<const char> in) : at_(in.data()), end_(in.data() + in.size()) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  template <class T>
  T fixed() {
    if (left() < sizeof(T)) return stop(), T{};
    const T value = load<T>(at_);
    at_ += sizeof(T);
    return value;
  }
  std::uint64_t varint() {
    // One or two bytes, nearly always.
    if (left() >= 2) [[likely]] {
      const auto word = load<std::uint16_t>(at_);
      if ((word & 0x80) == 0) return ++at_, word & 0x7F;
      if ((word & 0x8000) == 0) return at_ += 2, (word & 0x7F) | (word & 0x7F00) >> 1;
    }
    return long_varint();
  }
  std::uint64_t long_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return stop(), 0;
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return shift == 63 && byte > 1 ? (stop(), 0) : value;
    }
    return stop(), 0;
  }
  std::uint32_t varint32() {
    const std::uint64_t value = varint();
    if (value > UINT32_MAX) return stop(), 0;
    return static_cast<std::uint32_t>(value);
  }
  std::uint32_t delta(std::uint32_t previous) {
    // Unsigned: a hostile difference wraps and then fails the range check, instead of overflowing.
    const std::uint64_t value = static_cast<std::uint64_t>(unzigzag(varint())) + previous;
    if (value > UINT32_MAX) return stop(), 0;
    return static_cast<std::uint32_t>(value);
  }
  std::span<const char> raw(std::uint64_t bytes) {
    if (left() < bytes) return stop(), std::span<const char>();
    const std::span<const char> out(at_, bytes);
    at_ += bytes;
    return out;
  }
  std::string_view text() {
    const auto bytes = raw(varint());
    return {bytes.data(), bytes.size()};
  }

 private:
  void stop() {
    ok_ = false;
    at_ = end_;
  }

  const char* at_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace deadheat::trace
