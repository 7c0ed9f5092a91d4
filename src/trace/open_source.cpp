// open_source: finds out what a file is by its first bytes.
#include "base/file.h"
#include "deadheat/trace.h"
#include "trace/byte_input.h"
#include "trace/event_stream.h"
#include "trace/format.h"
#include "trace/import/std_reader.h"

namespace deadheat {

using namespace trace;

namespace {

// True for an uncompressed .dht in a regular file, which can be sought in.
Result<bool> is_dht_file(const base::File& file) {
  if (!file.is_regular()) return false;
  std::string head(kFileMagic.size(), '\0');
  const auto got = file.read_at(0, head.data(), head.size());
  if (!got) return fail(got.error());
  return head == kFileMagic;
}

}  // namespace

Result<std::unique_ptr<Source>> open_source(const std::string& path, const ReadOptions& options) {
  // Opened once: a pipe that is opened and closed again has lost its writer.
  auto file = base::File::open_to_read(path);
  if (!file) return fail(file.error());
  const std::string name = file->name();
  const auto dht = path == "-" ? Result<bool>(false) : is_dht_file(*file);
  if (!dht) return fail(dht.error());
  if (*dht) return TraceReader::open(path);

  auto input = open_input(std::move(*file));
  if (!input) return fail(input.error());
  std::string head(kFileMagic.size(), '\0');
  std::size_t have = 0;
  while (have < head.size()) {
    const auto got = (*input)->read(head.data() + have, head.size() - have);
    if (!got) return fail(got.error());
    if (*got == 0) break;
    have += *got;
  }
  head.resize(have);
  // Also a magic that was damaged after its first four bytes: the .dht reader says what happened to it.
  if (head.substr(0, 4) == kFileMagic.substr(0, 4))
    return open_dht_stream(std::move(*input), name, std::move(head));
  return open_std(std::move(*input), name, std::move(head), options);
}

}  // namespace deadheat
