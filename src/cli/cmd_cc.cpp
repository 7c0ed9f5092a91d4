#include "cli/compile.h"
#include "cli/verbs.h"

namespace deadheat::cli::cmd_cc {

namespace {
Result<Exit> run(const Arguments& arguments) { return compile(arguments, Language::c); }
}  // namespace

constinit const Verb kVerb = {
    .name = "cc",
    .summary = "Compile and link C so that the program can be recorded",
    .usage = "[options] ARGUMENTS OF THE COMPILER",
    .description =
        "Runs a C compiler with -fsanitize=thread and -g added, and links our runtime in place of the "
        "compiler's "
        "own: into the program, for that is faster than a shared one. Shared objects (-shared) get none: the "
        "program "
        "that loads them has it. A program made this way runs by itself as before; under 'deadheat record' "
        "it "
        "is "
        "recorded.\n\n"
        "Clang 14 to 19 instruments by our own pass, if the plugin for its version is installed: the recording "
        "is then complete apart from the gaps in it, and races can be proved. With gcc, or without the plugin, "
        "they are predicted at best. 'deadheat doctor' says whether there is a plugin.\n\n"
        "The compiler is --compiler, else DEADHEAT_CC, else CC, else gcc. Our options come first; whatever "
        "follows "
        "is the compiler's.",
    .examples =
        "$ deadheat cc -O2 -o app main.c -lpthread\n"
        "by gcc\n"
        "$ deadheat cc --compiler clang-19 -O2 -c part.c\n"
        "by clang, without linking\n"
        "$ make CC='deadheat cc'\n"
        "a whole build; see also deadheat env",
    .flags = kCompileFlags,
    .least_positional = 1,
    .flags_end = FlagsEnd::at_first_unknown,
    .run = run,
};

}  // namespace deadheat::cli::cmd_cc
