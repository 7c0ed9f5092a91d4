#include "analysis/analyze_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>

#include "analysis/window_runner.h"

namespace deadheat::analysis {

namespace {

using Clock = std::chrono::steady_clock;
using filter::Window;

// A longer window is shown to engines as it is read, and its variables are not numbered anew.
constexpr std::uint64_t kMostNumbered = std::uint64_t{1} << 20;
// So many windows that follow each other are of one thread at work: they may share blocks.
constexpr std::size_t kTogether = 8;

// The blocks that a window touches.
struct Place {
  Window window;
  std::size_t first_block = 0, blocks = 0;
};

struct Work {
  std::vector<Place> places;
  std::vector<BlockInfo> blocks;  // each once, in order
};

Result<Work> find_blocks(TraceReader& reader, std::span<const Window> windows) {
  Work work;
  for (const Window& window : windows) {
    Place place{window};
    for (std::uint64_t at = window.begin; at < window.end;) {
      std::optional<BlockInfo> block;
      if (!work.blocks.empty() && at < work.blocks.back().first + work.blocks.back().events) {
        block = work.blocks.back();
      } else {
        const auto found = reader.block_of(at);
        if (!found) return fail(found.error());
        block = *found;
        work.blocks.push_back(*block);
      }
      if (place.blocks++ == 0) place.first_block = work.blocks.size() - 1;
      at = block->first + block->events;
    }
    work.places.push_back(place);
  }
  return work;
}

// One thread at work.
class Worker {
 public:
  Worker(TraceReader& reader, const AnalyzeOptions& options, const Work& work)
      : reader_(reader), work_(work), runner_(options), has_read_(work.blocks.size()) {}

  Status run(const Place& place) {
    events_.clear();
    if (auto begun = runner_.begin(place.window.begin); !begun) return begun;
    const bool numbered = place.window.size() <= kMostNumbered;
    for (std::size_t i = 0; i < place.blocks; ++i) {
      const auto block = read(place.first_block + i);
      if (!block) return fail(block.error());
      events_.add(clipped(**block, place.window.begin, place.window.end));
      if (numbered) continue;
      events_.number(WindowEvents::Extent::part);
      if (auto fed = runner_.feed(events_); !fed) return fed;
      events_.drop_events();
    }
    if (numbered) {
      events_.number(WindowEvents::Extent::whole);
      if (auto fed = runner_.feed(events_); !fed) return fed;
    }
    runner_.end(events_);
    return {};
  }
  const WindowRunner& runner() const { return runner_; }
  bool has_read(std::size_t block) const { return has_read_[block]; }

 private:
  Result<const BlockView*> read(std::size_t number) {
    if (number == in_hand_) return view_;
    auto view = reader_.read(work_.blocks[number]);
    if (!view) return view;
    in_hand_ = number;
    has_read_[number] = true;
    view_ = *view;
    return view_;
  }

  TraceReader& reader_;
  const Work& work_;
  WindowRunner runner_;
  WindowEvents events_;
  std::vector<bool> has_read_;  // by block
  std::size_t in_hand_ = SIZE_MAX;
  const BlockView* view_ = nullptr;
};

// What was done of the windows until time was up, or all.
struct Done {
  Findings findings;
  bool all = true;
  std::uint64_t windows = 0, events = 0;
  std::uint64_t bytes = 0;  // of blocks that were read, each once
};

class Team {
 public:
  Team(const Work& work, Clock::time_point until) : work_(work), until_(until) {}

  void work(Worker& worker) {
    while (!stop_) {
      const std::size_t first = next_.fetch_add(kTogether);
      const std::size_t end = std::min(first + kTogether, work_.places.size());
      for (std::size_t i = first; i < end && !stop_; ++i) {
        if (Clock::now() >= until_) {
          late_ = true;
          return;
        }
        if (auto done = try_window(worker, work_.places[i]); !done) return fail_at(i, done.error());
        windows_ += 1;
        events_ += work_.places[i].window.size();
      }
      if (first >= work_.places.size()) return;
    }
  }
  bool late() const { return late_; }
  std::uint64_t windows() const { return windows_; }
  std::uint64_t events() const { return events_; }
  const std::optional<Error>& error() const { return error_; }

 private:
  static Status try_window(Worker& worker, const Place& place) {
    try {
      return worker.run(place);
    } catch (const std::bad_alloc&) {
      return io_error("out of memory");
    }
  }
  // Of several errors the one that is first in the trace, as far as others got.
  void fail_at(std::size_t place, Error error) {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    if (error_ && failed_ < place) return;
    failed_ = place;
    error_ = std::move(error);
  }

  const Work& work_;
  Clock::time_point until_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false, late_ = false;
  std::atomic<std::uint64_t> windows_ = 0, events_ = 0;
  std::mutex mutex_;
  std::size_t failed_ = 0;
  std::optional<Error> error_;
};

Result<Done> run(const std::string& path, TraceReader& reader, const AnalyzeOptions& options,
                 const Work& work, Clock::time_point until) {
  std::vector<std::unique_ptr<TraceReader>> readers;
  std::vector<std::unique_ptr<Worker>> workers;
  workers.push_back(std::make_unique<Worker>(reader, options, work));
  const std::size_t most = std::min<std::size_t>(options.jobs, work.places.size() / kTogether + 1);
  while (workers.size() < most) {
    auto another = TraceReader::open(path);
    if (!another) break;  // out of descriptors: fewer do
    readers.push_back(std::move(*another));
    workers.push_back(std::make_unique<Worker>(*readers.back(), options, work));
  }
  Team team(work, until);
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers.size(); ++i) {
    try {
      threads.emplace_back([&team, &worker = *workers[i]] { team.work(worker); });
    } catch (const std::exception&) {
      break;
    }
  }
  team.work(*workers.front());
  for (std::thread& thread : threads) thread.join();
  if (team.error()) return fail(*team.error());

  Done done{.findings = {}, .all = !team.late(), .windows = team.windows(), .events = team.events()};
  for (std::size_t i = 0; i < work.blocks.size(); ++i) {
    const bool read = std::ranges::any_of(workers, [i](const auto& worker) { return worker->has_read(i); });
    done.bytes += read ? work.blocks[i].bytes : 0;
  }
  std::vector<RaceLog::Told> told;
  for (const engine::Choice& choice : options.engines) told.push_back({{}, choice.row->grade});
  for (const auto& worker : workers) {
    worker->runner().add_to(done.findings);
    for (std::size_t i = 0; i < told.size(); ++i) told[i].logs.push_back(&worker->runner().logs()[i]);
  }
  done.findings.races = RaceLog::put_together(told);
  done.findings.events = reader.events();
  return done;
}

void describe(WindowsRun& about, const TraceReader& reader, const filter::WindowPlan& plan,
              std::uint64_t bytes) {
  about.plan = plan;
  about.bytes_read = bytes;
  about.file_bytes = reader.file_bytes();
}

}  // namespace

Result<const filter::Choice*> choice_of_windows(const AnalyzeOptions& options) {
  const filter::Choice* found = nullptr;
  for (const filter::Choice& choice : options.filters) {
    if (!choice.is_of_windows()) continue;
    if (found != nullptr) {
      return fail({Error::Kind::usage, fmt::format("{} and {}: there can be one sampler of windows only",
                                                   found->name(), choice.name())});
    }
    found = &choice;
  }
  return found;
}

Result<Findings> analyze_places(const std::string& path, TraceReader& reader, const AnalyzeOptions& options,
                                std::span<const Window> places) {
  const auto work = find_blocks(reader, places);
  if (!work) return fail(work.error());
  auto done = run(path, reader, options, *work, Clock::time_point::max());
  if (!done) return fail(std::move(done).error());
  return std::move(done->findings);
}

Result<std::optional<Findings>> analyze_windows(const std::string& path, TraceReader& reader,
                                                const AnalyzeOptions& options,
                                                const filter::WindowOptions& windows, WindowsRun& about) {
  const Summary& totals = reader.totals();
  const bool by_steps = windows.budget_s > 0;
  const auto until = by_steps ? Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(windows.budget_s))
                              : Clock::time_point::max();
  filter::WindowOptions step = windows;
  if (by_steps) step.eps = 0.5;
  std::optional<Findings> findings;
  // Header, footer and index are read besides; each block counts once, whoever reads it.
  std::uint64_t bytes = reader.bytes_read();
  about.seed = windows.seed;
  for (bool more = true; more; step.eps /= 2) {
    const auto plan = filter::plan_windows(step, totals.threads, totals.max_locks_held);
    if (totals.events < plan.shortest) {
      // The whole of it says more than all windows, and takes not much longer than those before.
      about.whole = true;
      describe(about, reader, plan, reader.file_bytes());
      return std::nullopt;
    }
    auto places = filter::draw_windows(plan, totals.events, windows.seed);
    const std::uint64_t before = reader.bytes_read();
    const auto work = find_blocks(reader, places);
    if (!work) return fail(work.error());
    bytes += reader.bytes_read() - before;
    auto done = run(path, reader, options, *work, until);
    if (!done) return fail(std::move(done).error());
    bytes += done->bytes;
    const bool racy = !done->findings.races.empty();
    about.steps += by_steps && (done->all || racy) ? 1 : 0;
    more = by_steps && done->all && !racy;
    // Of a step that was cut short only races count.
    if (!done->all && !racy && findings) break;
    about.cut_short = !done->all && !racy;
    about.kept = plan.count;
    about.windows = done->windows;
    about.events = done->events;
    about.places = std::move(places);
    describe(about, reader, plan, bytes);
    findings = std::move(done->findings);
    if (Clock::now() >= until) break;
  }
  about.bytes_read = bytes;
  return findings;
}

}  // namespace deadheat::analysis
