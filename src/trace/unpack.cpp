#include "trace/unpack.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace deadheat::trace {

namespace {

constexpr std::size_t kPackedBytes = std::size_t{1} << 17;

// The compressed side: a buffer that is filled when it has run empty.
class PackedBytes {
 public:
  explicit PackedBytes(std::unique_ptr<ByteInput> input) : input_(std::move(input)), buffer_(kPackedBytes) {}

  // True if there are bytes at begin(), false at the end of the input.
  Result<bool> fill() {
    if (begin_ < end_) return true;
    auto got = input_->read(buffer_.data(), buffer_.size());
    if (!got) return fail(std::move(got).error());
    begin_ = 0;
    end_ = *got;
    return end_ > 0;
  }
  char* begin() { return buffer_.data() + begin_; }
  std::size_t size() const { return end_ - begin_; }
  void take(std::size_t bytes) { begin_ += bytes; }
  Progress progress() const { return input_->progress(); }

 private:
  std::unique_ptr<ByteInput> input_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

tl::unexpected<Error> truncated(const std::string& name, const char* format) {
  return input_error(fmt::format(
      "{}: the {} data ends too early; the file is cut off, fetch or write it again", name, format));
}
tl::unexpected<Error> corrupt(const std::string& name, const char* format, const char* reason) {
  return input_error(fmt::format("{}: the {} data is damaged ({})", name, format, reason));
}

// Text of traces shrinks to a tenth or a fiftieth. What says that it is thousands of times as long is made to
// fill disks and to take forever.
class Growth {
 public:
  bool is_too_much(const Progress& packed, std::uint64_t bytes) {
    constexpr std::uint64_t kAlways = std::uint64_t{256} << 20, kTimes = 500;
    unpacked_ += bytes;
    return unpacked_ > kAlways && unpacked_ / kTimes > packed.done_bytes;
  }
  static tl::unexpected<Error> refused(const std::string& name) {
    return input_error(
        fmt::format("{}: is more than 500 times as long as its compressed form; if that is "
                    "meant, decompress it first",
                    name));
  }

 private:
  std::uint64_t unpacked_ = 0;
};

class GzipInput final : public ByteInput {
 public:
  GzipInput(std::unique_ptr<ByteInput> input, std::string name)
      : packed_(std::move(input)), name_(std::move(name)) {}
  GzipInput(const GzipInput&) = delete;
  GzipInput& operator=(const GzipInput&) = delete;
  ~GzipInput() override {
    if (ready_) inflateEnd(&stream_);
  }

  Status start() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, kGzipOnly + MAX_WBITS) != Z_OK) {
      return io_error(fmt::format("{}: cannot start zlib", name_));
    }
    ready_ = true;
    return {};
  }

  Result<std::size_t> read(char* buffer, std::size_t bytes) override {
    const auto wanted = static_cast<uInt>(std::min<std::size_t>(bytes, 1u << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    stream_.avail_out = wanted;
    while (stream_.avail_out == wanted && !at_end_) {
      if (Status stepped = step(); !stepped) return fail(std::move(stepped).error());
    }
    if (growth_.is_too_much(packed_.progress(), wanted - stream_.avail_out)) return Growth::refused(name_);
    return wanted - stream_.avail_out;
  }

  Progress progress() const override { return packed_.progress(); }

 private:
  Status step() {
    auto more = packed_.fill();
    if (!more) return fail(std::move(more).error());
    if (!*more) {
      if (in_member_) return truncated(name_, "gzip");
      at_end_ = true;
      return {};
    }
    if (!in_member_ && !members_follow()) return {};
    in_member_ = true;
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.begin());
    stream_.avail_in = static_cast<uInt>(packed_.size());
    const int outcome = inflate(&stream_, Z_NO_FLUSH);
    packed_.take(packed_.size() - stream_.avail_in);
    if (outcome == Z_STREAM_END) {
      in_member_ = false;
      ++members_;
      inflateReset(&stream_);
    } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
      return corrupt(name_, "gzip", stream_.msg != nullptr ? stream_.msg : zError(outcome));
    }
    return {};
  }

  // Between members: tapes and some tools pad with zero bytes, which is no damage.
  bool members_follow() {
    if (members_ == 0) return true;
    std::size_t zeros = 0;
    while (zeros < packed_.size() && packed_.begin()[zeros] == 0) ++zeros;
    packed_.take(zeros);
    return packed_.size() > 0;
  }

  PackedBytes packed_;
  std::string name_;
  z_stream stream_{};
  Growth growth_;
  bool ready_ = false, in_member_ = false, at_end_ = false;
  std::uint64_t members_ = 0;
};

class ZstdInput final : public ByteInput {
 public:
  ZstdInput(std::unique_ptr<ByteInput> input, std::string name)
      : packed_(std::move(input)), name_(std::move(name)), stream_(ZSTD_createDStream()) {}

  Status start() {
    if (stream_ == nullptr) return io_error(fmt::format("{}: cannot start zstd", name_));
    return {};
  }

  Result<std::size_t> read(char* buffer, std::size_t bytes) override {
    ZSTD_outBuffer out{buffer, bytes, 0};
    while (out.pos == 0) {
      auto more = packed_.fill();
      if (!more) return fail(std::move(more).error());
      // With no input left, the decoder may still hold output of the last frame.
      ZSTD_inBuffer in{packed_.begin(), packed_.size(), 0};
      const std::size_t left = ZSTD_decompressStream(stream_.get(), &out, &in);
      if (ZSTD_isError(left)) return corrupt(name_, "zstd", ZSTD_getErrorName(left));
      packed_.take(in.pos);
      // At the end of the input, a "left" between frames asks for a next frame's header: that says nothing.
      if (*more || left == 0) in_frame_ = left != 0;
      if (!*more && out.pos == 0) {
        if (in_frame_) return truncated(name_, "zstd");
        break;
      }
    }
    if (growth_.is_too_much(packed_.progress(), out.pos)) return Growth::refused(name_);
    return out.pos;
  }

  Progress progress() const override { return packed_.progress(); }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  PackedBytes packed_;
  std::string name_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  Growth growth_;
  bool in_frame_ = false;
};

template <class Input>
Result<std::unique_ptr<ByteInput>> started(std::unique_ptr<Input> input) {
  if (Status status = input->start(); !status) return fail(std::move(status).error());
  return input;
}

}  // namespace

Packing packing_of(std::string_view head) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(head[i]); };
  if (head.size() >= 2 && byte(0) == 0x1F && byte(1) == 0x8B) return Packing::gzip;
  if (head.size() < 4) return Packing::none;
  const bool frame = byte(0) == 0x28 && byte(1) == 0xB5 && byte(2) == 0x2F && byte(3) == 0xFD;
  const bool skippable = (byte(0) & 0xF0) == 0x50 && byte(1) == 0x2A && byte(2) == 0x4D && byte(3) == 0x18;
  return frame || skippable ? Packing::zstd : Packing::none;
}

Result<std::unique_ptr<ByteInput>> unpack(std::unique_ptr<ByteInput> input, Packing packing,
                                          std::string name) {
  switch (packing) {
    case Packing::gzip:
      return started(std::make_unique<GzipInput>(std::move(input), std::move(name)));
    case Packing::zstd:
      return started(std::make_unique<ZstdInput>(std::move(input), std::move(name)));
    case Packing::none:
      break;
  }
  return input;
}

}  // namespace deadheat::trace
