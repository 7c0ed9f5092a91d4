#include "record/recorder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>

#include "base/format.h"
#include "base/partial_file.h"
#include "record/merger.h"
#include "record/shared_session.h"
#include "record/transcriber.h"

namespace deadheat::record {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// What the signal handlers see.
std::atomic<runtime::Session*> g_session{nullptr};
std::atomic<pid_t> g_child{0};
std::atomic<unsigned> g_toggles{0};

// One of the terminal reached the program too; one sent to us alone is passed on. We live to finish the file.
void pass_on(int signal, siginfo_t* info, void* /*unused*/) {
  const int error = errno;
  const pid_t child = g_child;
  if (info->si_code <= 0 && child > 0) kill(child, signal);
  errno = error;
}

void ring(int /*signal*/) {
  const int error = errno;
  if (runtime::Session* const session = g_session) SharedSession::ring(session);
  errno = error;
}

void note_toggle(int signal) {
  ++g_toggles;
  ring(signal);
}

class Signals {
 public:
  Signals() {
    for (const int signal : kPassedOn) {
      struct sigaction action{};
      action.sa_sigaction = pass_on;
      action.sa_flags = SA_SIGINFO | SA_RESTART;
      set(signal, action);
    }
    struct sigaction action{};
    action.sa_flags = SA_RESTART;
    action.sa_handler = note_toggle;
    set(SIGUSR1, action);
    action.sa_handler = ring;
    set(SIGCHLD, action);
  }
  ~Signals() {
    for (std::size_t i = 0; i < saved_; ++i) sigaction(old_[i].first, &old_[i].second, nullptr);
    g_session = nullptr;
    g_child = 0;
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  static constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

  void set(int signal, const struct sigaction& action) {
    struct sigaction old{};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler == SIG_IGN && signal != SIGCHLD) return;  // nohup
    sigaction(signal, &action, nullptr);
    old_[saved_++] = {signal, old};
  }

  std::array<std::pair<int, struct sigaction>, 8> old_{};
  std::size_t saved_ = 0;
};

// The file being written, and those before it.
class Files {
 public:
  explicit Files(const RecordOptions& options) : options_(options) {}

  // Refuses, before the program runs, what would have to be overwritten.
  Status open() {
    if (options_.max_bytes != 0 && !options_.replace) {
      if (auto none = refuse_later_files(); !none) return none;
    }
    return open_next();
  }
  // What is being written is worth a name: from here on it is there even if this process is killed.
  Status publish() {
    if (!pending_) return {};
    if (auto named = pending_->commit(); !named) return named;
    struct stat st{};
    if (::stat(pending_->path().c_str(), &st) == 0 || ::stat(pending_->target().c_str(), &st) == 0) {
      ours_.push_back({pending_->target(), st.st_dev, st.st_ino});
    }
    pending_.reset();
    return {};
  }
  TraceWriter& writer() { return *writer_; }
  bool is_full() const { return options_.max_bytes != 0 && writer_->bytes_written() >= options_.max_bytes; }
  Status close(const Completeness& completeness) {
    writer_->declare(completeness);
    const Status status = writer_->finish();
    bytes_ += writer_->bytes_written();
    return status;
  }
  // Closed ones are complete: the new one begins with what the transcriber knows to hold.
  Status rotate(Transcriber& transcriber, const Completeness& completeness) {
    transcriber.flush();
    std::unique_ptr<TraceWriter> old = std::move(writer_);
    ++number_;
    auto opened = open_next();
    if (opened) opened = publish();
    if (!opened) {
      writer_ = std::move(old);
      --number_;
      return opened;
    }
    old->declare(completeness);
    const Status closed = old->finish();
    bytes_ += old->bytes_written();
    transcriber.continue_in(*writer_);
    if (options_.keep_files != 0 && number_ >= options_.keep_files) {
      removed_ += remove_oldest() ? 1 : 0;
    }
    return closed;
  }

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t count() const { return number_ + 1; }
  std::uint64_t removed() const { return removed_; }

 private:
  struct Ours {
    std::string path;
    dev_t device;
    ino_t inode;
  };

  Status open_next() {
    using base::PartialFile;
    auto file = PartialFile::create(
        file_name(options_.path, number_),
        {.existing = options_.replace ? PartialFile::Existing::replace : PartialFile::Existing::refuse,
         .others = PartialFile::Others::refuse,
         .mode = options_.mode});
    if (!file) return fail(file.error());
    auto writer = TraceWriter::create(file->path());
    if (!writer) return fail(file->renamed(writer.error()));
    writer_ = std::move(*writer);
    pending_.emplace(std::move(*file));
    return {};
  }
  Status refuse_later_files() const {
    const std::filesystem::path path(options_.path);
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const std::string start = path.filename().string() + ".";
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(start) || name.size() == start.size()) continue;
      if (!std::ranges::all_of(name.substr(start.size()), [](char c) { return c >= '0' && c <= '9'; }))
        continue;
      return io_error(fmt::format(
          "{}: exists already, and the recording may come to this name; give another -o, or --force",
          path.has_parent_path() ? (folder / name).string() : name));
    }
    return {};
  }
  // What has the name by now may be another file, which is not ours to remove.
  bool remove_oldest() {
    if (ours_.empty()) return false;
    const Ours oldest = ours_.front();
    ours_.erase(ours_.begin());
    struct stat st{};
    return ::lstat(oldest.path.c_str(), &st) == 0 && S_ISREG(st.st_mode) && st.st_dev == oldest.device &&
           st.st_ino == oldest.inode && ::unlink(oldest.path.c_str()) == 0;
  }

  const RecordOptions& options_;
  std::optional<base::PartialFile> pending_;  // has no name yet
  std::vector<Ours> ours_;                    // files of this run, the oldest first
  std::unique_ptr<TraceWriter> writer_;
  std::uint64_t number_ = 0, bytes_ = 0, removed_ = 0;
};

// Which accesses are kept, and when.
class Gate {
 public:
  Gate(SharedSession& session, const RecordOptions& options) : session_(session), options_(options) {
    wanted_ = options.rate ? runtime::Accesses::some : runtime::Accesses::all;
    if (options.rate) {
      constexpr double kAll = 4294967296.0;
      session->rate = static_cast<std::uint32_t>(std::min(*options.rate * kAll, kAll - 1));
    }
    const auto now = steady_clock::now();
    if (options.after > std::chrono::nanoseconds{}) opens_ = now + options.after;
    if (options.duration) closes_ = now + options.after + *options.duration;
    // What is off at first, or will be, is missing: who toggles it says so then.
    if (options.rate || options.is_paused || opens_ || closes_) note_sampling();
    session->accesses = options.is_paused || opens_ ? runtime::Accesses::off : wanted_;
  }

  void look() {
    const auto now = steady_clock::now();
    if (opens_ && now >= *opens_) {
      opens_.reset();
      keep(wanted_);
    }
    if (closes_ && now >= *closes_) {
      closes_.reset();
      keep(runtime::Accesses::off);
    }
    for (; g_toggles > 0; --g_toggles) {
      keep(session_->accesses == runtime::Accesses::off ? wanted_ : runtime::Accesses::off);
    }
  }
  // How long nothing is to be done here.
  milliseconds until_next(milliseconds most) const {
    const auto now = steady_clock::now();
    for (const auto& when : {opens_, closes_}) {
      if (when) most = std::clamp(std::chrono::ceil<milliseconds>(*when - now), milliseconds{0}, most);
    }
    return most;
  }

 private:
  void keep(runtime::Accesses accesses) {
    if (session_->accesses == accesses) return;
    note_sampling();
    session_.keep(accesses);
    if (options_.on_change) options_.on_change(accesses != runtime::Accesses::off);
  }

  void note_sampling() {
    __atomic_or_fetch(&session_->incomplete, static_cast<std::uint32_t>(runtime::Incomplete::sampled),
                      __ATOMIC_RELAXED);
  }

  SharedSession& session_;
  const RecordOptions& options_;
  runtime::Accesses wanted_;
  std::optional<steady_clock::time_point> opens_, closes_;
};

void warn(std::vector<Warning>& warnings, std::uint64_t count, std::string message) {
  if (count > 0) warnings.push_back({.message = std::move(message), .count = count});
}

std::vector<Warning> warnings_of(const runtime::Session& session, const Merger& merger,
                                 const Transcriber& transcriber) {
  std::vector<Warning> out = transcriber.losses().warnings();
  const runtime::Lost& lost = session.lost;
  warn(out, lost.stacks, "a call has no stack: there were more than 4 M distinct ones");
  warn(out, lost.frames, "a call was too deep for its stack to be kept whole");
  warn(out, lost.modules, "a loaded object did not fit: places in it are bare addresses");
  warn(out, lost.processes, "a process was forked off, and is not in the recording");
  warn(out, lost.threads, "a thread is not in the recording: too many are alive, or there is no memory");
  warn(out, lost.spins, "an atomic operation in a waiting loop saw what the one before it saw: left out");
  warn(out, lost.jumps, "a call of setjmp was forgotten: behind a jump to it stacks are too deep");
  warn(out, merger.broken_records(), "a record was cut short by the end of the program: left out");
  if (merger.is_damaged()) {
    out.push_back({.message =
                       "the memory shared with the program is damaged: it wrote where it should not; the "
                       "recording ends there, and has what was read until then",
                   .is_incomplete = true});
  }
  if (merger.chunks_beyond() > 0) {
    out.push_back({.message = fmt::format("memory bound exceeded by {}, because of {}: each needs {}",
                                          base::byte_count(merger.chunks_beyond() * runtime::kChunkBytes),
                                          base::counted(merger.most_streams(), "thread"),
                                          base::byte_count(runtime::kChunkBytes))});
  }
  return out;
}

// Of the trace so far. What the program lost is missing as well as what it left out.
Completeness completeness_of(const runtime::Session& session, const Transcriber& transcriber) {
  std::uint32_t omissions = __atomic_load_n(&session.incomplete, __ATOMIC_RELAXED) | transcriber.omissions();
  if (session.lost.threads > 0) omissions |= static_cast<std::uint32_t>(Omission::ignored);
  return Completeness::without(omissions);
}

// Until the program has ended; its status.
class Loop {
 public:
  Loop(SharedSession& session, Gate& gate, Merger& merger, Transcriber& transcriber, Files& files,
       const RecordOptions& options)
      : session_(session),
        gate_(gate),
        merger_(merger),
        transcriber_(transcriber),
        files_(files),
        options_(options) {}

  int run(pid_t child) {
    int status = 0;
    milliseconds patience = kLeast;
    while (true) {
      const std::uint32_t filled = session_.filled();
      gate_.look();
      const bool ended = has_ended(child, status);
      publish();
      const bool worked = !merger_.is_damaged() && merger_.round(transcriber_);
      if (merger_.is_damaged() && !is_abandoned_) {
        is_abandoned_ = true;
        session_.abandon();
      }
      merger_.relieve();
      tend_files();
      if (ended) break;
      if (options_.progress) options_.progress(transcriber_.events());
      patience = worked ? kLeast : std::min(2 * patience, kMost);
      session_.wait(filled, gate_.until_next(patience));
    }
    if (!merger_.is_damaged()) merger_.finish(transcriber_);
    transcriber_.flush();
    return status;
  }
  const std::optional<Error>& failure() const { return failure_; }
  bool is_status_known() const { return is_status_known_; }

 private:
  static constexpr milliseconds kLeast{10}, kMost{100};

  // Where the system does not say, there is nothing to wait for: the recording ends.
  bool has_ended(pid_t child, int& status) {
    const pid_t got = waitpid(child, &status, WNOHANG);
    if (got >= 0 || errno == EINTR) return got == child;
    is_status_known_ = false;
    return true;
  }
  void publish() {
    if (is_published_ || session_->program == 0 || failure_) return;
    is_published_ = true;
    if (auto named = files_.publish(); !named) failure_ = named.error();
  }

  void tend_files() {
    if (!failure_ && transcriber_.failure()) failure_ = transcriber_.failure();
    if (failure_ || !files_.is_full()) return;
    if (auto ok = files_.rotate(transcriber_, completeness_of(*session_, transcriber_)); !ok)
      failure_ = ok.error();
  }

  SharedSession& session_;
  Gate& gate_;
  Merger& merger_;
  Transcriber& transcriber_;
  Files& files_;
  const RecordOptions& options_;
  std::optional<Error> failure_;
  bool is_status_known_ = true, is_published_ = false, is_abandoned_ = false;
};

}  // namespace

std::string file_name(const std::string& path, std::uint64_t number) {
  return number == 0 ? path : fmt::format("{}.{}", path, number);
}

Result<Recording> record(Launch launch, const RecordOptions& options) {
  auto session = SharedSession::create({.memory_bytes = options.memory_bytes});
  if (!session) return fail(session.error());
  Files files(options);
  if (auto ok = files.open(); !ok) return fail(ok.error());
  Gate gate(*session, options);
  Merger merger(*session);
  Transcriber transcriber(**session, files.writer(), options.scope);
  Loop loop(*session, gate, merger, transcriber, files, options);

  launch.environment.emplace_back(runtime::kSessionVariable, std::to_string(session->descriptor()));
  launch.descriptor = session->descriptor();
  g_session = session->get();
  const Signals signals;
  const auto child = start(launch);
  if (!child) {
    return fail(child.error());
  }
  g_child = *child;
  Recording out{.status = loop.run(*child)};
  session->leave();
  out.is_attached = (*session)->program != 0;
  if (!out.is_attached) return out;
  out.is_status_known = loop.is_status_known();
  if (auto named = files.publish(); !named) return fail(named.error());
  if (loop.failure()) return fail(*loop.failure());
  if (transcriber.failure()) return fail(*transcriber.failure());
  if (auto ok = files.close(completeness_of(**session, transcriber)); !ok) return fail(ok.error());
  out.events = transcriber.events();
  out.bytes = files.bytes();
  out.threads = transcriber.threads();
  out.files = files.count();
  out.files_removed = files.removed();
  out.warnings = warnings_of(**session, merger, transcriber);
  return out;
}

}  // namespace deadheat::record
