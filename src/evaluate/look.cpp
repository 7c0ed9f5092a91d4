#include "evaluate/look.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "analysis/chain.h"
#include "analysis/wcp_edges.h"
#include "base/format.h"
#include "report/words.h"

namespace deadheat::evaluate {

namespace {

using analysis::Chain;
using Json = nlohmann::json;

bool can_race(EventKind kind) { return is_access(kind) || kind == EventKind::free; }

// Of a pair, while its trace goes by.
struct Between {
  std::size_t pair;
  Chain hb, shb;
  model::NumberedEvent earlier{}, later{};
};

// The kind of an edge is what the waiting side waited for.
std::string_view kind_of(const analysis::Link& link) {
  switch (link.wait.event.op.kind) {
    case EventKind::acquire:
    case EventKind::acquire_shared:
      return "lock";
    case EventKind::fork:
      return "fork";
    case EventKind::join:
      return "join";
    case EventKind::recv:
      return "message";
    case EventKind::barrier_exit:
      return "barrier";
    case EventKind::read:
      return "value";
    default:
      break;
  }
  // A thread is forked, and waits with whatever its first event is.
  if (link.signal.event.op.kind == EventKind::fork) return "fork";
  return link.signal.event.op.kind == EventKind::write ? "value" : "atomic";
}

std::optional<Edge> first_edge(const Chain& chain, const Names& names) {
  if (!chain.is_ordered()) return {};
  if (chain.links().empty()) return Edge{.kind = "one thread", .object = "", .edges = 0};
  const analysis::Link& link = chain.links().front();
  const Event& wait = link.wait.event;
  const ObjectKind what = object_kind(wait.op.kind);
  return Edge{.kind = std::string(kind_of(link)),
              .object = what == ObjectKind::none ? "" : names.display(what, wait.object),
              .signal = link.signal.number,
              .wait = link.wait.number,
              .edges = chain.links().size()};
}

// Sections of a lock are what it is about, mostly, whoever comes to know of them by whatever he does.
std::optional<Edge> first_edge(const std::optional<analysis::Link>& link, const Names& names) {
  if (!link) return {};
  const Event &signal = link->signal.event, &wait = link->wait.event;
  const bool lock = object_kind(signal.op.kind) == ObjectKind::lock;
  const Event& named = lock ? signal : wait;
  const ObjectKind what = object_kind(named.op.kind);
  return Edge{.kind = std::string(lock ? "lock" : kind_of(*link)),
              .object = what == ObjectKind::none ? "" : names.display(what, named.object),
              .signal = link->signal.number,
              .wait = link->wait.number,
              .edges = 1};
}

std::string wrong_with(const Between& pair) {
  const Event &a = pair.earlier.event, &b = pair.later.event;
  const std::string events =
      fmt::format("events {} and {} ", base::grouped(pair.earlier.number), base::grouped(pair.later.number));
  if (!can_race(a.op.kind) || !can_race(b.op.kind)) return events + "are not both accesses";
  const std::uint64_t first = std::max(a.object, b.object);
  if (first >= a.object + cells(a.op) || first >= b.object + cells(b.op))
    return events + "are of different variables";
  return "";
}

LookedAt looked_at(const Between& pair, const Names& names) {
  const Event &a = pair.earlier.event, &b = pair.later.event;
  const std::uint64_t end = std::min(a.object + cells(a.op), b.object + cells(b.op));
  const std::uint32_t first = std::max(a.object, b.object);
  return {.kind = fmt::format("{}-{}", report::noun_of(a.op.kind), report::noun_of(b.op.kind)),
          .variable = names.display(ObjectKind::variable, first),
          .site1 = index(a.op.site),
          .site2 = index(b.op.site),
          .first_cell = first,
          .last_cell = static_cast<std::uint32_t>(end - 1),
          .hb = first_edge(pair.hb, names),
          .shb = first_edge(pair.shb, names)};
}

// The pairs that the event at hand lies between, so that the others cost nothing.
class Passing {
 public:
  explicit Passing(const std::vector<labels::Pair>& pairs) : pairs_(pairs), by_begin_(pairs.size()) {
    std::iota(by_begin_.begin(), by_begin_.end(), std::size_t{0});
    std::ranges::sort(by_begin_, {}, [&](std::size_t i) { return pairs_[i].earlier; });
  }
  void see(const model::NumberedEvent& e) {
    for (; next_ < by_begin_.size() && pairs_[by_begin_[next_]].earlier == e.number; ++next_) {
      const labels::Pair& pair = pairs_[by_begin_[next_]];
      open_.push_back({by_begin_[next_],
                       Chain(pair.earlier, pair.later),
                       Chain(pair.earlier, pair.later, Chain::Follow::values),
                       e,
                       {}});
    }
    if (open_.empty()) return;
    for (Between& pair : open_) {
      pair.hb.see(e);
      pair.shb.see(e);
    }
    std::erase_if(open_, [&](Between& pair) {
      if (pairs_[pair.pair].later != e.number) return false;
      pair.later = e;
      done_.push_back(std::move(pair));
      return true;
    });
  }
  const std::vector<Between>& done() const { return done_; }

 private:
  const std::vector<labels::Pair>& pairs_;
  std::vector<std::size_t> by_begin_;
  std::size_t next_ = 0;
  std::vector<Between> open_, done_;
};

Json json_of(const std::optional<Edge>& edge) {
  if (!edge) return {};
  return {edge->kind, edge->object, edge->signal, edge->wait, edge->edges};
}
std::optional<Edge> edge_in(const Json& json) {
  if (json.is_null()) return {};
  return Edge{json[0], json[1], json[2], json[3], json[4]};
}

}  // namespace

Look look_at(const labels::LabelledTrace& trace, const ReadOptions& read) {
  Look look;
  const auto refuse = [&](std::string why) {
    look.error = std::move(why);
    return look;
  };
  auto source = open_source(trace.path, read);
  if (!source) return refuse(source.error().message);
  Passing passing(trace.truth.pairs);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> numbers;
  for (const labels::Pair& pair : trace.truth.pairs) numbers.emplace_back(pair.earlier, pair.later);
  analysis::WcpEdges wcp(numbers);
  while (true) {
    const auto block = (*source)->next();
    if (!block) return refuse(block.error().message);
    if (*block == nullptr) break;
    for (std::size_t i = 0; i < (*block)->size(); ++i) passing.see({(*block)->first + i, (**block)[i]});
    wcp.see(**block);
    look.events += (*block)->size();
  }
  const Names& names = (*source)->names();
  look.threads = names.threads.size();
  if (trace.truth.events != 0 && look.events != trace.truth.events) {
    return refuse(fmt::format("{}: has {}, but its truth is about a trace of {}; make the set again",
                              trace.path, base::counted(look.events, "event"),
                              base::grouped(trace.truth.events)));
  }
  look.pairs.resize(trace.truth.pairs.size());
  for (const Between& pair : passing.done()) {
    if (const std::string wrong = wrong_with(pair); !wrong.empty()) {
      return refuse(fmt::format("{}: {}, so its truth is about another trace", trace.path, wrong));
    }
    look.pairs[pair.pair] = looked_at(pair, names);
    look.pairs[pair.pair].wcp = first_edge(wcp.of(pair.pair), names);
  }
  if (passing.done().size() != look.pairs.size()) {
    return refuse(fmt::format("{}: has {}, fewer than its truth speaks of", trace.path,
                              base::counted(look.events, "event")));
  }
  return look;
}

std::string as_message(const Look& look) {
  Json pairs = Json::array();
  for (const LookedAt& pair : look.pairs) {
    pairs.push_back({pair.kind, pair.variable, pair.site1, pair.site2, pair.first_cell, pair.last_cell,
                     json_of(pair.hb), json_of(pair.shb), json_of(pair.wcp)});
  }
  const Json json = {
      {"error", look.error}, {"events", look.events}, {"threads", look.threads}, {"pairs", pairs}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Look look_in(std::string_view message) {
  const Json json = Json::parse(message);
  Look look{json["error"], json["events"], json["threads"], {}};
  for (const Json& pair : json["pairs"]) {
    look.pairs.push_back({pair[0], pair[1], pair[2], pair[3], pair[4], pair[5], edge_in(pair[6]),
                          edge_in(pair[7]), edge_in(pair[8])});
  }
  return look;
}

}  // namespace deadheat::evaluate
