// How a compiler is called so that what it makes can be recorded.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"
#include "deadheat/result.h"

namespace deadheat::cli {

enum class Language : std::uint8_t { c, cxx };
enum class CompilerKind : std::uint8_t { gcc, clang };
enum class RuntimeLink : std::uint8_t { static_archive, shared_object };

// What a command line of a compiler does.
struct Job {
  bool links = false;            // makes a program or a shared object
  bool is_shared = false;        // of these, the latter
  bool is_fully_static = false;  // without the dynamic C library
};
Job job_of(std::span<const std::string> words);

struct Compiler {
  CompilerKind kind;
  std::string plugin;  // our pass for this version of clang; empty: there is none
};

// The words for the compiler: the user's, and around them what instruments and links our runtime.
std::vector<std::string> instrumented(std::span<const std::string> words, const Compiler& compiler,
                                      RuntimeLink link, const std::string& runtime);

// 19 of "Debian clang version 19.1.7"; 0: there is no such number.
unsigned clang_version(std::string_view line);

// The verbs `cc` and `c++`: finds the compiler and becomes it.
Result<Exit> compile(const Arguments& arguments, Language language);

inline constexpr Flag kCompileFlags[] = {
    {.name = "compiler", .value = "NAME", .help = "which compiler, gcc or clang of any version"},
    {.name = "shared-runtime",
     .help = "link the shared runtime, for which the library path is asked when the program starts"},
    {.name = "show", .help = "print the command instead of running it"},
};

// The folder with programs called gcc, clang++... that instrument.
std::string shims_folder(const std::string& runtime);
// The program of this name in PATH that is not one of the shims; empty: there is none.
std::string find_program(std::string_view name, const std::string& without_folder);

}  // namespace deadheat::cli
