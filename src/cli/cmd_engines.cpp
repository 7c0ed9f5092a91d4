#include "base/terminal.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/writers.h"

namespace deadheat::cli::cmd_engines {

namespace {

constexpr Flag kFlags[] = {
    {.name = "format",
     .value = "FORMAT",
     .help = "how to show them",
     .initial = "text",
     .choices = "text|json|markdown"},
};

Result<Exit> run(const Arguments& arguments) {
  const std::string_view format = arguments.get("format");
  if (format == "json") {
    write_out(report::engines_as_json(engine::rows(), filter::rows()));
  } else if (format == "markdown") {
    write_out(report::engines_as_markdown(engine::rows(), filter::rows()));
  } else {
    write_out(report::engines_as_text(engine::rows(), filter::rows(), base::terminal_of_stdout()));
  }
  return kDone;
}

}  // namespace

constinit const Verb kVerb = {
    .name = "engines",
    .summary = "List the engines, filters and samplers, and what each promises",
    .usage = "[options]",
    .description =
        "Shows every engine that analyze can run: what it reports, how good the evidence is, how often it "
        "reads the trace, how its memory grows, what it promises, and its options. Then every filter and "
        "sampler that may stand before engines, and before which. --format json is for "
        "programs; its \"version\" changes when its meaning does. --format markdown is docs/engines.md.",
    .examples =
        "$ deadheat engines\n"
        "all of them\n"
        "$ deadheat analyze --engine fasttrack,djit run.dht\n"
        "two of them, in one pass over the trace",
    .flags = kFlags,
    .least_positional = 0,
    .most_positional = 0,
    .run = run,
};

}  // namespace deadheat::cli::cmd_engines
