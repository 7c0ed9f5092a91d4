#include "trace/byte_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "trace/unpack.h"

namespace deadheat::trace {

namespace {

class FileInput final : public ByteInput {
 public:
  FileInput(base::File file, std::uint64_t total_bytes) : file_(std::move(file)), total_bytes_(total_bytes) {}

  Result<std::size_t> read(char* buffer, std::size_t bytes) override {
    auto got = file_.read_some(buffer, bytes);
    if (got) done_bytes_ += *got;
    return got;
  }

  Progress progress() const override { return {done_bytes_, total_bytes_}; }

 private:
  base::File file_;
  std::uint64_t done_bytes_ = 0;
  std::uint64_t total_bytes_;
};

// An input whose first bytes were looked at: gives them again, then the rest.
class PeekedInput final : public ByteInput {
 public:
  explicit PeekedInput(std::unique_ptr<ByteInput> rest) : rest_(std::move(rest)) {}

  // The first bytes, fewer than `bytes` only where the input is shorter.
  Result<std::string_view> peek(std::size_t bytes) {
    while (head_.size() < bytes) {
      char buffer[16];
      auto got = rest_->read(buffer, std::min(sizeof buffer, bytes - head_.size()));
      if (!got) return fail(std::move(got).error());
      if (*got == 0) break;
      head_.append(buffer, *got);
    }
    return std::string_view(head_);
  }

  Result<std::size_t> read(char* buffer, std::size_t bytes) override {
    if (given_ == head_.size()) return rest_->read(buffer, bytes);
    const std::size_t n = std::min(bytes, head_.size() - given_);
    std::memcpy(buffer, head_.data() + given_, n);
    given_ += n;
    return n;
  }

  Progress progress() const override { return rest_->progress(); }

 private:
  std::unique_ptr<ByteInput> rest_;
  std::string head_;
  std::size_t given_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteInput>> open_input(const std::string& path) {
  auto file = base::File::open_to_read(path);
  if (!file) return fail(std::move(file).error());
  return open_input(std::move(*file));
}

Result<std::unique_ptr<ByteInput>> open_input(base::File file) {
  const std::string name = file.name();
  const auto size = file.is_regular() ? file.size() : Result<std::uint64_t>(0);
  if (!size) return fail(size.error());
  auto raw = std::make_unique<PeekedInput>(std::make_unique<FileInput>(std::move(file), *size));
  const auto head = raw->peek(kPackingMagicBytes);
  if (!head) return fail(head.error());
  if (head->empty()) return input_error(fmt::format("{}: is empty; a trace was expected", name));
  const Packing packing = packing_of(*head);
  if (packing == Packing::none) return raw;

  auto unpacked = unpack(std::move(raw), packing, name);
  if (!unpacked) return unpacked;
  auto plain = std::make_unique<PeekedInput>(std::move(*unpacked));
  const auto first = plain->peek(1);
  if (!first) return fail(first.error());
  if (first->empty())
    return input_error(fmt::format("{}: is empty when unpacked; a trace was expected", name));
  return plain;
}

}  // namespace deadheat::trace
