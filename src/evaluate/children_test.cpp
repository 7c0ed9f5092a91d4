#include "evaluate/children.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <memory>

namespace deadheat::evaluate {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Outcome outcome_of(Task task, Limits limits = {}) {
  const Task tasks[] = {std::move(task)};
  return run_children(tasks, 1, limits)[0];
}

TEST(Children, SayWhatTheirTasksReturn) {
  for (const unsigned jobs : {1u, 3u, 20u}) {
    std::vector<Task> tasks;
    // More than a pipe holds.
    for (int i = 0; i < 12; ++i)
      tasks.emplace_back([i] { return std::string(200'000, static_cast<char>('a' + i)); });
    std::size_t last = 0;
    const auto outcomes = run_children(tasks, jobs, {}, [&](std::size_t done) {
      EXPECT_GE(done, last);
      last = done;
    });
    EXPECT_EQ(last, 12u);
    for (int i = 0; i < 12; ++i) {
      const Outcome& outcome = outcomes[static_cast<std::size_t>(i)];
      EXPECT_EQ(outcome.end, End::done) << outcome.why;
      EXPECT_EQ(outcome.said, std::string(200'000, static_cast<char>('a' + i)));
      EXPECT_GT(outcome.peak_bytes, 0u);
    }
  }
}

TEST(Children, ChangeNothingHere) {
  int x = 0;
  EXPECT_EQ(outcome_of([&] { return std::to_string(++x); }).said, "1");
  EXPECT_EQ(x, 0);
}

TEST(Children, AreStoppedWhenTheirTimeIsUp) {
  const Outcome outcome = outcome_of(
      [] {
        const volatile bool busy = true;
        while (busy) {
        }
        return std::string("never");
      },
      {.cpu = 50ms});
  EXPECT_EQ(outcome.end, End::out_of_time);
  EXPECT_EQ(outcome.said, "");
  EXPECT_GT(outcome.cpu_s, 0.02);
}

TEST(Children, AreStoppedWhenTheyTakeTooMuchMemory) {
  const Outcome outcome = outcome_of(
      [] {
        constexpr std::size_t kBytes = std::size_t{256} << 20;
        const auto memory = std::make_unique_for_overwrite<char[]>(kBytes);
        volatile char* const bytes = memory.get();
        for (std::size_t i = 0; i < kBytes; i += 4096) bytes[i] = 'x';
        return std::string(1, bytes[kBytes / 2]);
      },
      {.bytes = std::uint64_t{192} << 20});
  EXPECT_EQ(outcome.end, End::out_of_memory);
  EXPECT_EQ(outcome.said, "");
}

TEST(Children, WithoutMemoryAreNotFailures) {
  EXPECT_EQ(outcome_of([]() -> std::string { throw std::bad_alloc(); }).end, End::out_of_memory);
}

TEST(Children, ThatDieAreFailures) {
  const Task tasks[] = {[] {
                          std::raise(SIGKILL);
                          return std::string("no");
                        },
                        [] {
                          _exit(7);
                          return std::string("no");
                        },
                        [] { return std::string("yes"); }};
  const auto outcomes = run_children(tasks, 1, {});
  EXPECT_EQ(outcomes[0].end, End::failed);
  EXPECT_THAT(outcomes[0].why, HasSubstr("killed by signal 9"));
  EXPECT_EQ(outcomes[1].end, End::failed);
  EXPECT_THAT(outcomes[1].why, HasSubstr("ended with code 7"));
  EXPECT_EQ(outcomes[2].said, "yes");
}

}  // namespace
}  // namespace deadheat::evaluate
