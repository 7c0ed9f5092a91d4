// repair: the whole blocks of a damaged or unfinished .dht, written again with a footer.
#include <vector>

#include "deadheat/trace.h"
#include "trace/byte_input.h"
#include "trace/event_stream.h"

namespace deadheat {

using namespace trace;

Result<RepairReport> repair(const std::string& from, const std::string& to) {
  auto input = open_input(from);
  if (!input) return fail(input.error());
  std::uint64_t bytes_read = 0;
  const auto read = [&](char* buffer, std::size_t bytes) {
    auto got = (*input)->read(buffer, bytes);
    if (got) bytes_read += *got;
    return got;
  };
  EventStream stream(read, from == "-" ? "standard input" : from);
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
  if (!report.was_complete) {
    // To the end, or to where a packed file is broken, to say how much is lost.
    std::vector<char> rest(std::size_t{1} << 16);
    for (auto got = read(rest.data(), rest.size()); got && *got > 0;) got = read(rest.data(), rest.size());
    report.bytes_dropped = bytes_read - good_bytes;
  }
  (*writer)->declare(stream.completeness());
  if (auto ok = (*writer)->finish(); !ok) return fail(ok.error());
  return report;
}

}  // namespace deadheat
