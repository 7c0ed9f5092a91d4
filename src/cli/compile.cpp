#include "cli/compile.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "cli/output.h"
#include "cli/runtime_files.h"

namespace deadheat::cli {

namespace {

namespace fs = std::filesystem;

// Options whose value is the next word, so that this is not taken for an input.
constexpr std::string_view kWithValue[] = {
    "-o",         "-I",
    "-L",         "-D",
    "-U",         "-x",
    "-include",   "-imacros",
    "-isystem",   "-iquote",
    "-idirafter", "-iprefix",
    "-isysroot",  "-T",
    "-Xlinker",   "-Xassembler",
    "-Xclang",    "-MF",
    "-MT",        "-MQ",
    "-z",         "-u",
    "-e",         "-l",
    "-B",         "-target",
    "--param",    "-Xpreprocessor",
    "--sysroot",  "-dumpdir",
    "-dumpbase",  "-aux-info",
    "-G",         "-A",
    "-mllvm",     "-framework",
    "-arch",      "-gcc-toolchain",
};
constexpr std::string_view kWithoutLink[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r"};

constexpr const char* kNotReplaced[] = {"memcpy",  "mempcpy", "memmove", "memset",  "memcmp",
                                        "memchr",  "strlen",  "strcmp",  "strncmp", "strcpy",
                                        "strncpy", "stpcpy",  "strcat",  "strchr"};

template <std::size_t N>
bool is_one_of(const std::string_view (&list)[N], std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// DEADHEAT_CC="ccache gcc" is two words.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

// make CC='deadheat cc' hands CC on to what it runs: that is this program again, not a compiler.
bool is_ourselves(const std::string& command) {
  const auto words = words_of(command);
  if (words.empty()) return false;
  std::error_code ignored;
  return fs::equivalent(find_program(words.front(), ""), own_path(), ignored);
}

std::string wanted_compiler(const Arguments& arguments, Language language) {
  if (arguments.has("compiler")) return std::string(arguments.get("compiler"));
  const bool is_c = language == Language::c;
  for (const char* name : {is_c ? "DEADHEAT_CC" : "DEADHEAT_CXX", is_c ? "CC" : "CXX"}) {
    if (std::string value = environment(name); !value.empty() && !is_ourselves(value)) return value;
  }
  return is_c ? "gcc" : "g++";
}

// gcc and clang would take C++ too, but link without its library.
void become_cxx(std::string& compiler) {
  const std::size_t at = compiler.rfind('/') + 1;
  for (const auto& [c, cxx] :
       {std::pair<std::string_view, std::string_view>{"gcc", "g++"}, {"clang", "clang++"}, {"cc", "c++"}}) {
    const std::string_view name = std::string_view(compiler).substr(at);
    if (name != c && !name.starts_with(std::string(c) + "-")) continue;
    compiler.replace(at, c.size(), cxx);
    return;
  }
}

std::string first_line_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 512> line{};
  if (pipe == nullptr || std::fgets(line.data(), line.size(), pipe.get()) == nullptr) return "";
  return line.data();
}

std::string shell_word(std::string_view word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// By the name behind links, else by what it says of itself.
CompilerKind kind_of(const std::string& path) {
  std::error_code ignored;
  const std::string real = fs::canonical(path, ignored).filename().string();
  if (real.find("clang") != std::string::npos) return CompilerKind::clang;
  if (real.find("gcc") != std::string::npos || real.find("g++") != std::string::npos)
    return CompilerKind::gcc;
  const bool says_clang =
      first_line_of(shell_word(path) + " --version 2>/dev/null").find("clang") != std::string::npos;
  return says_clang ? CompilerKind::clang : CompilerKind::gcc;
}

Compiler compiler_at(const std::string& path, const std::string& runtime) {
  Compiler compiler{.kind = kind_of(path), .plugin = ""};
  if (compiler.kind == CompilerKind::gcc) return compiler;
  const unsigned version = clang_version(first_line_of(shell_word(path) + " --version 2>/dev/null"));
  const std::string plugin = fmt::format("{}/deadheat_pass-{}.so", runtime, version);
  if (is_file(plugin)) compiler.plugin = plugin;
  return compiler;
}

// What makes the recording as complete as this compiler can: see docs/recording.md.
void add_instrumentation(std::vector<std::string>& out, const Compiler& compiler,
                         const std::string& runtime) {
  out.insert(out.end(), {"-g", "-fsanitize=thread"});
  if (compiler.kind == CompilerKind::clang) {
    // Not used by every job, which is no reason to warn.
    out.emplace_back("--start-no-unused-arguments");
    if (compiler.plugin.empty()) {
      out.insert(out.end(), {"-mllvm", "-tsan-instrument-read-before-write=1"});
    } else {
      out.push_back("-fpass-plugin=" + compiler.plugin);
    }
  }
  if (compiler.kind == CompilerKind::gcc) {
    // gcc warns that its own runtime does not know fences; ours does.
    out.emplace_back("-Wno-tsan");
    // Calls that gcc would replace by instructions after it has added its own.
    for (const char* const name : kNotReplaced) out.push_back(fmt::format("-fno-builtin-{}", name));
  }
  // A header of the C++ library, changed so that its templates are instrumented with the program.
  out.insert(out.end(), {"-isystem", runtime + "/headers"});
  if (compiler.kind == CompilerKind::clang) out.emplace_back("--end-no-unused-arguments");
}

void add_runtime(std::vector<std::string>& out, CompilerKind kind, RuntimeLink link,
                 const std::string& runtime) {
  const bool is_static = link == RuntimeLink::static_archive;
  // What the runtime defines can be used by objects that are loaded later.
  if (is_static) out.push_back(fmt::format("-Wl,--dynamic-list={}/exported.list", runtime));
  if (kind == CompilerKind::gcc) {
    // gcc asks for "-ltsan": the first folder that has one is ours.
    out.push_back("-L" + runtime);
    if (is_static) out.emplace_back("-static-libtsan");
    return;
  }
  out.emplace_back("-fno-sanitize-link-runtime");
  if (is_static) {
    for (const std::string& word : {std::string("-Wl,--whole-archive"), runtime + "/libdeadheat_rt.a",
                                    std::string("-Wl,--no-whole-archive")}) {
      out.push_back(word);
    }
  } else {
    out.push_back(runtime + "/libclang_rt.tsan-x86_64.so");
  }
  for (const char* library : {"-ldl", "-lpthread", "-lrt", "-lm"}) out.emplace_back(library);
}

}  // namespace

namespace {

// The words of a response file, as gcc reads it: blanks separate, quotes and backslashes keep them.
std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  bool any = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      any = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      any = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (any) out.push_back(std::move(word));
      word.clear();
      any = false;
    } else {
      word += c;
      any = true;
    }
  }
  if (any) out.push_back(std::move(word));
  return out;
}

// What the compiler will see: @FILE stands for the words in it.
std::vector<std::string> with_response_files(std::span<const std::string> words, unsigned depth = 0) {
  constexpr unsigned kDeepest = 8;
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  std::vector<std::string> out;
  for (const std::string& word : words) {
    if (word.size() > 1 && word[0] == '@' && depth < kDeepest && is_file(word.substr(1))) {
      const auto file = base::File::open_to_read(word.substr(1));
      const auto text = file ? file->read_text(kMostBytes) : Result<std::string>(fail(file.error()));
      if (text) {
        for (std::string& inner : with_response_files(words_in(*text), depth + 1))
          out.push_back(std::move(inner));
        continue;
      }
    }
    out.push_back(word);
  }
  return out;
}

}  // namespace

Job job_of(std::span<const std::string> given) {
  const std::vector<std::string> words = with_response_files(given);
  Job job;
  bool has_input = false, stops_early = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (is_one_of(kWithoutLink, word)) stops_early = true;
    if (word == "-shared") job.is_shared = true;
    if (word == "-static" || word == "-static-pie") job.is_fully_static = true;
    if (is_one_of(kWithValue, word)) {
      ++i;
    } else if (!word.starts_with('-') || word == "-") {
      has_input = true;
    }
  }
  job.links = has_input && !stops_early;
  return job;
}

unsigned clang_version(std::string_view line) {
  constexpr std::string_view kBefore = "clang version ";
  const std::size_t at = line.find(kBefore);
  if (at == std::string_view::npos) return 0;
  unsigned version = 0;
  for (std::size_t i = at + kBefore.size(); i < line.size() && line[i] >= '0' && line[i] <= '9'; ++i) {
    version = version * 10 + static_cast<unsigned>(line[i] - '0');
  }
  return version;
}

std::vector<std::string> instrumented(std::span<const std::string> words, const Compiler& compiler,
                                      RuntimeLink link, const std::string& runtime) {
  const CompilerKind kind = compiler.kind;
  const Job job = job_of(words);
  // In front, so that -g0 or -fno-sanitize=thread of the user have the last word.
  std::vector<std::string> out;
  add_instrumentation(out, compiler, runtime);
  out.insert(out.end(), words.begin(), words.end());
  if (!job.links) return out;
  if (job.is_shared) {
    // The program brings the runtime; until then its functions are undefined, whatever -z defs says.
    if (kind == CompilerKind::gcc) out.emplace_back("-static-libtsan");
    out.emplace_back("-Wl,-z,undefs");
  } else {
    add_runtime(out, kind, link, runtime);
  }
  return out;
}

std::string shims_folder(const std::string& runtime) { return runtime + "/shims"; }

std::string find_program(std::string_view name, const std::string& without_folder) {
  if (name.find('/') != std::string_view::npos) return std::string(name);
  std::string path = environment("PATH");
  if (path.empty()) path = "/usr/bin:/bin";
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const fs::path folder = end == at ? "." : path.substr(at, end - at);
    at = end + 1;
    std::error_code ignored;
    if (!without_folder.empty() && fs::equivalent(folder, without_folder, ignored)) continue;
    const std::string found = (folder / name).string();
    if (is_file(found) && access(found.c_str(), X_OK) == 0) return found;
  }
  return "";
}

Result<Exit> compile(const Arguments& arguments, Language language) {
  const auto runtime = runtime_folder();
  if (!runtime) return fail(runtime.error());
  const std::string wanted = wanted_compiler(arguments, language);
  std::vector<std::string> command = words_of(wanted);
  if (command.empty()) return usage_error("cc: the name of the compiler is empty");
  if (language == Language::cxx) become_cxx(command.back());
  const std::string compiler = find_program(command.back(), shims_folder(*runtime));
  const std::string first = find_program(command.front(), shims_folder(*runtime));
  if (compiler.empty() || first.empty()) {
    return io_error(fmt::format("{}: no such compiler in PATH; name another by --compiler", wanted));
  }
  command.back() = compiler;
  command.front() = command.size() == 1 ? compiler : first;
  const Job job = job_of(arguments.positional());
  if (job.links && job.is_fully_static) {
    return io_error(
        "cc: -static: a program without the dynamic C library cannot be recorded; link it without");
  }
  const auto link =
      arguments.has("shared-runtime") ? RuntimeLink::shared_object : RuntimeLink::static_archive;
  for (std::string& word :
       instrumented(arguments.positional(), compiler_at(compiler, *runtime), link, *runtime)) {
    command.push_back(std::move(word));
  }
  if (arguments.has("show")) {
    // To be pasted into a shell.
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%^";
    for (const std::string& word : command) {
      const bool is_plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
      print("{}{}", &word == command.data() ? "" : " ", is_plain ? word : shell_word(word));
    }
    print("\n");
    return kDone;
  }
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  execv(words[0], words.data());
  return io_error(fmt::format("{}: cannot run: {}", command[0], std::strerror(errno)));
}

}  // namespace deadheat::cli
