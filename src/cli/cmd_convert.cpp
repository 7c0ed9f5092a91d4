#include "base/progress.h"
#include "cli/output.h"
#include "cli/trace_output.h"
#include "cli/verbs.h"

namespace deadheat::cli::cmd_convert {

namespace {

constexpr Flag kFlags[] = {
    kOutputFlag,
    kToFlag,
    kCompressFlag,
    {.name = "literal-threads", .help = "STD in: fork(151) means a thread called 151, never T151"},
    {.name = "skip-bad", .help = "STD in: leave out lines that cannot be read, and count them"},
    {.name = "lossy", .help = "text out: leave out what the text cannot express, and count it"},
    kAllowIncompleteFlag,
};

Status copy(Source& source, Sink& sink) {
  base::ProgressLine line("convert", "events");
  std::uint64_t events = 0;
  while (true) {
    const auto block = source.next();
    if (!block) return fail(block.error());
    if (*block == nullptr) {
      sink.declare(source.completeness());
      return sink.finish();
    }
    if (auto ok = sink.append(**block, source.names()); !ok) return ok;
    events += (*block)->size();
    const Progress progress = source.progress();
    line.update(events, progress.done_bytes, progress.total_bytes);
  }
}

Result<Exit> run(const Arguments& arguments) {
  const std::string& input = arguments.positional()[0];
  const auto output = arguments.required("output");
  if (!output) return fail(output.error());
  const auto plan = plan_trace("convert", *output, arguments, arguments.has("lossy"));
  if (!plan) return fail(plan.error());
  if (input != "-" && *output != "-" && base::is_same_file(input, *output)) {
    return usage_error(fmt::format("convert: {} is the input; give another name for the output", *output));
  }

  auto source = open_source(
      input, {.literal_threads = arguments.has("literal-threads"), .skip_bad = arguments.has("skip-bad")});
  if (!source) return fail(source.error());
  auto trace = TraceOutput::create(*plan);
  if (!trace) return fail(trace.error());
  auto written = plan->format == TraceFormat::dht ? Status{} : name_ahead(**source);
  if (written) written = copy(**source, trace->sink());
  say_warnings(output_name(*output), trace->losses());
  say_warnings(input_name(input), (*source)->warnings());
  if (!written) return fail(trace->renamed(written.error()));
  if (written = trace->commit(); !written) return fail(written.error());
  return kDone;
}

}  // namespace

constinit const Verb kVerb = {
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

}  // namespace deadheat::cli::cmd_convert
