#include "base/format.h"
#include "base/progress.h"
#include "cli/output.h"
#include "cli/trace_output.h"
#include "cli/verbs.h"
#include "generate/generate.h"
#include "trace/byte_output.h"

namespace deadheat::cli::cmd_generate {

namespace {

using generate::ForkTree;
using generate::Parameters;
using generate::PlantedRace;

constexpr Flag kFlags[] = {
    kOutputFlag,
    kToFlag,
    kCompressFlag,
    {.name = "events", .letter = 'n', .value = "N", .help = "exactly so many", .initial = "1e6"},
    {.name = "seed", .value = "N", .help = "other chances, same workload", .initial = "1"},
    {.name = "threads", .value = "N", .help = "in all (8; many-threads: 1000)"},
    {.name = "live",
     .value = "N",
     .help = "many-threads: alive at the same time, besides T0",
     .initial = "50"},
    {.name = "locks", .value = "N", .help = "locks that guard the shared variables", .initial = "32"},
    {.name = "variables", .value = "N", .help = "variables that threads share", .initial = "2000"},
    {.name = "local", .value = "N", .help = "variables of each thread's own (200; many-threads: 20)"},
    {.name = "sites", .value = "N", .help = "places in the program that read and write", .initial = "1000"},
    {.name = "access-share", .value = "P", .help = "reads and writes among all events (0.79; barrier: 0.98)"},
    {.name = "read-share", .value = "P", .help = "reads among them", .initial = "0.7"},
    {.name = "nesting", .value = "N", .help = "most locks a thread holds", .initial = "2"},
    {.name = "run-length",
     .value = "N",
     .help = "events of one thread in a row, on average",
     .initial = "32"},
    {.name = "fork-tree",
     .value = "TREE",
     .help = "T0 forks all, each thread two, or nobody is forked",
     .initial = "flat",
     .choices = "flat|binary|none"},
    {.name = "sized", .help = "give accesses sizes and offsets (mixed always does)"},
    {.name = "races",
     .value = "N",
     .help = "plant so many races, and write the truth about them",
     .initial = "0"},
    {.name = "race-distance",
     .value = "N",
     .help = "events between the two accesses of a race, where possible",
     .initial = "1"},
    {.name = "truth", .value = "FILE", .help = "where to write the truth (FILE.truth.tsv)"},
};

// A number of a flag into a field, if the user gave one.
template <class Field>
Status take(const Arguments& arguments, std::string_view flag, std::uint64_t least, std::uint64_t most,
            Field& field) {
  if (!arguments.has(flag)) return {};
  const auto value = arguments.number(flag, least, most);
  if (!value) return fail(value.error());
  field = static_cast<Field>(*value);
  return {};
}
Status take_share(const Arguments& arguments, std::string_view flag, double most, double& field) {
  if (!arguments.has(flag)) return {};
  const auto value = arguments.real(flag, 0, most);
  if (!value) return fail(value.error());
  field = *value;
  return {};
}

Result<Parameters> parameters_of(const Arguments& arguments) {
  auto pattern = generate::Pattern::mutex;
  if (!arguments.positional().empty()) {
    const std::string& name = arguments.positional()[0];
    const auto found = generate::pattern_named(name);
    if (!found) {
      std::string known;
      for (std::size_t i = 0; i < generate::kPatterns; ++i) {
        known += fmt::format("{}{}", i == 0 ? "" : ", ", name_of(static_cast<generate::Pattern>(i)));
      }
      return usage_error(fmt::format("generate: unknown pattern '{}'; there are {}", name, known));
    }
    pattern = *found;
  }
  Parameters p = generate::defaults_of(pattern);
  constexpr std::uint64_t kAny = UINT64_MAX;
  for (const Status& taken : {take(arguments, "events", 0, generate::kMaxEvents, p.events),
                              take(arguments, "seed", 0, kAny, p.seed),
                              take(arguments, "threads", 1, generate::kMaxThreads, p.threads),
                              take(arguments, "live", 1, generate::kMaxThreads, p.live),
                              take(arguments, "locks", 1, generate::kMaxLocks, p.locks),
                              take(arguments, "variables", 1, generate::kMaxVariables, p.shared),
                              take(arguments, "local", 1, generate::kMaxVariables, p.local),
                              take(arguments, "sites", 1, generate::kMaxSites, p.sites),
                              take(arguments, "nesting", 1, generate::kMaxNesting, p.nesting),
                              take(arguments, "run-length", 1, generate::kMaxRunLength, p.run_length),
                              take(arguments, "races", 0, generate::kMaxVariables, p.races),
                              take(arguments, "race-distance", 0, kAny / 2, p.race_distance),
                              take_share(arguments, "access-share", 0.9999, p.access_share),
                              take_share(arguments, "read-share", 1, p.read_share)}) {
    if (!taken) return fail(taken.error());
  }
  const std::string_view tree = arguments.get("fork-tree");
  p.fork_tree = tree == "none" ? ForkTree::none : tree == "binary" ? ForkTree::binary : ForkTree::flat;
  p.sized |= arguments.has("sized");
  if (auto ok = validate(p); !ok) return fail(Error(ok.error()).in("generate"));
  return p;
}

// Shows how far it is.
class WatchedSink final : public Sink {
 public:
  WatchedSink(Sink& sink, std::uint64_t events) : sink_(sink), events_(events) {}
  Status append(const BlockView& block, const Names& names) override {
    line_.update(block.first + block.size(), block.first + block.size(), events_);
    return sink_.append(block, names);
  }
  void declare(const Completeness& completeness) override { sink_.declare(completeness); }
  Status finish() override { return sink_.finish(); }

 private:
  Sink& sink_;
  std::uint64_t events_;
  base::ProgressLine line_{"generate", "events"};
};

// The truth about planted races, a line each. The first error is kept.
class TruthFile {
 public:
  static Result<TruthFile> create(const std::string& path) {
    auto file = base::PartialFile::create(path);
    if (!file) return fail(file.error());
    auto out = trace::open_output(file->path(), file->target());
    if (!out) return fail(file->renamed(out.error()));
    return TruthFile(std::move(*file), std::move(*out));
  }
  void add(const PlantedRace& race) {
    put(fmt::format("{}\t{}\tT{}\tT{}\tV{}\t{}-{}\t{}\t{}\tobserved\n", race.event1, race.event2,
                    index(race.thread1), index(race.thread2), index(race.variable), name_of(race.kind1),
                    name_of(race.kind2), index(race.site1), index(race.site2)));
  }
  Status commit() {
    if (status_) status_ = out_->finish();
    if (status_) return file_.commit();
    return fail(file_.renamed(status_.error()));
  }

 private:
  TruthFile(base::PartialFile file, std::unique_ptr<trace::ByteOutput> out)
      : file_(std::move(file)), out_(std::move(out)) {
    put("event1\tevent2\tthread1\tthread2\tvariable\tkind\tsite1\tsite2\tgrade\n");
  }
  void put(const std::string& line) {
    if (status_) status_ = out_->write(line);
  }

  base::PartialFile file_;
  std::unique_ptr<trace::ByteOutput> out_;
  Status status_;
};

Result<std::string> truth_path(const Arguments& arguments, const std::string& output, const Parameters& p) {
  if (p.races == 0) {
    if (!arguments.has("truth")) return "";
    return usage_error("generate: --truth is about planted races; add --races N");
  }
  if (output == "-" && !arguments.has("truth"))
    return usage_error("generate: say where the truth about the races goes: --truth FILE");
  std::string path = arguments.has("truth") ? std::string(arguments.get("truth")) : output + ".truth.tsv";
  if (path == "-" && output == "-")
    return usage_error("generate: the trace and its truth cannot both go to '-'");
  if (base::is_same_target(path, output))
    return usage_error(
        fmt::format("generate: {} cannot be the trace and its truth; give --truth another name", path));
  return path;
}

Result<Exit> run(const Arguments& arguments) {
  const auto output = arguments.required("output");
  if (!output) return fail(output.error());
  const auto parameters = parameters_of(arguments);
  if (!parameters) return fail(parameters.error());
  const auto truth_name = truth_path(arguments, *output, *parameters);
  if (!truth_name) return fail(truth_name.error());
  const auto plan = plan_trace("generate", *output, arguments);
  if (!plan) return fail(plan.error());
  auto trace = TraceOutput::create(*plan);
  if (!trace) return fail(trace.error());
  std::optional<TruthFile> truth;
  if (!truth_name->empty()) {
    auto made = TruthFile::create(*truth_name);
    if (!made) return fail(made.error());
    truth.emplace(std::move(*made));
  }

  WatchedSink sink(trace->sink(), parameters->events);
  const auto add = [&](const PlantedRace& race) { truth->add(race); };
  auto done = generate::generate(*parameters, sink, truth ? generate::Truth(add) : generate::Truth());
  if (!done) return fail(trace->renamed(done.error()));
  if (truth) done = truth->commit();
  if (done) done = trace->commit();
  if (!done) return fail(done.error());
  say(fmt::format(
      "{}: {} of {}, seed {}{}", output_name(*output), base::counted(parameters->events, "event"),
      name_of(parameters->pattern), parameters->seed,
      truth ? fmt::format("; {} planted, truth in {}", base::counted(parameters->races, "race"), *truth_name)
            : "; no races"));
  return kDone;
}

}  // namespace

constinit const Verb kVerb = {
    .name = "generate",
    .summary = "Make a synthetic trace, race-free or with known races",
    .usage = "[options] [PATTERN] -o FILE",
    .description =
        "Simulates threads that run small programs and writes what they do. The same options give the same "
        "trace. "
        "The trace is well formed and has exactly as many events as asked for; apart from the races that "
        "--races "
        "plants, none of its accesses race. PATTERN is one of\n\n"
        "  mutex              critical sections (the default)\n"
        "  rwlock             the same, with reader-writer locks\n"
        "  producer-consumer  messages through bounded queues\n"
        "  barrier            phases between barriers\n"
        "  atomics            flags, fences and counters\n"
        "  many-threads       waves of short-lived threads\n"
        "  mixed              every kind of event\n\n"
        "Planted races are pairs of accesses to a variable of their own; FILE.truth.tsv lists them. What "
        "FILE "
        "becomes is told by its name, or by --to: .dht, .std, .txt, text also compressed as .gz or .zst. "
        "docs/generate.md says more.",
    .examples =
        "$ deadheat generate -o load.dht --events 1e8\n"
        "a hundred million events of mutual exclusion\n"
        "$ deadheat generate barrier -o b.std.gz --threads 16 --seed 7\n"
        "as compressed text\n"
        "$ deadheat generate mixed -o racy.dht --races 20 --race-distance 1000\n"
        "with 20 races, listed in racy.dht.truth.tsv",
    .flags = kFlags,
    .least_positional = 0,
    .most_positional = 1,
    .run = run,
};

}  // namespace deadheat::cli::cmd_generate
