#include "analysis/one_pass.h"

#include <algorithm>
#include <bit>

#include "analysis/window_runner.h"
#include "base/progress.h"
#include "filter/reservoir.h"
#include "model/held_locks.h"

namespace deadheat::analysis {

namespace {

using filter::WindowPlan;
using Mode = model::HeldLocks::Mode;

// Threads and locks held of the trace so far.
class Sizes {
 public:
  void add(const BlockView& block) {
    for (const std::uint32_t t : block.thread) threads_ = std::max(threads_, t + std::uint64_t{1});
    syncs_.clear();
    for (const Op& op : block.ops) {
      const ObjectKind kind = object_kind(op.kind);
      syncs_.push_back(kind == ObjectKind::lock || kind == ObjectKind::thread ? 1 : 0);
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (syncs_[block.op[i]] != 0) sync(block[i]);
    }
  }
  std::uint64_t threads() const { return threads_; }
  std::uint64_t held() const { return most_held_; }

 private:
  void sync(const Event& e) {
    const LockId l{e.object};
    switch (e.op.kind) {
      case EventKind::acquire:
        held_.acquire(e.thread, l, Mode::exclusive, 0);
        break;
      case EventKind::acquire_shared:
        held_.acquire(e.thread, l, Mode::shared, 0);
        break;
      case EventKind::release:
        held_.release(e.thread, l, Mode::exclusive);
        break;
      case EventKind::release_shared:
        held_.release(e.thread, l, Mode::shared);
        break;
      default:
        threads_ = std::max(threads_, e.object + std::uint64_t{1});
    }
    most_held_ = std::max<std::uint64_t>(most_held_, held_.total());
  }

  model::HeldLocks held_;
  std::uint64_t threads_ = 0, most_held_ = 0;
  std::vector<std::uint8_t> syncs_;  // by operation
};

class OnePass {
 public:
  OnePass(const AnalyzeOptions& options, const filter::WindowOptions& windows)
      : windows_(windows),
        runner_(options),
        reservoir_(filter::plan_windows(windows, 1, 0).count, windows.seed) {}

  Status feed(const BlockView& block) {
    sizes_.add(block);
    // With room to grow: windows that were too short are of no use once m is larger.
    filter::WindowOptions roomy = windows_;
    roomy.m = filter::plan_windows(windows_, sizes_.threads(), sizes_.held()).m;
    if (roomy.m > plan_.m) {
      if (windows_.m == 0) roomy.m = std::bit_ceil(roomy.m);
      plan_ = filter::plan_windows(roomy, 0, 0);
    }
    // A window that is open grows with the plan; and a trace that may turn out to be short is looked at
    // whole.
    if (open_) open_until_ = std::max(open_until_, last_begin_ + plan_.length);
    if (open_ && places_.size() == 1 && places_[0].begin == 0)
      open_until_ = std::max(open_until_, plan_.shortest);
    const std::uint64_t end = block.first + block.size();
    for (std::uint64_t at = block.first; at < end;) {
      if (at >= open_until_) {
        close();
        if (reservoir_.next() >= end) break;
        at = reservoir_.next();
        if (auto begun = open(at); !begun) return begun;
      }
      while (reservoir_.next() < std::min(open_until_, end)) take();
      const std::uint64_t to = std::min(open_until_, end);
      events_.add(clipped(block, at, to));
      events_.number(WindowEvents::Extent::part);
      if (auto fed = runner_.feed(events_); !fed) return fed;
      events_.drop_events();
      seen_ += to - at;
      places_.back().end = to;
      at = to;
    }
    events_so_far_ = end;
    reservoir_.forget(end, 4 * plan_.length);  // it may still grow
    return {};
  }

  Findings finish(WindowsRun& about) {
    if (open_) {
      runner_.end(events_);
      open_ = false;
    }
    about.one_pass = true;
    about.seed = windows_.seed;
    about.plan = filter::plan_windows(windows_, sizes_.threads(), sizes_.held());
    about.windows = places_.size();
    about.events = seen_;
    about.whole = seen_ == events_so_far_;
    about.kept = about.whole ? 0 : windows_kept(about.plan);
    about.places = std::move(places_);
    Findings findings;
    runner_.add_to(findings);
    std::vector<RaceLog::Told> told;
    for (std::size_t i = 0; i < findings.engines.size(); ++i) {
      told.push_back({{&runner_.logs()[i]}, findings.engines[i].row->grade});
    }
    findings.races = RaceLog::put_together(told);
    findings.events = events_so_far_;
    return findings;
  }

 private:
  void take() {
    last_begin_ = reservoir_.next();
    open_until_ = std::max(open_until_, last_begin_ + plan_.length);
    reservoir_.take();
  }
  Status open(std::uint64_t at) {
    events_.clear();
    open_ = true;
    open_until_ = at == 0 ? plan_.shortest : at;
    places_.push_back({at, at});
    take();
    return runner_.begin(at);
  }
  void close() {
    if (open_) runner_.end(events_);
    open_ = false;
  }
  // Of the windows that are as long as the plan wants it, and whole.
  std::uint64_t windows_kept(const WindowPlan& plan) const {
    if (events_so_far_ < plan.shortest) return 0;
    std::uint64_t kept = 0;
    for (const std::uint64_t begin : reservoir_.begins(events_so_far_, plan.length)) {
      const auto place = std::ranges::upper_bound(places_, begin, {}, &filter::Window::begin) - 1;
      kept += begin + plan.length <= place->end ? 1 : 0;
    }
    return kept;
  }

  filter::WindowOptions windows_;
  WindowRunner runner_;
  filter::Reservoir reservoir_;
  WindowPlan plan_;
  Sizes sizes_;
  WindowEvents events_;
  bool open_ = false;
  std::uint64_t open_until_ = 0, last_begin_ = 0;
  std::uint64_t seen_ = 0, events_so_far_ = 0;
  std::vector<filter::Window> places_;
};

}  // namespace

Result<Findings> analyze_one_pass(Source& source, const AnalyzeOptions& options,
                                  const filter::WindowOptions& windows, WindowsRun& about) {
  OnePass pass(options, windows);
  base::ProgressLine line("analyze", "events");
  while (true) {
    const auto block = source.next();
    if (!block) return fail(block.error());
    if (*block == nullptr) break;
    if (auto fed = pass.feed(**block); !fed) return fail(fed.error());
    const Progress progress = source.progress();
    if (options.progress)
      line.update((*block)->first + (*block)->size(), progress.done_bytes, progress.total_bytes);
  }
  return pass.finish(about);
}

}  // namespace deadheat::analysis
