#include "inject/set.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <unordered_set>

#include "base/partial_file.h"
#include "base/random.h"
#include "inject/attempts.h"
#include "labels/truth.h"
#include "model/block_builder.h"
#include "trace/text_file.h"
#include "trace/text_writer.h"

namespace deadheat::inject {

namespace {

namespace fs = std::filesystem;

// So many attempts for a trace, and for a switch: then there is nothing more to be had.
constexpr std::uint64_t kAttemptsForTrace = 20, kRounds = 4;

std::string_view ending(Format format) {
  return format == Format::dht ? ".dht" : format == Format::std ? ".std" : ".txt";
}

std::uint64_t digest_of(const Injected& made) {
  std::uint64_t digest = 0;
  for (const Event& e : made.events) {
    const std::uint64_t word = (std::uint64_t{index(e.thread)} << 40) ^ (std::uint64_t{e.object} << 8) ^
                               static_cast<std::uint64_t>(e.op.kind);
    digest = base::Random(digest ^ word)();
  }
  return digest;
}

std::string json_string(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::unique_ptr<Sink>> open_sink(const base::PartialFile& file, Format format) {
  if (format == Format::dht) {
    auto writer = TraceWriter::create(file.path());
    if (!writer) return fail(writer.error());
    return std::move(*writer);
  }
  auto writer = trace::TextWriter::create(file.path(), file.target(), {.extended = format == Format::text});
  if (!writer) return fail(writer.error());
  return std::move(*writer);
}

Status write_trace(const std::string& path, Format format, const std::vector<Event>& events,
                   const BaseTrace& base) {
  auto partial = base::PartialFile::create(path);
  if (!partial) return fail(partial.error());
  auto sink = open_sink(*partial, format);
  if (!sink) return fail(partial->renamed(sink.error()));
  model::BlockBuilder block;
  for (std::uint64_t i = 0; i < events.size(); ++i) {
    block.append(events[i]);
    if (!block.full() && i + 1 < events.size()) continue;
    if (const Status ok = (*sink)->append(block.view(i + 1 - block.size()), base.names); !ok) {
      return fail(partial->renamed(ok.error()));
    }
    block.clear();
  }
  (*sink)->declare(base.completeness);
  if (const Status ok = (*sink)->finish(); !ok) return fail(partial->renamed(ok.error()));
  return partial->commit();
}

class Making {
 public:
  Making(const BaseTrace& base, const SetOptions& options, Attempts attempts)
      : base_(base),
        options_(options),
        attempts_(std::move(attempts)),
        start_(std::chrono::steady_clock::now()) {
    for (const Attempt& a : attempts_.before()) {
      if (report_.made == options_.traces) break;
      count(a);
    }
    report_.found = report_.made;
    next_ = decided_ = recorded_ = attempts_.before().size();
    most_ = kAttemptsForTrace * options_.traces + kRounds * base_.switches.size();
  }

  Result<SetReport> run() {
    if (report_.made < options_.traces) {
      if (const Status ok = write_set(false); !ok) return fail(ok.error());
      std::vector<std::thread> others;
      for (unsigned i = 1; i < options_.jobs; ++i) others.emplace_back([this] { work(); });
      work();
      for (std::thread& other : others) other.join();
      if (!status_) return fail(status_.error());
    }
    report_.whole = report_.made >= options_.traces;
    if (const Status ok = write_set(!report_.out_of_time); !ok) return fail(ok.error());
    return report_;
  }

 private:
  std::string name_of(std::uint64_t attempt) const { return fmt::format("{}-{:06}", base_.name, attempt); }
  std::string file_of(std::uint64_t attempt, bool twin) const {
    return name_of(attempt) + (twin ? "-twin" : "") + std::string(ending(options_.format));
  }

  void count(const Attempt& a) {
    ++report_.attempts;
    ++report_.failures[static_cast<std::size_t>(a.failure)];
    report_.again += a.again ? 1 : 0;
    if (a.failure != Failure::none || a.again) return;
    ++report_.made;
    report_.twins += a.twin ? 1 : 0;
    known_.insert(a.digest);
    traces_.push_back(file_of(a.number, false));
    if (a.twin) traces_.push_back(file_of(a.number, true));
    report_.least_distance = report_.made == 1 ? a.distance : std::min(report_.least_distance, a.distance);
    report_.most_distance = std::max(report_.most_distance, a.distance);
    report_.all_distances += a.distance;
  }

  bool is_over() {
    if (!status_ || report_.out_of_time || promised_ + report_.made >= options_.traces) return true;
    if (options_.time && std::chrono::steady_clock::now() - start_ > *options_.time)
      report_.out_of_time = true;
    return report_.out_of_time;
  }

  // Attempts are decided about in their order, and told of in their order; in between, files are written.
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      if (is_over() || next_ >= most_) break;
      const std::uint64_t number = next_++;
      lock.unlock();
      Injected made = inject(base_, options_.wishes, options_.seed, number);
      Attempt attempt{.number = number, .point = made.point, .failure = made.failure};
      if (made.failure == Failure::none) {
        attempt.digest = digest_of(made);
        attempt.distance = made.pairs[0].witness.later - made.pairs[0].witness.earlier - 1;
        attempt.twin = made.twin.has_value();
      }
      lock.lock();
      changed_.wait(lock, [&] { return decided_ == number; });
      ++decided_;
      changed_.notify_all();
      if (is_over()) break;
      attempt.again = made.failure == Failure::none && !known_.insert(attempt.digest).second;
      const bool wanted = made.failure == Failure::none && !attempt.again;
      promised_ += wanted ? 1 : 0;
      lock.unlock();
      Status written;
      if (wanted) written = write(made, attempt);
      lock.lock();
      changed_.wait(lock, [&] { return recorded_ == number; });
      if (written) written = attempts_.add(attempt);
      if (!written && status_) status_ = written;
      promised_ -= wanted ? 1 : 0;
      if (status_) count(attempt);
      if (report_.refusal.empty()) report_.refusal = made.why;
      report_.effort += made.effort;
      ++recorded_;
      changed_.notify_all();
      options_.progress(report_.made);
    }
  }

  Status write(const Injected& made, const Attempt& attempt) const {
    Status ok = write_labelled(made.events, made.pairs, attempt, false, "");
    if (ok && made.twin) {
      ok = write_labelled(made.twin->events, {made.twin->pair}, attempt, true, made.twin->means);
    }
    return ok;
  }

  Status write_labelled(const std::vector<Event>& events, const std::vector<LabelledPair>& pairs,
                        const Attempt& attempt, bool twin, std::string_view means) const {
    labels::Truth truth{.trace = file_of(attempt.number, twin), .events = events.size()};
    for (const LabelledPair& p : pairs) {
      const witness::Witness& w = p.witness;
      const auto word = [&](std::uint64_t event) {
        return events[event].op.kind == EventKind::read ? "read" : "write";
      };
      labels::Pair pair{.earlier = w.earlier, .later = w.later, .race = p.race};
      pair.kind = fmt::format("{}-{}", word(w.earlier), word(w.later));
      pair.variable = base_.names.display(ObjectKind::variable, events[w.earlier].object);
      pair.distance = w.later - w.earlier - 1;
      pair.proof = p.race ? "witness" : "exact";
      if (p.race) pair.witness = w;
      truth.pairs.push_back(std::move(pair));
    }
    truth.made = fmt::format(
        R"({{"base": {}, "base_digest": "{:016x}", "base_events": {}, "seed": {}, "number": {}, "point": {}{}}})",
        json_string(base_.name), base_.digest, base_.events.size(), options_.seed, attempt.number,
        attempt.point,
        twin ? fmt::format(R"(, "twin_of": {}, "decided_by": "{}")",
                           json_string(file_of(attempt.number, false)), means)
             : "");
    const std::string path = fs::path(options_.folder) / truth.trace;
    if (const Status ok = write_trace(path, options_.format, events, base_); !ok) return ok;
    return trace::write_file(labels::truth_path(path), labels::as_json(truth));
  }

  Status write_set(bool complete) const {
    labels::Set set{.complete = complete, .made_by = "deadheat inject", .traces = traces_};
    set.counts = {{"attempts", report_.attempts},
                  {"traces", report_.made},
                  {"twins", report_.twins},
                  {"made before", report_.again}};
    for (std::size_t i = 1; i < kFailures; ++i) {
      set.counts[std::string(inject::name_of(static_cast<Failure>(i)))] = report_.failures[i];
    }
    set.options = options_as_json(base_, options_);
    return trace::write_file(fs::path(options_.folder) / labels::kSetName, labels::as_json(set));
  }

 public:
  // What the traces depend on, and their number does not.
  static std::string options_as_json(const BaseTrace& base, const SetOptions& options) {
    std::string kinds;
    for (const std::string& kind : options.wishes.kinds) kinds += (kinds.empty() ? "" : ",") + kind;
    return fmt::format(
        R"({{"base": {}, "base_digest": "{:016x}", "seed": {}, "distance": {}, "window": {}, "kinds": "{}", "races": {}, "hard": {}, "twins": {}, "format": "{}"}})",
        json_string(base.name), base.digest, options.seed, options.wishes.distance, options.wishes.window,
        kinds, options.wishes.races, json_string(options.hard), options.wishes.twins,
        ending(options.format).substr(1));
  }

 private:
  const BaseTrace& base_;
  const SetOptions& options_;
  Attempts attempts_;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t most_ = 0;  // attempts

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::uint64_t next_ = 0, decided_ = 0, recorded_ = 0;  // attempts
  std::uint64_t promised_ = 0;                           // traces that are being written
  std::unordered_set<std::uint64_t> known_;              // digests
  std::vector<std::string> traces_;                      // files
  SetReport report_;
  Status status_;
};

}  // namespace

Result<SetReport> make_set(const BaseTrace& base, const SetOptions& options) {
  auto attempts = Attempts::open(options.folder, Making::options_as_json(base, options));
  if (!attempts) return fail(attempts.error());
  return Making(base, options, std::move(*attempts)).run();
}

}  // namespace deadheat::inject
