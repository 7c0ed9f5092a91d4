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

// What the user has in DEADHEAT_CC or CC stays the compiler; else that of the system.
std::string compiler_for(const std::string& variable, std::string_view verb, const std::string& usual,
                         const std::string& shims) {
  const char* given = std::getenv(("DEADHEAT_" + variable).c_str());
  if (given == nullptr || *given == 0) given = std::getenv(variable.c_str());
  if (given == nullptr || *given == 0) return shims + "/" + usual;
  if (std::string_view(given).starts_with(shims)) return given;
  return fmt::format("{} {} --compiler {}", own_path(), verb, given);
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
  record::Launch launch;
  launch.words.assign(arguments.positional().begin(), arguments.positional().end());
  launch.environment = {
      {"PATH", fmt::format("{}:{}", shims, path == nullptr ? "/usr/bin:/bin" : path)},
      {"CC", compiler_for("CC", "cc", "cc", shims)},
      {"CXX", compiler_for("CXX", "c++", "c++", shims)},
      {"DEADHEAT_PROGRAM", own_path()},
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
