#include "cli/trace_output.h"

#include <fmt/format.h>
#include <unistd.h>

namespace deadheat::cli {

namespace {

Result<TraceFormat> format_of(std::string_view verb, std::string_view name, const Arguments& arguments) {
  if (arguments.has("to")) {
    const std::string_view to = arguments.get("to");
    return to == "dht" ? TraceFormat::dht : to == "std" ? TraceFormat::std : TraceFormat::text;
  }
  std::string_view bare = name;
  if (bare.ends_with(".dht")) return TraceFormat::dht;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (bare.ends_with(packed)) bare.remove_suffix(packed.size());
  }
  if (bare.ends_with(".std")) return TraceFormat::std;
  if (bare.ends_with(".txt") || bare.ends_with(".text")) return TraceFormat::text;
  return usage_error(fmt::format(
      "{}: the name '{}' does not say what to write; add --to dht, --to std or --to text", verb, name));
}

Result<std::unique_ptr<Sink>> open_sink(const std::string& path, TraceFormat format, int zstd_level) {
  if (format == TraceFormat::dht) {
    auto writer = TraceWriter::create(path, {.zstd_level = zstd_level});
    if (!writer) return fail(std::move(writer).error());
    return std::move(*writer);
  }
  auto writer = trace::TextWriter::create(path, {.extended = format == TraceFormat::text});
  if (!writer) return fail(std::move(writer).error());
  return std::move(*writer);
}

}  // namespace

Status name_ahead(Source& source) {
  auto* const file = dynamic_cast<TraceReader*>(&source);
  return file == nullptr ? Status{} : file->load_names();
}

Result<TraceOutput> TraceOutput::create(std::string_view verb, const std::string& target,
                                        const Arguments& arguments) {
  const auto format = format_of(verb, target, arguments);
  if (!format) return fail(format.error());
  int level = 0;
  if (arguments.has("compress")) {
    if (*format != TraceFormat::dht) {
      return usage_error(
          fmt::format("{}: --compress is for .dht; text is compressed if FILE ends in .gz or .zst", verb));
    }
    const auto asked = arguments.number("compress", 1, 19);
    if (!asked) return fail(asked.error());
    level = static_cast<int>(*asked);
  }
  if (*format == TraceFormat::dht && target == "-" && isatty(STDOUT_FILENO) != 0) {
    return usage_error(fmt::format("{}: a .dht is not for the terminal; give -o FILE, or --to text", verb));
  }
  auto file = base::PartialFile::create(target);
  if (!file) return fail(file.error());
  auto sink = open_sink(file->path(), *format, level);
  if (!sink) return fail(file->renamed(std::move(sink).error()));
  return TraceOutput(std::move(*file), std::move(*sink));
}

}  // namespace deadheat::cli
