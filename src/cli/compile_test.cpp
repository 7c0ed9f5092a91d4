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

TEST(Compile, LetsTheUserHaveTheLastWord) {
  EXPECT_THAT(instrumented(Words{"-g0", "-c", "a.c"}, CompilerKind::gcc, RuntimeLink::static_archive, "/r"),
              ElementsAre("-g", "-fsanitize=thread", "-Wno-tsan", "-g0", "-c", "a.c"));
}

TEST(Compile, LinksTheRuntimeIntoProgramsOnly) {
  const auto program = instrumented(Words{"a.o"}, CompilerKind::clang, RuntimeLink::static_archive, "/r");
  EXPECT_THAT(program, Contains("/r/libdeadheat_rt.a"));
  EXPECT_THAT(program, Contains("-fno-sanitize-link-runtime"));
  const auto object =
      instrumented(Words{"-shared", "a.o"}, CompilerKind::clang, RuntimeLink::static_archive, "/r");
  EXPECT_THAT(object, Not(Contains("/r/libdeadheat_rt.a")));
  const auto shared = instrumented(Words{"a.o"}, CompilerKind::clang, RuntimeLink::shared_object, "/r");
  EXPECT_THAT(shared, Contains("/r/libclang_rt.tsan-x86_64.so"));
}

}  // namespace
}  // namespace deadheat::cli
