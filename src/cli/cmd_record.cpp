#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/format.h"
#include "base/progress.h"
#include "cli/compile.h"
#include "cli/output.h"
#include "cli/runtime_files.h"
#include "cli/trace_output.h"
#include "cli/verbs.h"
#include "record/recorder.h"
#include "report/pattern.h"
#include "symbol/linkage.h"
#include "symbol/symbolizer.h"

namespace deadheat::cli::cmd_record {

namespace {

constexpr Flag kFlags[] = {
    {.name = "output", .letter = 'o', .value = "FILE", .help = "where to write (PROGRAM.dht)"},
    {.name = "memory",
     .value = "SIZE",
     .help = "for what was not written yet; the program waits when it is full",
     .initial = "48Mi"},
    {.name = "rate", .value = "P", .help = "keep this share of the accesses, by chance (0 to 1)"},
    {.name = "after", .value = "SECONDS", .help = "keep no accesses before"},
    {.name = "for", .value = "SECONDS", .help = "keep accesses for so long only"},
    {.name = "paused", .help = "keep no accesses until SIGUSR1"},
    {.name = "only",
     .value = "PATTERN",
     .help = "keep accesses of modules or source files that match (* for anything, ^ and $ for the ends)",
     .repeatable = true},
    {.name = "ignore", .value = "PATTERN", .help = "keep no accesses of such code", .repeatable = true},
    {.name = "max-size", .value = "SIZE", .help = "go on in FILE.1, FILE.2... when a file is so large"},
    {.name = "keep", .value = "N", .help = "with --max-size: keep the last N files only"},
    {.name = "force", .help = "overwrite FILE, and with --max-size FILE.1, FILE.2 and so on"},
    {.name = "mode",
     .value = "OCTAL",
     .help = "permissions of new files, less the umask; traces hold addresses and paths",
     .initial = "600"},
};

Result<std::chrono::nanoseconds> seconds(const Arguments& arguments, std::string_view flag) {
  constexpr double kMost = 1e9;
  const auto value = arguments.real(flag, 0, kMost);
  if (!value) return fail(value.error());
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(*value));
}

// By the names of the module, and of the source files of what was inlined at the address.
class ScopeByName {
 public:
  ScopeByName(std::span<const std::string> only, std::span<const std::string> ignore) {
    for (const std::string& text : only) only_.emplace_back(text);
    for (const std::string& text : ignore) ignore_.emplace_back(text);
  }
  bool operator()(std::string_view module, std::string_view build_id, std::uint64_t address) {
    const auto matches = [&](const report::Pattern& pattern) {
      if (pattern.matches(module)) return true;
      return std::ranges::any_of(symbols_->frames({module, build_id}, address - 1),
                                 [&](const symbol::CodeFrame& f) { return pattern.matches(f.file); });
    };
    return (only_.empty() || std::ranges::any_of(only_, matches)) && std::ranges::none_of(ignore_, matches);
  }

 private:
  std::vector<report::Pattern> only_, ignore_;
  std::shared_ptr<symbol::Symbolizer> symbols_ = std::make_shared<symbol::Symbolizer>();
};

Result<unsigned> mode_of(std::string_view text) {
  unsigned mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (error == std::errc{} && end == text.data() + text.size() && mode <= 0777 && (mode & 0600) == 0600) {
    return mode;
  }
  return usage_error(fmt::format(
      "record: --mode: '{}' is no octal number like 600 or 644 that lets the owner read and write", text));
}

Result<record::RecordOptions> options_of(const Arguments& arguments) {
  constexpr std::uint64_t kLeastMemory = 1 << 20, kMostMemory = std::uint64_t{4} << 30;
  constexpr std::uint64_t kLeastFile = 1 << 16;
  record::RecordOptions out;
  out.path = arguments.has("output")
                 ? std::string(arguments.get("output"))
                 : std::filesystem::path(arguments.positional()[0]).filename().string() + ".dht";
  if (out.path == "-") return usage_error("record: standard output is the program's; give -o FILE");
  if (auto ok = refuse_packed_name("record", out.path); !ok) return fail(ok.error());
  const auto memory = arguments.number("memory", kLeastMemory, kMostMemory);
  if (!memory) return fail(memory.error());
  out.memory_bytes = *memory;
  if (arguments.has("rate")) {
    const auto rate = arguments.real("rate", 0, 1);
    if (!rate) return fail(rate.error());
    out.rate = *rate;
  }
  if (arguments.has("after")) {
    const auto after = seconds(arguments, "after");
    if (!after) return fail(after.error());
    out.after = *after;
  }
  if (arguments.has("for")) {
    const auto duration = seconds(arguments, "for");
    if (!duration) return fail(duration.error());
    out.duration = *duration;
  }
  if (arguments.has("only") || arguments.has("ignore")) {
    out.scope = ScopeByName(arguments.all("only"), arguments.all("ignore"));
  }
  out.is_paused = arguments.has("paused");
  out.replace = arguments.has("force");
  const auto mode = mode_of(arguments.get("mode"));
  if (!mode) return fail(mode.error());
  out.mode = *mode;
  if (arguments.has("max-size")) {
    const auto size = arguments.number("max-size", kLeastFile, UINT64_MAX);
    if (!size) return fail(size.error());
    out.max_bytes = *size;
  }
  if (arguments.has("keep")) {
    if (out.max_bytes == 0)
      return usage_error("record: --keep is for --max-size; there is one file without it");
    const auto keep = arguments.number("keep", 1, UINT64_MAX);
    if (!keep) return fail(keep.error());
    out.keep_files = *keep;
  }
  return out;
}

void summarise(const record::Recording& recording, const std::string& path) {
  const double per_event = recording.events == 0
                               ? 0
                               : static_cast<double>(recording.bytes) / static_cast<double>(recording.events);
  std::string files = path;
  if (recording.files > 1) {
    files = fmt::format("{} to {} ({})", record::file_name(path, recording.files_removed),
                        record::file_name(path, recording.files - 1),
                        base::counted(recording.files - recording.files_removed, "file"));
  }
  say(fmt::format("{}: {} of {}, {} ({:.2f} bytes an event)", files, base::counted(recording.events, "event"),
                  base::counted(recording.threads, "thread"), base::byte_count(recording.bytes), per_event));
  if (recording.files_removed > 0) {
    say(fmt::format("{}: {} removed, as --keep says", path,
                    base::counted(recording.files_removed, "earlier file")));
  }
  say_warnings(path, recording.warnings);
}

// In front of what the user has.
std::string library_path(const std::string& folder) {
  const char* const given = std::getenv("LD_LIBRARY_PATH");
  return given == nullptr || *given == 0 ? folder : fmt::format("{}:{}", folder, given);
}

// A program that has the runtime in it is left as it is. Of one that cannot be read, a script say, nothing is
// known.
bool has_runtime_inside(const std::string& program) {
  const auto linkage = symbol::linkage_of(find_program(program, ""));
  return linkage && linkage->has_our_runtime_inside;
}

Result<Exit> run(const Arguments& arguments) {
  auto options = options_of(arguments);
  if (!options) return fail(options.error());
  const auto runtime = runtime_folder();
  if (!runtime) return fail(runtime.error());

  record::Launch launch;
  launch.words.assign(arguments.positional().begin(), arguments.positional().end());
  if (!has_runtime_inside(launch.words[0])) {
    launch.environment.emplace_back("LD_LIBRARY_PATH", library_path(*runtime));
  }
  base::ProgressLine line("record", "events");
  options->progress = [&](std::uint64_t events) { line.update(events, 0, 0); };
  options->on_change = [&](bool are_kept) {
    line.clear();
    say(fmt::format("{}: accesses are {}", options->path, are_kept ? "kept from now on" : "no longer kept"));
  };
  const auto recording = record::record(std::move(launch), *options);
  line.clear();
  if (!recording) return fail(recording.error());
  if (!recording->is_attached) {
    const std::string& program = arguments.positional()[0];
    return io_error(
        fmt::format("{0}: ended with code {1}, and nothing was recorded: it is not built with "
                    "-fsanitize=thread, or has another runtime linked in; rebuild it by 'deadheat cc' or "
                    "'deadheat env -- make', and ask 'deadheat doctor {0}'",
                    program, record::exit_code_of(recording->status)));
  }
  summarise(*recording, options->path);
  if (!recording->is_status_known) {
    return io_error(
        fmt::format("{}: the system does not say how or whether it ended; the trace has what was "
                    "recorded until then",
                    arguments.positional()[0]));
  }
  record::die_alike(recording->status);
  return static_cast<Exit>(record::exit_code_of(recording->status));
}

}  // namespace

constinit const Verb kVerb = {
    .name = "record",
    .summary = "Run a program and write what its threads do into a trace",
    .usage = "[options] [--] PROGRAM [ARGUMENTS]",
    .description =
        "Runs a program that was built with -fsanitize=thread (by gcc, by clang -shared-libsan, or by "
        "'deadheat cc'), "
        "and writes its accesses to memory and its synchronisation into a .dht. The program has the standard "
        "input, output and error, and its exit code is passed on; if a signal kills it, so it does deadheat, "
        "when the trace is whole.\n\n"
        "All synchronisation is kept, always. Of accesses, --rate keeps a share; --after, --for and --paused "
        "say "
        "when. SIGUSR1, sent to deadheat, stops keeping them, or starts again, and deadheat says "
        "which.\n\n"
        "With --max-size a file that has become too large is finished, and the trace goes on in the next, "
        "which "
        "begins with the locks held then. Each file can be analysed by itself: races between accesses in one "
        "file "
        "are found, those between accesses in two files are not.\n\n"
        "A file that exists is overwritten only with --force, and only once the program is being recorded. "
        "Only regular files are written. --keep removes files of this run only.",
    .examples =
        "$ deadheat record -o run.dht -- ./server --port 8080\n"
        "records the server until it ends\n"
        "$ deadheat record --max-size 1Gi --keep 4 -- ./server\n"
        "keeps the last 3 to 4 GiB, in server.dht.5 to server.dht.8, say\n"
        "$ deadheat record --after 10 --for 5 --rate 0.1 -- ./server\n"
        "a tenth of the accesses, during 5 seconds",
    .flags = kFlags,
    .least_positional = 1,
    .flags_end = FlagsEnd::at_first_argument,
    .run = run,
};

}  // namespace deadheat::cli::cmd_record
