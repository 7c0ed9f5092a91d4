#include "base/partial_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "base/file.h"

namespace deadheat::base {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

// What a signal handler may look at: paths to remove, and whether they are some. Each thread at work writes a
// file or two; one that finds no slot is removed by its destructor only.
struct Guarded {
  std::atomic<bool> is_set{false};
  char path[PATH_MAX];
};
std::array<Guarded, 64> guarded;
std::mutex guarding;  // threads take slots and give them back; the handler does not wait
static_assert(std::atomic<bool>::is_always_lock_free, "else a signal handler may not use it");

void remove_and_die(int signal) {
  for (Guarded& slot : guarded) {
    if (slot.is_set.exchange(false)) ::unlink(slot.path);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void guard(const std::string& path) {
  const std::scoped_lock lock(guarding);
  const auto slot = std::ranges::find_if(guarded, [](const Guarded& g) { return !g.is_set; });
  if (slot == guarded.end() || path.size() >= sizeof slot->path) return;
  std::memcpy(slot->path, path.c_str(), path.size() + 1);
  slot->is_set = true;
  for (const int signal : kSignals) {
    // A signal that is ignored (nohup) stays so.
    if (std::signal(signal, remove_and_die) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

void unguard(const std::string& path) {
  const std::scoped_lock lock(guarding);
  for (Guarded& slot : guarded) {
    if (slot.is_set && path == slot.path) slot.is_set = false;
  }
}

// Behind symbolic links, so that the file is replaced and not the link to it.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

std::size_t start_of_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? 0 : slash + 1;
}

// Each attempt gives another name.
std::string name_beside(const std::string& target, int attempt) {
  const std::size_t start = start_of_name(target);
  const std::string name = target.substr(start);
  std::string suffix;
  for (const char* packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) suffix = packed;
  }
  constexpr std::size_t kLongest = 200;  // of the 255 bytes that file systems allow
  const std::string again = attempt == 0 ? "" : fmt::format("-{}", attempt);
  return fmt::format("{}.{}.partial-{}{}{}", target.substr(0, start), name.substr(0, kLongest), ::getpid(),
                     again, suffix);
}

// The path of a new, empty file beside the target, or "" and errno. What is there already, be it a link that
// somebody planted under this name or what a killed process left, is not touched: the next name is tried.
std::string create_beside(const std::string& target, mode_t mode) {
  constexpr int kAttempts = 1000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string path = name_beside(target, attempt);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd >= 0) {
      ::close(fd);
      return path;
    }
    if (errno != EEXIST) break;
  }
  return "";
}

}  // namespace

Result<PartialFile> PartialFile::create(const std::string& target) {
  if (target == "-") return PartialFile(target, target);
  struct stat st{};
  const bool exists = ::stat(target.c_str(), &st) == 0;
  if (exists && S_ISDIR(st.st_mode)) return io_error(target + ": is a directory; give the name of a file");
  if (exists && !S_ISREG(st.st_mode)) return PartialFile(target, target);
  if (exists && ::access(target.c_str(), W_OK) != 0) return fail(errno_error(target, "cannot write"));
  const std::string place = exists ? resolved(target) : target;
  const std::string path = create_beside(place, exists ? st.st_mode & 0777 : 0666);
  if (path.empty()) return fail(errno_error(target, "cannot write"));
  guard(path);
  return PartialFile(place, path);
}

PartialFile::PartialFile(std::string target, std::string path)
    : target_(std::move(target)), path_(std::move(path)), pending_(path_ != target_) {}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::move(other.path_)),
      pending_(std::exchange(other.pending_, false)) {}

PartialFile::~PartialFile() {
  if (!pending_) return;
  ::unlink(path_.c_str());
  forget();
}

Status PartialFile::commit() {
  if (!pending_) return {};
  if (::rename(path_.c_str(), target_.c_str()) != 0) return fail(errno_error(target_, "cannot write"));
  forget();
  return {};
}

void PartialFile::forget() {
  unguard(path_);
  pending_ = false;
}

Error PartialFile::renamed(Error error) const {
  if (path_ == target_) return error;
  for (std::size_t at = 0; (at = error.message.find(path_, at)) != std::string::npos; at += target_.size()) {
    error.message.replace(at, path_.size(), target_);
  }
  return error;
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat of_a{}, of_b{};
  return ::stat(a.c_str(), &of_a) == 0 && ::stat(b.c_str(), &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

bool is_same_target(const std::string& a, const std::string& b) {
  if (a == b || a == "-" || b == "-") return a == b;
  const auto folder = [](const std::string& path) {
    const std::size_t start = start_of_name(path);
    return start == 0 ? std::string(".") : path.substr(0, start);
  };
  const auto name = [](const std::string& path) { return path.substr(start_of_name(path)); };
  return is_same_file(a, b) || (name(a) == name(b) && is_same_file(folder(a), folder(b)));
}

}  // namespace deadheat::base
