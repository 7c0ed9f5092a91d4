#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/file.h"
#include "cli/compile.h"
#include "cli/output.h"
#include "cli/runtime_files.h"
#include "cli/verbs.h"
#include "record/shared_session.h"
#include "report/doctor_report.h"
#include "runtime/known_functions.h"
#include "symbol/linkage.h"

namespace deadheat::cli::cmd_doctor {

namespace {

namespace fs = std::filesystem;
using report::Finding;
using Level = Finding::Level;

constexpr Flag kFlags[] = {
    {.name = "format",
     .value = "FORMAT",
     .help = "how to show it",
     .initial = "text",
     .choices = "text|json"},
};

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

Finding kernel() {
  utsname about{};
  uname(&about);
  const bool is_ours = std::string_view(about.machine) == "x86_64";
  return {.level = is_ours ? Level::ok : Level::problem,
          .topic = "kernel",
          .text = fmt::format("{} {}, {}", about.sysname, about.release, about.machine),
          .advice = is_ours ? "" : "programs are recorded on x86-64 only"};
}

// Addresses may be anywhere: nothing of ours wants a place of its own.
Finding addresses() {
  const std::string bits = first_line("/proc/sys/vm/mmap_rnd_bits");
  return {.topic = "ASLR",
          .text = bits.empty() ? "not known; any is fine" : fmt::format("{} bits; any is fine", bits)};
}

Finding memory() {
  const auto session = record::SharedSession::create();
  if (session) return {.topic = "memory", .text = "shared with a program by memfd"};
  return {
      .level = Level::problem,
      .topic = "memory",
      .text = session.error().message,
      .advice = "allow memfd_create and 5 GB of address space (ulimit -v unlimited; the seccomp profile)"};
}

Finding seccomp() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("Seccomp:")) continue;
    const bool is_filtered = line.find('2') != std::string::npos;
    return {.topic = "seccomp",
            .text = is_filtered ? "a filter is in force; what recording needs was tried above" : "no filter"};
  }
  return {.topic = "seccomp", .text = "not known"};
}

Finding runtime(std::string& folder) {
  const auto found = runtime_folder();
  if (!found) {
    return {.level = Level::problem,
            .topic = "runtime",
            .text = found.error().message,
            .advice = "build or install all of deadheat"};
  }
  folder = *found;
  for (const char* name :
       {"libdeadheat_rt.a", "libtsan.a", "libclang_rt.tsan-x86_64.so", "exported.list", "shims/gcc"}) {
    std::error_code ignored;
    if (fs::exists(fs::path(folder) / name, ignored)) continue;
    return {.level = Level::problem,
            .topic = "runtime",
            .text = fmt::format("{}/{} is missing", folder, name),
            .advice = "build or install all of deadheat"};
  }
  return {.topic = "runtime", .text = folder};
}

std::string version_of(const std::string& compiler) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen((compiler + " --version 2>&1").c_str(), "r"),
                                                   pclose);
  std::array<char, 256> line{};
  if (pipe == nullptr || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return "does not run";
  std::string text = line.data();
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

void compilers(const std::string& runtime, std::vector<Finding>& out) {
  bool any = false;
  for (const char* name : {"gcc", "clang"}) {
    const std::string path = find_program(name, runtime.empty() ? "" : shims_folder(runtime));
    if (path.empty()) continue;
    any = true;
    const std::string version = version_of(path);
    out.push_back({.topic = name, .text = version});
    const std::string plugin = fmt::format("{}/deadheat_pass-{}.so", runtime, clang_version(version));
    std::error_code ignored;
    if (clang_version(version) == 0 || fs::exists(plugin, ignored)) continue;
    out.back().level = Level::note;
    out.back().advice = fmt::format(
        "there is no pass plugin for it: what it compiles is instrumented by clang's own pass, which leaves "
        "out reads. "
        "Install llvm-{}-dev and build deadheat again",
        clang_version(version));
  }
  if (any) return;
  out.push_back({.level = Level::note,
                 .topic = "compiler",
                 .text = "neither gcc nor clang is in PATH",
                 .advice = "needed by deadheat cc and env, not by record"});
}

std::vector<Finding> machine() {
  std::string folder;
  std::vector<Finding> out = {kernel(), addresses(), memory(), seccomp()};
  out.push_back({.topic = "glibc", .text = gnu_get_libc_version()});
  out.push_back(runtime(folder));
  compilers(folder, out);
  return out;
}

constexpr const char* kRebuild = "build it by 'deadheat cc', 'deadheat c++' or 'deadheat env -- make'";

Finding runtime_of(const symbol::Linkage& linkage) {
  const auto needs = [&](std::string_view start) {
    return std::ranges::any_of(linkage.needed, [&](const std::string& n) { return n.starts_with(start); });
  };
  if (linkage.has_our_runtime_inside) return {.topic = "runtime", .text = "ours, linked in"};
  if (linkage.has_runtime_inside) {
    return {.level = Level::problem,
            .topic = "runtime",
            .text = "the compiler's own is linked in, and cannot be replaced",
            .advice = fmt::format("link by deadheat, or with clang -shared-libsan: {}", kRebuild)};
  }
  if (needs("libtsan.so.2")) {
    return {.topic = "runtime", .text = "libtsan.so.2, shared: deadheat record runs it on ours"};
  }
  if (needs("libclang_rt.tsan")) {
    return {.topic = "runtime", .text = "clang's, shared: deadheat record runs it on ours"};
  }
  if (needs("libtsan.so")) {
    return {.level = Level::problem,
            .topic = "runtime",
            .text = "libtsan of another version than 2 (gcc 11 or later has it)",
            .advice = kRebuild};
  }
  return {.level = Level::note,
          .topic = "runtime",
          .text = "none: right for a shared object that a recorded program loads",
          .advice = fmt::format("a program needs one: {}", kRebuild)};
}

// What every program calls, and what the runtime calls where it is linked in.
std::vector<std::string> calls_of_runtime(const symbol::Linkage& linkage) {
  std::vector<std::string> names = {"__libc_start_main", "__cxa_finalize"};
  const auto folder = runtime_folder();
  if (!linkage.has_our_runtime_inside || !folder) return names;
  if (const auto runtime = symbol::linkage_of(*folder + "/libtsan.so.2")) {
    names.insert(names.end(), runtime->imports.begin(), runtime->imports.end());
  }
  return names;
}

// Calls whose accesses are not all recorded.
Finding opaque_calls(const symbol::Linkage& linkage) {
  constexpr std::size_t kMost = 20;
  const std::vector<std::string> others_calls = calls_of_runtime(linkage);
  std::vector<std::string_view> names;
  for (const std::string_view name : linkage.imports) {
    const bool is_of_runtime = name.starts_with("__tsan_") || name.starts_with("__deadheat_");
    if (is_of_runtime || runtime::known_function(name) != nullptr) continue;
    if (std::ranges::find(others_calls, name) == others_calls.end()) names.push_back(name);
  }
  if (names.empty())
    return {.topic = "opaque calls", .text = "none: what other objects do for it is recorded"};
  const std::size_t others = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - others);
  return {.level = Level::note,
          .topic = "opaque calls",
          .text = fmt::format("{}{}", fmt::join(names, " "),
                              others == 0 ? "" : fmt::format(" and {} more", others)),
          .advice =
              "their accesses are not all recorded: a gap each where clang and our pass compile the caller; "
              "elsewhere races are predicted at best"};
}

std::vector<Finding> binary(const symbol::Linkage& linkage) {
  std::vector<Finding> out;
  if (!linkage.is_x86_64) {
    out.push_back({.level = Level::problem,
                   .topic = "file",
                   .text = "not for x86-64",
                   .advice = "programs are recorded on x86-64 only"});
    return out;
  }
  out.push_back({.topic = "file", .text = "ELF, x86-64"});
  if (!linkage.is_dynamic) {
    out.push_back({.level = Level::problem,
                   .topic = "linking",
                   .text = "has no dynamic C library, whose functions the runtime watches",
                   .advice = "link it without -static"});
  }
  if (!linkage.is_instrumented) {
    out.push_back({.level = Level::problem,
                   .topic = "instrumented",
                   .text = "no: it does not call __tsan_*",
                   .advice = kRebuild});
  } else {
    out.push_back({.topic = "instrumented", .text = "yes"});
    out.push_back(runtime_of(linkage));
    out.push_back(opaque_calls(linkage));
  }
  if (linkage.has_symbols) {
    out.push_back({.topic = "symbols", .text = "yes"});
  } else {
    out.push_back({.level = Level::note,
                   .topic = "symbols",
                   .text = "stripped: functions and variables may have no names",
                   .advice = "link it without -s, or keep the file with its symbols"});
  }
  if (linkage.has_debug_info) {
    out.push_back({.topic = "lines", .text = "debug information is there"});
  } else {
    out.push_back({.level = Level::note,
                   .topic = "lines",
                   .text = "no debug information: reports have no files and lines",
                   .advice = "compile with -g"});
  }
  if (linkage.build_id.empty()) {
    out.push_back({.level = Level::note,
                   .topic = "build id",
                   .text = "none: a report cannot tell whether the file is still the one recorded",
                   .advice = "link with -Wl,--build-id"});
  } else {
    out.push_back({.topic = "build id", .text = linkage.build_id});
  }
  return out;
}

Result<Exit> run(const Arguments& arguments) {
  report::DoctorReport report{.machine = machine()};
  if (!arguments.positional().empty()) {
    report.binary = arguments.positional()[0];
    const auto linkage = symbol::linkage_of(report.binary);
    if (!linkage) {
      // Why it cannot be read, if that is so.
      if (const auto file = base::File::open_to_read(report.binary); !file) return fail(file.error());
      return input_error(fmt::format("{}: is no ELF file; give a program or a shared object", report.binary));
    }
    report.of_binary = binary(*linkage);
  }
  write_out(arguments.get("format") == "json" ? report::as_json(report) : report::as_text(report));
  return report.has_problem() ? kCouldNot : kDone;
}

}  // namespace

constinit const Verb kVerb = {
    .name = "doctor",
    .summary = "Tell whether programs can be recorded here, and this one",
    .usage = "[options] [BINARY]",
    .description =
        "Looks at the machine: kernel, memory to share, files of the runtime, compilers. And at a program or "
        "shared object: whether it is instrumented, which runtime it has, whether reports will have names "
        "and "
        "lines. Each line says ok, note or PROBLEM, and what to do. The exit code is 3 if there is a "
        "problem.\n\n"
        "--format json is for programs; its \"version\" changes when its meaning does.",
    .examples =
        "$ deadheat doctor\n"
        "can anything be recorded here?\n"
        "$ deadheat doctor ./server\n"
        "and this program?",
    .flags = kFlags,
    .most_positional = 1,
    .run = run,
};

}  // namespace deadheat::cli::cmd_doctor
