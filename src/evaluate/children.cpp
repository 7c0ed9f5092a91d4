#include "evaluate/children.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <list>
#include <new>
#include <optional>
#include <utility>

#include "base/assert.h"

namespace deadheat::evaluate {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kTick_ms = 10;       // how often memory is looked at
constexpr int kNoMemoryExit = 12;  // of a child
constexpr int kNotSaidExit = 13;

// What sleeps takes no CPU time; this is for what would sleep for ever.
Clock::duration patience(const Limits& limits) { return 10 * limits.cpu + std::chrono::seconds(10); }

struct Child {
  std::size_t task;
  pid_t pid;
  int from;  // what it says
  Clock::time_point until;
  std::string said{};
  std::optional<End> stopped{};
};

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) _exit(kNotSaidExit);
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

[[noreturn]] void be_child(const Task& task, int to, const Limits& limits, pid_t parent) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  // Nobody is left who would stop it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotSaidExit);
  std::signal(SIGPROF, SIG_DFL);
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  itimerval timer{};
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(limits.cpu).count();
  timer.it_value = {.tv_sec = us / 1'000'000, .tv_usec = us % 1'000'000};
  setitimer(ITIMER_PROF, &timer, nullptr);
  try {
    write_all(to, task());
  } catch (const std::bad_alloc&) {
    _exit(kNoMemoryExit);
  }
  _exit(0);
}

std::uint64_t resident_bytes(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/statm", static_cast<int>(pid));
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) return 0;
  unsigned long long size = 0, resident = 0;
  const bool read = std::fscanf(file, "%llu %llu", &size, &resident) == 2;
  std::fclose(file);
  return read ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

class Runner {
 public:
  Runner(std::span<const Task> tasks, unsigned jobs, const Limits& limits,
         const std::function<void(std::size_t)>& watch)
      : tasks_(tasks), jobs_(jobs), limits_(limits), watch_(watch), outcomes_(tasks.size()) {}

  std::vector<Outcome> run() {
    while (next_ < tasks_.size() || !children_.empty()) {
      while (next_ < tasks_.size() && children_.size() < jobs_ && start()) {
      }
      wait();
      if (watch_) watch_(done_);
    }
    return std::move(outcomes_);
  }

 private:
  // False if it could not be started now, and may be later.
  bool start() {
    std::array<int, 2> ends{};
    const bool piped = pipe2(ends.data(), O_CLOEXEC) == 0;
    const pid_t parent = getpid();
    const pid_t pid = piped ? fork() : -1;
    if (pid == 0) {
      close(ends[0]);
      be_child(tasks_[next_], ends[1], limits_, parent);
    }
    const int error = errno;
    if (piped) close(ends[1]);
    if (pid < 0) {
      if (piped) close(ends[0]);
      if (!children_.empty()) return false;
      done(next_++, {.end = End::failed, .said = {}, .why = std::strerror(error)});
      return true;
    }
    children_.push_back({next_++, pid, ends[0], Clock::now() + patience(limits_)});
    return true;
  }

  void wait() {
    std::vector<pollfd> watched;
    for (const Child& child : children_)
      watched.push_back({.fd = child.from, .events = POLLIN, .revents = 0});
    if (watched.empty()) return;
    const int ready = poll(watched.data(), watched.size(), kTick_ms);
    auto now = watched.begin();
    for (auto at = children_.begin(); at != children_.end(); ++now) {
      const bool speaks = ready > 0 && now->revents != 0;
      if (speaks && !listen(*at)) {
        finish(*at);
        at = children_.erase(at);
      } else {
        look_after(*at++);
      }
    }
  }

  // False at the end.
  static bool listen(Child& child) {
    std::array<char, 1 << 16> buffer;
    const ssize_t n = read(child.from, buffer.data(), buffer.size());
    if (n > 0) child.said.append(buffer.data(), static_cast<std::size_t>(n));
    return n > 0 || (n < 0 && errno == EINTR);
  }

  void look_after(Child& child) const {
    if (child.stopped) return;
    if (resident_bytes(child.pid) > limits_.bytes) {
      child.stopped = End::out_of_memory;
    } else if (Clock::now() > child.until) {
      child.stopped = End::out_of_time;
    }
    if (child.stopped) kill(child.pid, SIGKILL);
  }

  void finish(Child& child) {
    close(child.from);
    int status = 0;
    rusage use{};
    while (wait4(child.pid, &status, 0, &use) < 0 && errno == EINTR) {
    }
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    Outcome outcome{.end = End::done,
                    .said = {},
                    .why = {},
                    .cpu_s = seconds(use.ru_utime) + seconds(use.ru_stime),
                    .peak_bytes = static_cast<std::uint64_t>(use.ru_maxrss) * 1024};
    const bool exited = WIFEXITED(status);
    if (child.stopped) {
      outcome.end = *child.stopped;
    } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) {
      outcome.end = End::out_of_time;
    } else if ((exited && WEXITSTATUS(status) == kNoMemoryExit) || outcome.peak_bytes > limits_.bytes) {
      // It may have been quicker than who looked after it.
      outcome.end = End::out_of_memory;
    } else if (!exited || WEXITSTATUS(status) != 0) {
      outcome.end = End::failed;
      outcome.why = exited ? fmt::format("ended with code {}", WEXITSTATUS(status))
                           : fmt::format("was killed by signal {}", WTERMSIG(status));
    } else {
      outcome.said = std::move(child.said);
    }
    done(child.task, std::move(outcome));
  }

  void done(std::size_t task, Outcome outcome) {
    outcomes_[task] = std::move(outcome);
    ++done_;
  }

  std::span<const Task> tasks_;
  unsigned jobs_;
  const Limits& limits_;
  const std::function<void(std::size_t)>& watch_;
  std::vector<Outcome> outcomes_;
  std::list<Child> children_;
  std::size_t next_ = 0, done_ = 0;
};

}  // namespace

std::vector<Outcome> run_children(std::span<const Task> tasks, unsigned jobs, const Limits& limits,
                                  const std::function<void(std::size_t)>& watch) {
  DEADHEAT_ASSERT(jobs > 0 && limits.cpu.count() > 0, "somebody works, for some time");
  return Runner(tasks, jobs, limits, watch).run();
}

}  // namespace deadheat::evaluate
