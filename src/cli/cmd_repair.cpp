#include "base/format.h"
#include "base/partial_file.h"
#include "cli/output.h"
#include "cli/trace_output.h"
#include "cli/verbs.h"
#include "deadheat/trace.h"

namespace deadheat::cli::cmd_repair {

namespace {

constexpr Flag kFlags[] = {
    kOutputFlag,
};

std::string outcome_of(const RepairReport& report, const std::string& input) {
  const std::string kept = base::counted(report.events, "event");
  if (report.was_complete) return fmt::format("{} was whole, nothing to repair: {} copied", input, kept);
  return fmt::format("{}: {} kept, {} after the last whole block dropped", input, kept,
                     base::counted(report.bytes_dropped, "byte"));
}

Result<Exit> run(const Arguments& arguments) {
  const std::string& input = arguments.positional()[0];
  const auto output = arguments.required("output");
  if (!output) return fail(output.error());
  if (input != "-" && *output != "-" && base::is_same_file(input, *output)) {
    return usage_error(fmt::format("repair: {} is the input; give another name for the output", *output));
  }
  if (auto ok = refuse_packed_name("repair", *output); !ok) return fail(ok.error());
  auto file = base::PartialFile::create(*output);
  if (!file) return fail(file.error());
  const auto report = repair(input, file->path());
  if (!report) return fail(file->renamed(report.error()));
  if (auto ok = file->commit(); !ok) return fail(ok.error());
  say(outcome_of(*report, input_name(input)));
  return kDone;
}

}  // namespace

constinit const Verb kVerb = {
    .name = "repair",
    .summary = "Make a .dht whole whose writer was killed",
    .usage = "[options] TRACE -o FILE",
    .description =
        "A .dht whose writer was killed, or that was cut or damaged, has no footer that can be trusted. "
        "Every whole "
        "block before the damage is kept and written to FILE, with a new footer. How many events were kept, "
        "and how "
        "many bytes were not, is said on standard error.",
    .examples =
        "$ deadheat repair crashed.dht -o whole.dht\n"
        "keeps what was recorded up to the crash",
    .flags = kFlags,
    .least_positional = 1,
    .most_positional = 1,
    .run = run,
};

}  // namespace deadheat::cli::cmd_repair
