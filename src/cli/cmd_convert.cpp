#include <unistd.h>

#include "base/partial_file.h"
#include "base/progress.h"
#include "cli/output.h"
#include "cli/trace_output.h"
#include "cli/verbs.h"
#include "trace/text_writer.h"

namespace deadheat::cli {

namespace {

constexpr Flag kFlags[] = {
    {.name = "output", .letter = 'o', .value = "FILE", .help = "where to write; '-' is standard output"},
    {.name = "to",
     .value = "FORMAT",
     .help = "what to write, if the name of FILE does not say it",
     .choices = "dht|std|text"},
    {.name = "compress",
     .value = "LEVEL",
     .help = "compress the blocks of a .dht by zstd, level 1 to 19",
     .implied = "3"},
    {.name = "literal-threads", .help = "STD in: fork(151) means a thread called 151, never T151"},
    {.name = "skip-bad", .help = "STD in: leave out lines that cannot be read, and count them"},
    {.name = "lossy", .help = "text out: leave out what the text cannot express, and count it"},
};

enum class Format : std::uint8_t { dht, std, text };

Result<Format> format_of(const Arguments& arguments, std::string_view output) {
  std::string_view name = output;
  if (arguments.has("to")) {
    name = arguments.get("to");
    return name == "dht" ? Format::dht : name == "std" ? Format::std : Format::text;
  }
  if (name.ends_with(".dht")) return Format::dht;
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  if (name.ends_with(".std")) return Format::std;
  if (name.ends_with(".txt") || name.ends_with(".text")) return Format::text;
  return usage_error(fmt::format(
      "convert: the name '{}' does not say what to write; add --to dht, --to std or --to text", output));
}

// Flags that would have no effect are mistakes.
Status check_flags(const Arguments& arguments, Format format, const std::string& output) {
  if (arguments.has("compress") && format != Format::dht) {
    return usage_error("convert: --compress is for .dht; text is compressed if FILE ends in .gz or .zst");
  }
  if (arguments.has("lossy") && format == Format::dht) {
    return usage_error("convert: --lossy is for text; .dht loses nothing");
  }
  if (format == Format::dht && output == "-" && isatty(STDOUT_FILENO) != 0) {
    return usage_error("convert: a .dht is not for the terminal; give -o FILE, or --to text");
  }
  const std::string& input = arguments.positional()[0];
  if (input != "-" && output != "-" && base::is_same_file(input, output)) {
    return usage_error(fmt::format("convert: {} is the input; give another name for the output", output));
  }
  return {};
}

Status copy(Source& source, Sink& sink) {
  base::ProgressLine line("convert", "events");
  std::uint64_t events = 0;
  while (true) {
    const auto block = source.next();
    if (!block) return fail(block.error());
    if (*block == nullptr) return sink.finish();
    if (auto ok = sink.append(**block, source.names()); !ok) return ok;
    events += (*block)->size();
    const Progress progress = source.progress();
    line.update(events, progress.done_bytes, progress.total_bytes);
  }
}

Status write_dht(Source& source, const std::string& path, const Arguments& arguments) {
  WriteOptions options;
  if (arguments.has("compress")) {
    const auto level = arguments.number("compress", 1, 19);
    if (!level) return fail(level.error());
    options.zstd_level = static_cast<int>(*level);
  }
  auto writer = TraceWriter::create(path, options);
  if (!writer) return fail(writer.error());
  return copy(source, **writer);
}

Status write_text(Source& source, const std::string& path, const TextOptions& options) {
  auto writer = trace::TextWriter::create(path, options);
  if (!writer) return fail(writer.error());
  if (auto named = name_ahead(source); !named) return named;
  auto copied = copy(source, **writer);
  say_warnings((*writer)->losses());
  return copied;
}

Result<Exit> run(const Arguments& arguments) {
  const auto output = arguments.required("output");
  if (!output) return fail(output.error());
  const auto format = format_of(arguments, *output);
  if (!format) return fail(format.error());
  if (auto ok = check_flags(arguments, *format, *output); !ok) return fail(ok.error());

  auto source = open_source(arguments.positional()[0], {.literal_threads = arguments.has("literal-threads"),
                                                        .skip_bad = arguments.has("skip-bad")});
  if (!source) return fail(source.error());
  auto file = base::PartialFile::create(*output);
  if (!file) return fail(file.error());
  auto written = *format == Format::dht
                     ? write_dht(**source, file->path(), arguments)
                     : write_text(**source, file->path(),
                                  {.extended = *format == Format::text, .lossy = arguments.has("lossy")});
  say_warnings((*source)->warnings());
  if (written) written = file->commit();
  if (!written) return fail(file->renamed(written.error()));
  return kDone;
}

}  // namespace

constinit const Verb kConvert = {
    .name = "convert",
    .summary = "Convert a trace between .dht and text",
    .usage = "[options] TRACE -o FILE",
    .description =
        "Reads a trace in any format and writes it in another. What TRACE is, is seen by its first bytes: "
        ".dht or "
        "STD text, either of them also compressed by gzip or zstd; '-' is standard input.\n\n"
        "What FILE becomes is told by its name, or by --to:\n\n"
        "  .dht                    the binary format: small, fast, with an index\n"
        "  .std  .std.gz .std.zst  STD text, as other race detectors read it\n"
        "  .txt  .txt.gz .txt.zst  STD text extended to all events and attributes\n\n"
        "STD cannot express everything, and no text has call stacks: what the text cannot express is an "
        "error, or "
        "with --lossy left out and counted. "
        "FILE "
        "appears under its name only when it is whole; '-', pipes and devices are written as it goes.",
    .examples =
        "$ deadheat convert run.std.gz -o run.dht\n"
        "the text as a .dht, to be analysed often\n"
        "$ deadheat convert run.dht --to text -o - | less\n"
        "reads every event of it\n"
        "$ deadheat convert run.dht --compress=9 -o small.dht\n"
        "the same trace in fewer bytes",
    .flags = kFlags,
    .least_positional = 1,
    .most_positional = 1,
    .run = run,
};

}  // namespace deadheat::cli
