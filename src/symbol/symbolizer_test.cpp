// Small programs, built here, that tell their own addresses.
#include "symbol/symbolizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "support/scratch.h"

namespace deadheat::symbol {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kProbe = R"(
#include <link.h>
#include <stdio.h>
static int first(struct dl_phdr_info* info, size_t, void* bias) {
  *static_cast<unsigned long*>(bias) = info->dlpi_addr;
  return 1;
}
void tell(const char* what, const void* address) {
  unsigned long bias = 0;
  dl_iterate_phdr(first, &bias);
  printf("%s %lx\n", what, (unsigned long)address - bias);
}
__attribute__((noinline)) void probe(const char* what) { tell(what, __builtin_return_address(0)); }
)";

// Lines are counted below: the first one is 1.
constexpr const char* kProgram =
    "void probe(const char* what);\n"                                // 1
    "void tell(const char* what, const void* address);\n"            // 2
    "#define INLINE static inline __attribute__((always_inline))\n"  // 3
    "namespace bank {\n"                                             // 4
    "int counters[4];\n"                                             // 5
    "INLINE void inner(int) {\n"                                     // 6
    "  probe(\"deep\");\n"                                           // 7
    "  asm volatile(\"\");\n"                                        // 8
    "}\n"                                                            // 9
    "INLINE void middle(int x) {\n"                                  // 10
    "  for (int i = 0; i < 1; ++i) {\n"                              // 11
    "    inner(x + i);\n"                                            // 12
    "  }\n"                                                          // 13
    "}\n"                                                            // 14
    "struct Account {\n"                                             // 15
    "  int balance = 0;\n"                                           // 16
    "  static long rate;\n"                                          // 17
    "  __attribute__((noinline)) void deposit(int n) {\n"            // 18
    "    static int calls = 1;\n"                                    // 19
    "    middle(n + calls++);\n"                                     // 20
    "    tell(\"calls\", &calls);\n"                                 // 21
    "    asm volatile(\"\");\n"                                      // 22
    "  }\n"                                                          // 23
    "};\n"                                                           // 24
    "long Account::rate = 3;\n"                                      // 25
    "}  // namespace bank\n"                                         // 26
    "namespace { __attribute__((noinline)) void hidden() {\n"        // 27
    "  probe(\"hidden\");\n"                                         // 28
    "  asm volatile(\"\");\n"                                        // 29
    "} }\n"                                                          // 30
    "int main() {\n"                                                 // 31
    "  bank::Account account;\n"                                     // 32
    "  account.deposit(3);\n"                                        // 33
    "  hidden();\n"                                                  // 34
    "  const auto lambda = [](int) __attribute__((noinline)) { probe(\"lambda\"); asm volatile(\"\"); "
    "};\n"                                         // 35
    "  lambda(1);\n"                               // 36
    "  tell(\"counters\", bank::counters + 2);\n"  // 37
    "  tell(\"rate\", &bank::Account::rate);\n"    // 38
    "}\n";                                         // 39

void shell(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

class Program {
 public:
  explicit Program(const std::string& compiler, const std::string& flags = "-g -O2") {
    test::put(dir_.path("probe.cpp"), kProbe);
    test::put(dir_.path("bank.cpp"), kProgram);
    in(compiler + " -O1 -c probe.cpp -o probe.o && " + compiler + " " + flags +
       " -Wl,--build-id bank.cpp probe.o -o bank");
  }
  std::string path(const std::string& name = "bank") const { return dir_.path(name); }
  void in(const std::string& command) const { shell("cd " + dir_.path(".") + " && " + command); }

  // What the program told of itself; the file is where it was first.
  std::map<std::string, std::uint64_t> addresses() const {
    in("./bank > told");
    std::ifstream told(path("told"));
    std::map<std::string, std::uint64_t> out;
    std::string name;
    std::uint64_t address = 0;
    while (told >> name >> std::hex >> address) out[name] = address;
    return out;
  }

 private:
  test::Scratch dir_;
};

std::vector<std::string> shown(const std::vector<CodeFrame>& frames) {
  std::vector<std::string> out;
  for (const CodeFrame& frame : frames) {
    std::ostringstream text;
    text << frame.function << ' ' << frame.file << ':' << frame.line << (frame.inlined ? " inlined" : "");
    out.push_back(text.str());
  }
  return out;
}

class Compilers : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Compilers, TellInlinedFramesAndVariables) {
  const auto [compiler, flags] = GetParam();
  const Program program(compiler, flags);
  const std::string path = program.path();
  const auto at = program.addresses();
  ASSERT_THAT(at, SizeIs(6));
  Symbolizer symbols;
  const auto frames = [&](const char* what) { return shown(symbols.frames({path, ""}, at.at(what) - 1)); };
  // Of functions that only one file sees gcc does not tell the types of the parameters.
  const bool gcc = compiler == std::string("g++");
  EXPECT_THAT(frames("deep"),
              ElementsAre(gcc ? "bank::inner bank.cpp:7 inlined" : "bank::inner(int) bank.cpp:7 inlined",
                          gcc ? "bank::middle bank.cpp:12 inlined" : "bank::middle(int) bank.cpp:12 inlined",
                          "bank::Account::deposit(int) bank.cpp:20"));
  EXPECT_THAT(frames("hidden"), ElementsAre(gcc ? "(anonymous namespace)::hidden bank.cpp:28"
                                                : "(anonymous namespace)::hidden() bank.cpp:28"));
  EXPECT_THAT(frames("lambda"), ElementsAre(gcc ? "main()::{lambda}::operator() bank.cpp:35"
                                                : "main::$_0::operator()(int) const bank.cpp:35"));
  EXPECT_THAT(symbols.frames({path, ""}, 3), IsEmpty());

  const auto counters = symbols.variable({path, ""}, at.at("counters"));
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->name, "bank::counters");
  EXPECT_EQ(counters->offset, 8u);
  EXPECT_EQ(counters->file, "bank.cpp");
  EXPECT_EQ(counters->line, 5u);
  const auto rate = symbols.variable({path, ""}, at.at("rate"));
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->name, "bank::Account::rate");
  EXPECT_EQ(rate->offset, 0u);
  EXPECT_EQ(rate->file, "bank.cpp");
  const auto calls = symbols.variable({path, ""}, at.at("calls"));
  ASSERT_TRUE(calls);
  EXPECT_EQ(calls->name, "bank::Account::deposit(int)::calls");
  EXPECT_EQ(calls->line, 19u);
  EXPECT_FALSE(symbols.variable({path, ""}, at.at("deep")));
  EXPECT_THAT(symbols.warnings(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, Compilers,
                         testing::Combine(testing::Values("g++", "clang++-19"),
                                          testing::Values("-O2 -gdwarf-4", "-O2 -gdwarf-5", "-O0 -gdwarf-5",
                                                          "-O2 -gdwarf-5 -gsplit-dwarf",
                                                          "-O2 -g -no-pie -gz")));

class DebugFile : public testing::Test {
 protected:
  DebugFile() : program_("g++"), at_(program_.addresses()) {
    program_.in("objcopy --only-keep-debug bank bank.debug && cp bank whole && objcopy --strip-all bank");
  }
  std::vector<std::string> deep(Symbolizer& symbols, const std::string& build_id = "") const {
    return shown(symbols.frames({program_.path(), build_id}, at_.at("deep") - 1));
  }
  std::string build_id() const {
    program_.in("readelf -n bank | sed -n 's/.*Build ID: //p' > id");
    std::ifstream file(program_.path("id"));
    std::string id;
    file >> id;
    return id;
  }

  Program program_;
  std::map<std::string, std::uint64_t> at_;
};

TEST_F(DebugFile, IsFoundByItsLink) {
  {
    Symbolizer symbols;
    EXPECT_THAT(deep(symbols), IsEmpty());
  }
  program_.in("objcopy --add-gnu-debuglink=bank.debug bank");
  Symbolizer symbols;
  EXPECT_THAT(deep(symbols), SizeIs(3));
  EXPECT_EQ(symbols.variable({program_.path(), ""}, at_.at("counters"))->name, "bank::counters");
  program_.in("mkdir .debug && mv bank.debug .debug");
  Symbolizer again;
  EXPECT_THAT(deep(again), SizeIs(3));
}

TEST_F(DebugFile, IsFoundByBuildIdInAGivenFolder) {
  const std::string id = build_id();
  ASSERT_GT(id.size(), 8u);
  const std::string folder = "syms/.build-id/" + id.substr(0, 2);
  program_.in("mkdir -p " + folder + " && mv bank.debug " + folder + "/" + id.substr(2) + ".debug");
  Symbolizer symbols({program_.path("syms")});
  EXPECT_THAT(deep(symbols, id), SizeIs(3));
  program_.in("rm bank");
  Symbolizer without({program_.path("syms")});
  EXPECT_THAT(deep(without, id), SizeIs(3)) << "the module is not needed for it";
  EXPECT_THAT(without.warnings(), IsEmpty());
}

TEST_F(DebugFile, WithoutBuildIdIsBelievedByItsChecksum) {
  program_.in(
      "g++ -g -O2 -Wl,--build-id=none bank.cpp probe.o -o bank && objcopy --only-keep-debug bank bank.debug "
      "&& "
      "objcopy --strip-all bank && objcopy --add-gnu-debuglink=bank.debug bank");
  at_ = program_.addresses();
  {
    Symbolizer symbols;
    EXPECT_THAT(deep(symbols), SizeIs(3));
  }
  program_.in("printf x >> bank.debug");
  Symbolizer symbols;
  EXPECT_THAT(deep(symbols), IsEmpty());
}

TEST_F(DebugFile, IsNotNeededForNamesOfTheLinker) {
  program_.in("objcopy --strip-debug whole bank");
  Symbolizer symbols;
  EXPECT_THAT(deep(symbols), ElementsAre("bank::Account::deposit(int) :0"));
  const auto counters = symbols.variable({program_.path(), ""}, at_.at("counters"));
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->name, "bank::counters");
  EXPECT_EQ(counters->file, "");
}

TEST_F(DebugFile, OfAnotherBuildIsNotBelieved) {
  program_.in("cp whole bank");
  const std::string id = build_id();
  Symbolizer symbols;
  EXPECT_THAT(deep(symbols, "0123456789abcdef"), IsEmpty());
  EXPECT_THAT(deep(symbols, "0123456789abcdef"), IsEmpty());
  ASSERT_THAT(symbols.warnings(), SizeIs(1));
  EXPECT_THAT(symbols.warnings()[0], HasSubstr(program_.path() + ": not the file that was recorded"));
  EXPECT_THAT(symbols.warnings()[0], HasSubstr("build id 0123456789abcdef was, " + id + " is there"));
  EXPECT_THAT(symbols.warnings()[0], HasSubstr("--symbols DIR"));
  EXPECT_FALSE(symbols.variable({program_.path(), "0123456789abcdef"}, at_.at("counters")));
  // A copy of the recorded one elsewhere will do.
  program_.in("mkdir -p old && mv bank old/bank && g++ -O1 -Wl,--build-id bank.cpp probe.o -o bank");
  Symbolizer with_folder({program_.path("old")});
  EXPECT_THAT(deep(with_folder, id), SizeIs(3));
  EXPECT_THAT(with_folder.warnings(), IsEmpty());
}

TEST_F(DebugFile, ThatIsMissingIsSaidOnce) {
  program_.in("rm bank");
  Symbolizer symbols;
  EXPECT_FALSE(symbols.variable({program_.path(), "ab"}, 1));
  EXPECT_THAT(symbols.warnings(), IsEmpty()) << "nobody asked for its code";
  EXPECT_THAT(deep(symbols, "ab"), IsEmpty());
  EXPECT_THAT(deep(symbols, "ab"), IsEmpty());
  ASSERT_THAT(symbols.warnings(), SizeIs(1));
  EXPECT_THAT(symbols.warnings()[0], HasSubstr("bank: not found"));
  for (const char* path : {"[vdso]", "", "/", "/dev/null", "/dev/zero"}) {
    EXPECT_THAT(symbols.frames({path, ""}, 1), IsEmpty());
  }
}

TEST_F(DebugFile, OfGarbageIsUnknownAndNoHarm) {
  std::ifstream file(program_.path("whole"), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(whole.size(), 4096u);
  std::uint64_t random = 1;
  const auto next = [&] {
    return random = random * 6364136223846793005u + 1442695040888963407u, random >> 33;
  };
  for (int i = 0; i < 400; ++i) {
    std::string bytes = whole;
    if (i % 2 == 0) {
      bytes.resize(next() % bytes.size());
    } else {
      for (int k = 0; k < 1 + i / 4; ++k) bytes[next() % bytes.size()] = static_cast<char>(next());
    }
    test::put(program_.path(), bytes);
    Symbolizer symbols;
    for (const auto& [what, address] : at_) {
      (void)symbols.frames({program_.path(), ""}, address - 1);
      (void)symbols.variable({program_.path(), ""}, address);
    }
  }
}

}  // namespace
}  // namespace deadheat::symbol
