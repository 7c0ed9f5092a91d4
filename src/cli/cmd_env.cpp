#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "cli/compile.h"
#include "cli/output.h"
#include "cli/runtime_files.h"
#include "cli/verbs.h"
#include "record/child.h"

namespace deadheat::cli::cmd_env {

namespace {

// What the user has in DEADHEAT_CC or CC; nothing if that is a shim of an outer `deadheat env`.
std::string given_in(const std::string& variable, const std::string& shims) {
  const char* given = std::getenv(("DEADHEAT_" + variable).c_str());
  if (given == nullptr || *given == 0) given = std::getenv(variable.c_str());
  if (given == nullptr || std::string_view(given).starts_with(shims)) return "";
  return given;
}

// The user's compiler stays the compiler; else it is that of the system.
std::string compiler_for(std::string_view verb, const std::string& given, const std::string& usual,
                         const std::string& shims) {
  // Builds take CC apart at blanks. Where our own paths have some, it is the shim in PATH, by its name.
  if ((shims + own_path()).find_first_of(" \t") != std::string::npos) return usual;
  return given.empty() ? shims + "/" + usual : fmt::format("{} {} --compiler {}", own_path(), verb, given);
}

Result<Exit> run(const Arguments& arguments) {
  const auto runtime = runtime_folder();
  if (!runtime) return fail(runtime.error());
  const std::string shims = shims_folder(*runtime);
  std::error_code ignored;
  if (!std::filesystem::exists(shims, ignored)) {
    return io_error(fmt::format("{}: is missing; build or install deadheat again", shims));
  }
  const char* const path = std::getenv("PATH");
  const bool no_path = path == nullptr || *path == 0;  // an empty one would mean the current folder
  const std::string cc = given_in("CC", shims), cxx = given_in("CXX", shims);
  record::Launch launch;
  launch.words.assign(arguments.positional().begin(), arguments.positional().end());
  launch.environment = {
      {"PATH", fmt::format("{}:{}", shims, no_path ? "/usr/bin:/bin" : path)},
      {"CC", compiler_for("cc", cc, "cc", shims)},
      {"CXX", compiler_for("c++", cxx, "c++", shims)},
      {"DEADHEAT_PROGRAM", own_path()},
      {"DEADHEAT_CC", cc},  // for the shims
      {"DEADHEAT_CXX", cxx},
      {"DEADHEAT_RUNTIME_DIR", *runtime},
  };
  const auto status = record::run(launch);
  if (!status) return fail(status.error());
  record::die_alike(*status);
  return static_cast<Exit>(record::exit_code_of(*status));
}

}  // namespace

constinit const Verb kVerb = {
    .name = "env",
    .summary = "Run a build whose compilers make programs that can be recorded",
    .usage = "[--] COMMAND [ARGUMENTS]",
    .description =
        "Runs a command, make or a script, with CC and CXX set and gcc, g++, cc, c++, clang and clang++ in "
        "PATH "
        "replaced by ones that work as 'deadheat cc' and 'deadheat c++' do. A build that takes its compiler "
        "from "
        "there needs no change; one that calls a compiler by its full path must be told.\n\n"
        "Objects that were built before are not built again: start from a clean tree. A folder of CMake's "
        "remembers its compiler, so configure by 'deadheat env' too.",
    .examples =
        "$ deadheat env -- make -j8\n"
        "an instrumented build\n"
        "$ deadheat env -- sh -c './configure && make'\n"
        "with its configuration\n"
        "$ deadheat env -- cmake -B instrumented . && deadheat env -- cmake --build instrumented\n"
        "the same by CMake",
    .least_positional = 1,
    .flags_end = FlagsEnd::at_first_argument,
    .run = run,
};

}  // namespace deadheat::cli::cmd_env
