#include "base/partial_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace deadheat::base {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;

class PartialFileTest : public testing::Test {
 protected:
  PartialFileTest() {
    std::string pattern = testing::TempDir() + "partialXXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~PartialFileTest() override { fs::remove_all(folder_); }

  std::string in_folder(const std::string& name) const { return folder_ / name; }
  static void write(const std::string& path, std::string_view text) { std::ofstream(path) << text; }
  static std::string read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(PartialFileTest, AppearsWhenItIsCommitted) {
  const std::string target = in_folder("out.std");
  auto file = PartialFile::create(target);
  ASSERT_TRUE(file);
  write(file->path(), "whole");
  EXPECT_FALSE(fs::exists(target));
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read(target), "whole");
  EXPECT_EQ(files(), 1u);
}

TEST_F(PartialFileTest, LeavesWhatWasThereIfItIsNotCommitted) {
  const std::string target = in_folder("out.std");
  write(target, "old");
  {
    auto file = PartialFile::create(target);
    ASSERT_TRUE(file);
    write(file->path(), "half");
  }
  EXPECT_EQ(read(target), "old");
  EXPECT_EQ(files(), 1u);
}

constexpr PartialFile::Options kBeside{.naming = PartialFile::Naming::beside};

TEST_F(PartialFileTest, HasNoNameUntilItIsCommitted) {
  auto file = PartialFile::create(in_folder("out.std"));
  ASSERT_TRUE(file);
  write(file->path(), "half");
  EXPECT_EQ(files(), 0u) << "nothing is left if the process is killed";
}

TEST_F(PartialFileTest, ReplacesOnlyWhatItMay) {
  for (const auto naming : {PartialFile::Naming::when_whole, PartialFile::Naming::beside}) {
    const PartialFile::Options careful{.existing = PartialFile::Existing::refuse,
                                       .others = PartialFile::Others::refuse,
                                       .mode = 0600,
                                       .naming = naming};
    const std::string target = in_folder("out.dht");
    auto file = PartialFile::create(target, careful);
    ASSERT_TRUE(file);
    write(file->path(), "new");
    write(target, "of another");
    EXPECT_THAT(file->commit().error().message, HasSubstr("exists already"));
    EXPECT_EQ(read(target), "of another");
    EXPECT_THAT(PartialFile::create(target, careful).error().message, HasSubstr("exists already"));
    fs::remove(target);
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(fs::status(target).permissions(), fs::perms(0600));
    EXPECT_EQ(files(), 1u);
    EXPECT_THAT(PartialFile::create("/dev/null", careful).error().message, HasSubstr("is no regular file"));
    fs::remove(target);
  }
}

TEST_F(PartialFileTest, IsRemovedByASignal) {
  const std::string target = in_folder("out.std");
  EXPECT_EXIT(
      {
        auto file = PartialFile::create(target, kBeside);
        write(file->path(), "half");
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
  EXPECT_EQ(files(), 0u);
}

TEST_F(PartialFileTest, IsRemovedByASignalWithOthers) {
  EXPECT_EXIT(
      {
        auto first = PartialFile::create(in_folder("out.dht"), kBeside);
        auto second = PartialFile::create(in_folder("out.tsv"), kBeside);
        {
          auto third = PartialFile::create(in_folder("out.std"), kBeside);
        }
        auto fourth = PartialFile::create(in_folder("out.txt"), kBeside);
        if (!fourth->commit() || files() != 3) std::abort();
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
  EXPECT_TRUE(fs::exists(in_folder("out.txt")));
  EXPECT_EQ(files(), 1u);
}

TEST_F(PartialFileTest, KeepsTheModeAndTheLink) {
  write(in_folder("real"), "old");
  ::chmod(in_folder("real").c_str(), 0640);
  fs::create_symlink(in_folder("real"), in_folder("link"));
  auto file = PartialFile::create(in_folder("link"));
  ASSERT_TRUE(file);
  write(file->path(), "new");
  ASSERT_TRUE(file->commit());
  EXPECT_TRUE(fs::is_symlink(in_folder("link")));
  EXPECT_EQ(read(in_folder("real")), "new");
  EXPECT_EQ(fs::status(in_folder("real")).permissions(), fs::perms(0640));
}

TEST_F(PartialFileTest, KeepsASuffixThatMeansCompression) {
  EXPECT_THAT(PartialFile::create(in_folder("a.std.gz"), kBeside)->path(), EndsWith(".gz"));
  EXPECT_THAT(PartialFile::create(in_folder("a.std.zst"), kBeside)->path(), EndsWith(".zst"));
}

TEST_F(PartialFileTest, DoesNotFollowALinkUnderItsOtherName) {
  const std::string target = in_folder("out.std");
  const std::string usual = PartialFile::create(target, kBeside)->path();
  write(in_folder("victim"), "old");
  fs::create_symlink(in_folder("victim"), usual);
  auto file = PartialFile::create(target, kBeside);
  ASSERT_TRUE(file);
  EXPECT_NE(file->path(), usual);
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(file->path())));
  write(file->path(), "new");
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(read(target), "new");
  EXPECT_EQ(read(in_folder("victim")), "old");
  EXPECT_TRUE(fs::is_symlink(usual)) << "it is not ours to remove";
}

TEST_F(PartialFileTest, TakesAnotherNameIfAFileHasIt) {
  const std::string target = in_folder("out.std.gz");
  auto one = PartialFile::create(target, kBeside);
  auto other = PartialFile::create(target, kBeside);
  ASSERT_TRUE(one && other);
  EXPECT_NE(one->path(), other->path());
  EXPECT_THAT(other->path(), EndsWith(".gz"));
}

TEST_F(PartialFileTest, ManagesTheLongestName) {
  const std::string target = in_folder(std::string(255, 'n'));
  auto file = PartialFile::create(target);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->commit());
  EXPECT_TRUE(fs::exists(target));
}

TEST_F(PartialFileTest, WritesToDevicesAndStandardOutputAsTheyAre) {
  for (const char* target : {"-", "/dev/null"}) {
    auto file = PartialFile::create(target);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->path(), target);
    EXPECT_TRUE(file->commit());
  }
}

TEST_F(PartialFileTest, SaysWhatIsWrongWithTheTarget) {
  EXPECT_EQ(PartialFile::create(folder_).error().message,
            folder_.string() + ": is a directory; give the name of a file");
  EXPECT_EQ(PartialFile::create(in_folder("none/out")).error().message,
            in_folder("none/out") + ": cannot write: No such file or directory");
}

TEST_F(PartialFileTest, TellsErrorsWithTheNameTheUserKnows) {
  const std::string target = in_folder("out.std");
  const auto file = PartialFile::create(target);
  const Error error = file->renamed({Error::Kind::io, file->path() + ": full; remove " + file->path()});
  EXPECT_EQ(error.message, target + ": full; remove " + target);
}

TEST_F(PartialFileTest, KnowsOneFileByTwoNames) {
  write(in_folder("a"), "");
  write(in_folder("b"), "");
  fs::create_hard_link(in_folder("a"), in_folder("c"));
  EXPECT_TRUE(is_same_file(in_folder("a"), in_folder("./a")));
  EXPECT_TRUE(is_same_file(in_folder("a"), in_folder("c")));
  EXPECT_FALSE(is_same_file(in_folder("a"), in_folder("b")));
  EXPECT_FALSE(is_same_file(in_folder("none"), in_folder("none")));
}

TEST_F(PartialFileTest, KnowsOneTargetByTwoNames) {
  fs::create_directory(in_folder("sub"));
  fs::create_directory_symlink(folder_, in_folder("link"));
  for (const char* name : {"new", "./new", "sub/../new", "link/new"}) {
    EXPECT_TRUE(is_same_target(in_folder("new"), in_folder(name))) << name;
  }
  for (const char* name : {"other", "sub/new", "none/new"}) {
    EXPECT_FALSE(is_same_target(in_folder("new"), in_folder(name))) << name;
  }
  EXPECT_TRUE(is_same_target("new", "./new"));
  EXPECT_TRUE(is_same_target("new", fs::current_path() / "new"));
  EXPECT_TRUE(is_same_target("/new", "/../new"));
  write(in_folder("real"), "");
  fs::create_symlink("real", in_folder("alias"));
  EXPECT_TRUE(is_same_target(in_folder("real"), in_folder("alias")));
  EXPECT_TRUE(is_same_target("-", "-"));
  EXPECT_FALSE(is_same_target("-", "./-"));
}

}  // namespace
}  // namespace deadheat::base
