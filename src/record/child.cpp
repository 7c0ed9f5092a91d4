#include "record/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/file.h"

namespace deadheat::record {

namespace {

// In the child, between fork and exec. Whatever main() changed is put back.
[[noreturn]] void become(const Launch& launch, char* const* words, int failed) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGCHLD, SIGPIPE, SIGXFSZ}) {
    struct sigaction now{};
    sigaction(signal, nullptr, &now);
    const bool is_ours = now.sa_handler != SIG_IGN || signal == SIGPIPE || signal == SIGXFSZ;
    if (is_ours) std::signal(signal, SIG_DFL);  // what was ignored (nohup) stays so
  }
  for (const auto& [name, value] : launch.environment) setenv(name.c_str(), value.c_str(), 1);
  if (launch.descriptor >= 0) fcntl(launch.descriptor, F_SETFD, 0);
  execvp(words[0], words);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(failed, &error, sizeof error);
  _exit(127);
}

}  // namespace

Result<pid_t> start(const Launch& launch) {
  std::vector<char*> words;
  for (const std::string& word : launch.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::array<int, 2> failed{};
  if (pipe2(failed.data(), O_CLOEXEC) != 0) return fail(base::errno_error(launch.words[0], "cannot run"));
  const pid_t child = fork();
  if (child == 0) become(launch, words.data(), failed[1]);
  close(failed[1]);
  int error = child < 0 ? errno : 0;
  while (child > 0 && read(failed[0], &error, sizeof error) < 0 && errno == EINTR) {
  }
  close(failed[0]);
  if (error == 0) return child;
  if (child > 0) waitpid(child, nullptr, 0);
  const std::string next = error == ENOENT ? "; is the path right? (a program of this folder is ./NAME)" : "";
  return io_error(fmt::format("{}: cannot run: {}{}", launch.words[0], std::strerror(error), next));
}

Result<int> run(const Launch& launch) {
  // A Ctrl-C is for the program; we end as it does.
  auto* const on_interrupt = std::signal(SIGINT, SIG_IGN);
  auto* const on_quit = std::signal(SIGQUIT, SIG_IGN);
  // Not to be inherited as ignored.
  std::signal(SIGINT, on_interrupt == SIG_IGN ? SIG_IGN : SIG_DFL);
  std::signal(SIGQUIT, on_quit == SIG_IGN ? SIG_IGN : SIG_DFL);
  const auto child = start(launch);
  if (!child) return fail(child.error());
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGQUIT, on_quit);
  return status;
}

int exit_code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

void die_alike(int status) {
  if (!WIFSIGNALED(status)) return;
  // The core, if any, is the program's, not ours.
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(WTERMSIG(status), SIG_DFL);
  std::raise(WTERMSIG(status));
}

}  // namespace deadheat::record
