#include "trace/byte_output.h"

#include <unistd.h>

#include <utility>

#include "base/file.h"
#include "base/shown.h"
#include "trace/pack.h"

namespace deadheat::trace {

namespace {

class FileOutput final : public ByteOutput {
 public:
  explicit FileOutput(base::File file) : file_(std::move(file)) {}
  Status write(std::string_view bytes) override { return file_.write_all(bytes.data(), bytes.size()); }
  Status finish() override { return file_.close(); }

 private:
  base::File file_;
};

// A terminal, which does what some bytes say: those of names are shown instead.
class TerminalOutput final : public ByteOutput {
 public:
  explicit TerminalOutput(base::File file) : file_(std::move(file)) {}
  Status write(std::string_view bytes) override {
    const std::string harmless = base::for_terminal(bytes);
    return file_.write_all(harmless.data(), harmless.size());
  }
  Status finish() override { return file_.close(); }

 private:
  base::File file_;
};

bool ends_with(std::string_view path, std::string_view suffix) {
  return path.size() > suffix.size() && path.ends_with(suffix);
}

Packing packing_for(std::string_view path) {
  if (ends_with(path, ".gz")) return Packing::gzip;
  if (ends_with(path, ".zst")) return Packing::zstd;
  return Packing::none;
}

}  // namespace

Result<std::unique_ptr<ByteOutput>> open_output(const std::string& path) { return open_output(path, path); }

Result<std::unique_ptr<ByteOutput>> open_output(const std::string& path, std::string_view packed_as) {
  auto file = base::File::create(path);
  if (!file) return fail(std::move(file).error());
  const std::string name = file->name();
  if (path == "-" && isatty(STDOUT_FILENO) != 0) return std::make_unique<TerminalOutput>(std::move(*file));
  return pack(std::make_unique<FileOutput>(std::move(*file)), packing_for(packed_as), name);
}

}  // namespace deadheat::trace
