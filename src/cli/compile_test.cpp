#include "cli/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace deadheat::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using Words = std::vector<std::string>;

TEST(Compile, KnowsWhatLinks) {
  EXPECT_TRUE(job_of(Words{"a.c"}).links);
  EXPECT_TRUE(job_of(Words{"-o", "a", "a.o", "-lm"}).links);
  EXPECT_TRUE(job_of(Words{"@files"}).links);
  EXPECT_FALSE(job_of(Words{"-c", "a.c"}).links);
  EXPECT_FALSE(job_of(Words{"-E", "-"}).links);
  EXPECT_FALSE(job_of(Words{"-M", "a.c"}).links);
  EXPECT_FALSE(job_of(Words{"-r", "a.o", "-o", "b.o"}).links);
  EXPECT_FALSE(job_of(Words{"--version"}).links);
  EXPECT_FALSE(job_of(Words{"-v", "-o", "a", "-I", "include"}).links);
}

TEST(Compile, KnowsSharedObjectsAndStaticPrograms) {
  EXPECT_TRUE(job_of(Words{"-shared", "a.o"}).is_shared);
  EXPECT_TRUE(job_of(Words{"a.o", "-static"}).is_fully_static);
  EXPECT_FALSE(job_of(Words{"a.o", "-static-libgcc"}).is_fully_static);
}

TEST(Compile, KnowsTheVersionOfClang) {
  EXPECT_EQ(clang_version("Debian clang version 19.1.7 (3~deb12u1)"), 19);
  EXPECT_EQ(clang_version("clang version 14.0.6"), 14);
  EXPECT_EQ(clang_version("gcc (Debian 12.2.0-14) 12.2.0"), 0);
  EXPECT_EQ(clang_version(""), 0);
}

TEST(Compile, InstrumentsByOurPassWhereThereIsOne) {
  const auto ours = instrumented(Words{"-c", "a.c"}, Compiler{CompilerKind::clang, "/r/pass.so"},
                                 RuntimeLink::static_archive, "/r");
  EXPECT_THAT(ours, Contains("-fpass-plugin=/r/pass.so"));
  const auto clangs =
      instrumented(Words{"-c", "a.c"}, Compiler{CompilerKind::clang, ""}, RuntimeLink::static_archive, "/r");
  EXPECT_THAT(clangs, Contains("-tsan-instrument-read-before-write=1"));
}

TEST(Compile, LetsTheUserHaveTheLastWord) {
  const auto words = instrumented(Words{"-g0", "-c", "a.c"}, Compiler{CompilerKind::gcc, ""},
                                  RuntimeLink::static_archive, "/r");
  EXPECT_THAT(std::vector(words.begin(), words.begin() + 2), ElementsAre("-g", "-fsanitize=thread"));
  EXPECT_THAT(std::vector(words.end() - 3, words.end()), ElementsAre("-g0", "-c", "a.c"));
}

TEST(Compile, LinksTheRuntimeIntoProgramsOnly) {
  const auto program =
      instrumented(Words{"a.o"}, Compiler{CompilerKind::clang, ""}, RuntimeLink::static_archive, "/r");
  EXPECT_THAT(program, Contains("/r/libdeadheat_rt.a"));
  EXPECT_THAT(program, Contains("-fno-sanitize-link-runtime"));
  const auto object = instrumented(Words{"-shared", "a.o"}, Compiler{CompilerKind::clang, ""},
                                   RuntimeLink::static_archive, "/r");
  EXPECT_THAT(object, Not(Contains("/r/libdeadheat_rt.a")));
  const auto shared =
      instrumented(Words{"a.o"}, Compiler{CompilerKind::clang, ""}, RuntimeLink::shared_object, "/r");
  EXPECT_THAT(shared, Contains("/r/libclang_rt.tsan-x86_64.so"));
}

}  // namespace
}  // namespace deadheat::cli
