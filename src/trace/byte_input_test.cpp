#include "trace/byte_input.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "support/scratch.h"
#include "support/text_trace.h"
#include "trace/byte_output.h"
#include "trace/unpack.h"

namespace deadheat::trace {
namespace {

using test::contents;
using test::put;
using test::Scratch;

Result<std::string> read_to_end(ByteInput& input) {
  std::string out;
  char buffer[977];
  while (true) {
    const auto got = input.read(buffer, sizeof buffer);
    if (!got) return fail(got.error());
    if (*got == 0) return out;
    out.append(buffer, *got);
  }
}

Result<std::string> read_file(const std::string& path) {
  auto input = open_input(path);
  if (!input) return fail(input.error());
  return read_to_end(**input);
}

Status write_file(const std::string& path, const std::string& bytes) {
  auto output = open_output(path);
  if (!output) return fail(output.error());
  if (auto put = (*output)->write(bytes); !put) return put;
  return (*output)->finish();
}

std::string some_text(std::size_t lines) {
  std::string out;
  for (std::size_t i = 0; i < lines; ++i)
    out += "T" + std::to_string(i * 7919 % 97) + "|r(V" + std::to_string(i) + ")|1\n";
  return out;
}

std::string packed(const Scratch& scratch, const std::string& suffix, const std::string& text) {
  const std::string path = scratch.path("packed" + suffix);
  EXPECT_TRUE(write_file(path, text));
  return contents(path);
}

// The same without files.
Result<std::string> unpacked(const std::string& bytes) {
  auto input = unpack(std::make_unique<test::MemoryInput>(bytes), packing_of(bytes), "x");
  if (!input) return fail(input.error());
  return read_to_end(**input);
}

class Packed : public ::testing::TestWithParam<const char*> {
 protected:
  Scratch scratch_;
  std::string path_ = scratch_.path("x");
};
INSTANTIATE_TEST_SUITE_P(Both, Packed, ::testing::Values(".gz", ".zst"));

TEST(ByteInput, ReadsAPlainFile) {
  const Scratch scratch;
  const std::string text = some_text(1000);
  ASSERT_TRUE(write_file(scratch.path("x.std"), text));
  EXPECT_EQ(contents(scratch.path("x.std")), text);
  EXPECT_EQ(read_file(scratch.path("x.std")).value(), text);
}

TEST(ByteInput, TellsHowFarItIs) {
  const Scratch scratch;
  put(scratch.path("x.std"), std::string(5000, 'x'));
  auto input = open_input(scratch.path("x.std"));
  ASSERT_TRUE(input);
  EXPECT_EQ((*input)->progress().total_bytes, 5000u);
  ASSERT_TRUE(read_to_end(**input));
  EXPECT_EQ((*input)->progress().done_bytes, 5000u);
}

TEST(ByteInput, SaysWhatIsWrongWithAPath) {
  const Scratch scratch;
  put(scratch.path("empty"), "");
  EXPECT_EQ(read_file(scratch.path("missing")).error().message,
            scratch.path("missing") + ": cannot open: No such file or directory");
  EXPECT_EQ(read_file(scratch.path("")).error().message,
            scratch.path("") + ": is a directory; give a trace file");
  EXPECT_EQ(read_file(scratch.path("empty")).error().message,
            scratch.path("empty") + ": is empty; a trace was expected");
}

TEST(ByteInput, ReadsAFileOfOneByte) {
  const Scratch scratch;
  put(scratch.path("x"), "\x1F");
  EXPECT_EQ(read_file(scratch.path("x")).value(), "\x1F");
}

TEST_P(Packed, ComesBackAsItWas) {
  for (const std::size_t lines : {1, 100, 100000}) {
    const std::string text = some_text(lines);
    put(path_, packed(scratch_, GetParam(), text));
    EXPECT_EQ(read_file(path_).value(), text);
  }
}

TEST_P(Packed, IsSmallerThanTheText) {
  const std::string text = some_text(10000);
  EXPECT_LT(packed(scratch_, GetParam(), text).size(), text.size() / 2);
}

TEST_P(Packed, MayHoldSeveralMembers) {
  put(path_, packed(scratch_, GetParam(), "one\n") + packed(scratch_, GetParam(), "") +
                 packed(scratch_, GetParam(), "two\n"));
  EXPECT_EQ(read_file(path_).value(), "one\ntwo\n");
}

TEST_P(Packed, ComesInPiecesOfAnySize) {
  const std::string text = some_text(300);
  const std::string bytes = packed(scratch_, GetParam(), text) + packed(scratch_, GetParam(), text);
  for (std::size_t piece = 1; piece <= 9; ++piece) {
    auto input = unpack(std::make_unique<test::MemoryInput>(bytes, piece), packing_of(bytes), "x");
    ASSERT_TRUE(input);
    EXPECT_EQ(read_to_end(**input).value(), text + text) << piece;
  }
}

TEST_P(Packed, CutAnywhereIsAnError) {
  const std::string bytes = packed(scratch_, GetParam(), some_text(50));
  for (std::size_t n = 4; n < bytes.size(); ++n) {
    const auto read = unpacked(bytes.substr(0, n));
    ASSERT_FALSE(read) << n;
    EXPECT_EQ(read.error().message.find("x: the "), 0u) << read.error().message;
    EXPECT_NE(read.error().message.find("ends too early"), std::string::npos) << read.error().message;
  }
}

TEST_P(Packed, DamageIsAnErrorOrHarmless) {
  const std::string text = some_text(40), bytes = packed(scratch_, GetParam(), text);
  std::size_t errors = 0;
  for (std::size_t n = 4; n < bytes.size(); ++n) {
    for (const int bit : {1, 16, 128}) {
      std::string damaged = bytes;
      damaged[n] = static_cast<char>(damaged[n] ^ bit);
      const auto read = unpacked(damaged);
      EXPECT_TRUE(!read || *read == text) << n;
      errors += read ? 0 : 1;
    }
  }
  EXPECT_GT(errors, bytes.size()) << "most places matter";
}

TEST_P(Packed, GarbageAfterTheEndIsAnError) {
  put(path_, packed(scratch_, GetParam(), "text\n") + "garbage that is not compressed");
  EXPECT_FALSE(read_file(path_));
}

TEST_P(Packed, EmptyContentIsAnError) {
  put(path_, packed(scratch_, GetParam(), ""));
  EXPECT_EQ(read_file(path_).error().message, path_ + ": is empty when unpacked; a trace was expected");
}

TEST(Gzip, PaddingWithZerosIsNoGarbage) {
  const Scratch scratch;
  put(scratch.path("x"), packed(scratch, ".gz", "one\n") + std::string(3000, '\0') +
                             packed(scratch, ".gz", "two\n") + std::string(512, '\0'));
  EXPECT_EQ(read_file(scratch.path("x")).value(), "one\ntwo\n");
}

TEST(ByteOutput, AFullDiskIsAnError) {
  for (const std::string link : {"full", "full.gz", "full.zst"}) {
    const Scratch scratch;
    ASSERT_EQ(::symlink("/dev/full", scratch.path(link).c_str()), 0);
    const auto written = write_file(scratch.path(link), some_text(1000));
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().message.find("No space left on device"), std::string::npos)
        << written.error().message;
    EXPECT_EQ(written.error().message.find(scratch.path(link)), 0u);
  }
}

TEST(ByteOutput, AClosedPipeIsAnError) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto output = open_output("/proc/self/fd/" + std::to_string(ends[1]));
  ASSERT_TRUE(output) << output.error().message;
  ::close(ends[0]);
  const auto written = (*output)->write("x");
  ::close(ends[1]);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("Broken pipe"), std::string::npos) << written.error().message;
}

TEST(ByteOutput, AFolderThatIsNotThereIsAnError) {
  const Scratch scratch;
  EXPECT_FALSE(open_output(scratch.path("no/such/file.std")));
}

}  // namespace
}  // namespace deadheat::trace
