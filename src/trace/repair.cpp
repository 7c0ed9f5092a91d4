// repair: the whole blocks of a damaged or unfinished .dht, written again with a footer.
#include "base/file.h"
#include "deadheat/trace.h"
#include "trace/event_stream.h"

namespace deadheat {

using namespace trace;

Result<RepairReport> repair(const std::string& from, const std::string& to) {
  auto file = base::File::open_to_read(from);
  if (!file) return fail(file.error());
  const auto size = file->size();
  if (!size) return fail(size.error());
  EventStream stream([&](char* buffer, std::size_t bytes) { return file->read_some(buffer, bytes); },
                     file->name());
  if (auto ok = stream.read_file_header(); !ok) return fail(ok.error());
  auto writer = TraceWriter::create(to);
  if (!writer) return fail(writer.error());
  RepairReport report;
  std::uint64_t good_bytes = stream.offset();
  while (true) {
    const auto block = stream.next();
    if (!block) {
      // What cannot be read ends the trace here: a block left out in the middle would make another trace of
      // it.
      if (block.error().kind == Error::Kind::io) return fail(block.error());
      break;
    }
    if (*block == nullptr) break;
    if (auto ok = (*writer)->append(**block, stream.names()); !ok) return fail(ok.error());
    report.events += (*block)->size();
    good_bytes = stream.offset();
  }
  report.was_complete = stream.finished();
  report.bytes_dropped = report.was_complete || *size < good_bytes ? 0 : *size - good_bytes;
  if (auto ok = (*writer)->finish(); !ok) return fail(ok.error());
  return report;
}

}  // namespace deadheat
