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

std::string path_of(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

// A file without a name, in the folder of the target: nothing is left of it if the process is killed. -1
// where the file system, or the absence of /proc, does not allow it.
int create_nameless(const std::string& target, mode_t mode) {
  const std::size_t start = start_of_name(target);
  const std::string folder = start == 0 ? "." : target.substr(0, start);
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  if (fd < 0) return -1;
  if (::access(path_of(fd).c_str(), W_OK) == 0) return fd;
  ::close(fd);
  return -1;
}

int link_to(int fd, const std::string& name) {
  return ::linkat(AT_FDCWD, path_of(fd).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
}

tl::unexpected<Error> exists_already(const std::string& target) {
  return io_error(target + ": exists already, and is not overwritten; give another name, or --force");
}

}  // namespace

Result<PartialFile> PartialFile::create(const std::string& target, const Options& options) {
  if (target == "-") return PartialFile(target, target, -1, options.existing);
  struct stat st{};
  const bool exists = ::stat(target.c_str(), &st) == 0;
  if (exists && S_ISDIR(st.st_mode)) return io_error(target + ": is a directory; give the name of a file");
  if (exists && !S_ISREG(st.st_mode)) {
    if (options.others == Others::refuse) {
      return io_error(target + ": is no regular file; give the name of a new file");
    }
    return PartialFile(target, target, -1, options.existing);
  }
  struct stat link{};  // one that leads nowhere has the name, too
  if (options.existing == Existing::refuse && ::lstat(target.c_str(), &link) == 0) {
    return exists_already(target);
  }
  if (exists && ::access(target.c_str(), W_OK) != 0) return fail(errno_error(target, "cannot write"));
  const std::string place = exists ? resolved(target) : target;
  const mode_t mode = options.mode != 0 ? options.mode : exists ? st.st_mode & 0777 : 0666;
  if (options.naming == Naming::when_whole) {
    if (const int fd = create_nameless(place, mode); fd >= 0) {
      return PartialFile(place, path_of(fd), fd, options.existing);
    }
  }
  const std::string path = create_beside(place, mode);
  if (path.empty()) return fail(errno_error(target, "cannot write"));
  guard(path);
  return PartialFile(place, path, -1, options.existing);
}

PartialFile::PartialFile(std::string target, std::string path, int nameless, Existing existing)
    : target_(std::move(target)),
      path_(std::move(path)),
      nameless_(nameless),
      existing_(existing),
      pending_(path_ != target_) {}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::move(other.path_)),
      nameless_(std::exchange(other.nameless_, -1)),
      existing_(other.existing_),
      pending_(std::exchange(other.pending_, false)) {}

PartialFile::~PartialFile() {
  if (nameless_ >= 0) {
    ::close(nameless_);
  } else if (pending_) {
    ::unlink(path_.c_str());
    forget();
  }
}

Status PartialFile::commit() {
  if (!pending_) return {};
  if (auto done = nameless_ >= 0 ? name() : rename(); !done) return done;
  forget();
  return {};
}

// Only what is to be replaced gets another name for a moment: a link does not replace.
Status PartialFile::name() {
  if (link_to(nameless_, target_) == 0) return {};
  if (errno != EEXIST) return fail(errno_error(target_, "cannot write"));
  if (existing_ == Existing::refuse) return exists_already(target_);
  constexpr int kAttempts = 1000;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string beside = name_beside(target_, attempt);
    if (link_to(nameless_, beside) != 0) {
      if (errno == EEXIST) continue;
      break;
    }
    if (::rename(beside.c_str(), target_.c_str()) == 0) return {};
    const int error = errno;
    ::unlink(beside.c_str());
    errno = error;
    break;
  }
  return fail(errno_error(target_, "cannot write"));
}

Status PartialFile::rename() {
  if (existing_ == Existing::refuse) {
    // Does not replace what has come meanwhile.
    if (::link(path_.c_str(), target_.c_str()) != 0) {
      if (errno == EEXIST) return exists_already(target_);
      return fail(errno_error(target_, "cannot write"));
    }
    ::unlink(path_.c_str());
    return {};
  }
  if (::rename(path_.c_str(), target_.c_str()) != 0) return fail(errno_error(target_, "cannot write"));
  return {};
}

void PartialFile::forget() {
  if (nameless_ < 0) unguard(path_);
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
