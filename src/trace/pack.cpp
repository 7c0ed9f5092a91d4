#include "trace/pack.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace deadheat::trace {

namespace {

constexpr std::size_t kPackedBytes = std::size_t{1} << 17;

class GzipOutput final : public ByteOutput {
 public:
  GzipOutput(std::unique_ptr<ByteOutput> output, std::string name)
      : output_(std::move(output)), name_(std::move(name)), packed_(kPackedBytes) {}
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;
  ~GzipOutput() override {
    if (ready_) deflateEnd(&stream_);
  }

  Status start() {
    constexpr int kGzip = 16, kMemoryLevel = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip + MAX_WBITS, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      return io_error(fmt::format("{}: cannot start zlib", name_));
    }
    ready_ = true;
    return {};
  }

  Status write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, std::size_t{1} << 30);  // zlib counts in unsigned ints
      bytes.remove_prefix(part.size());
      if (Status put = deflate_all(part, Z_NO_FLUSH); !put) return put;
    }
    return {};
  }

  Status finish() override {
    if (Status put = deflate_all({}, Z_FINISH); !put) return put;
    return output_->finish();
  }

 private:
  Status deflate_all(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(bytes.data()));  // not written to
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      if (deflate(&stream_, flush) == Z_STREAM_ERROR) {
        return io_error(fmt::format("{}: zlib failed to compress", name_));
      }
      if (Status put = output_->write({packed_.data(), packed_.size() - stream_.avail_out}); !put) return put;
    } while (stream_.avail_out == 0);
    return {};
  }

  std::unique_ptr<ByteOutput> output_;
  std::string name_;
  std::vector<char> packed_;
  z_stream stream_{};
  bool ready_ = false;
};

class ZstdOutput final : public ByteOutput {
 public:
  ZstdOutput(std::unique_ptr<ByteOutput> output, std::string name)
      : output_(std::move(output)),
        name_(std::move(name)),
        packed_(kPackedBytes),
        stream_(ZSTD_createCCtx()) {}

  Status start() {
    if (stream_ == nullptr) return io_error(fmt::format("{}: cannot start zstd", name_));
    ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1);
    return {};
  }

  Status write(std::string_view bytes) override { return compress_all(bytes, ZSTD_e_continue); }
  Status finish() override {
    if (Status put = compress_all({}, ZSTD_e_end); !put) return put;
    return output_->finish();
  }

 private:
  Status compress_all(std::string_view bytes, ZSTD_EndDirective end) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    std::size_t left = 0;
    do {
      ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
      left = ZSTD_compressStream2(stream_.get(), &out, &in, end);
      if (ZSTD_isError(left)) return io_error(fmt::format("{}: {}", name_, ZSTD_getErrorName(left)));
      if (Status put = output_->write({packed_.data(), out.pos}); !put) return put;
    } while (end == ZSTD_e_end ? left != 0 : in.pos < in.size);
    return {};
  }

  struct Free {
    void operator()(ZSTD_CCtx* stream) const { ZSTD_freeCCtx(stream); }
  };
  std::unique_ptr<ByteOutput> output_;
  std::string name_;
  std::vector<char> packed_;
  std::unique_ptr<ZSTD_CCtx, Free> stream_;
};

template <class Output>
Result<std::unique_ptr<ByteOutput>> started(std::unique_ptr<Output> output) {
  if (Status status = output->start(); !status) return fail(std::move(status).error());
  return output;
}

}  // namespace

Result<std::unique_ptr<ByteOutput>> pack(std::unique_ptr<ByteOutput> output, Packing packing,
                                         std::string name) {
  switch (packing) {
    case Packing::gzip:
      return started(std::make_unique<GzipOutput>(std::move(output), std::move(name)));
    case Packing::zstd:
      return started(std::make_unique<ZstdOutput>(std::move(output), std::move(name)));
    case Packing::none:
      break;
  }
  return output;
}

}  // namespace deadheat::trace
