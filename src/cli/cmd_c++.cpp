#include "cli/compile.h"
#include "cli/verbs.h"

namespace deadheat::cli::cmd_cxx {

namespace {
Result<Exit> run(const Arguments& arguments) { return compile(arguments, Language::cxx); }
}  // namespace

constinit const Verb kVerb = {
    .name = "c++",
    .summary = "The same for C++",
    .usage = "[options] ARGUMENTS OF THE COMPILER",
    .description =
        "As 'deadheat cc', with a C++ compiler: --compiler, else DEADHEAT_CXX, else CXX, else g++.",
    .examples =
        "$ deadheat c++ -O2 -std=c++20 -o app main.cpp\n"
        "by g++\n"
        "$ deadheat c++ --show --compiler clang++-19 -o app main.cpp\n"
        "prints how the compiler would be called",
    .flags = kCompileFlags,
    .least_positional = 1,
    .flags_end = FlagsEnd::at_first_unknown,
    .run = run,
};

}  // namespace deadheat::cli::cmd_cxx
