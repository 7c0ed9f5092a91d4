#include "generate/generate.h"

#include <algorithm>

#include "generate/mailboxes.h"
#include "generate/phases.h"
#include "generate/queues.h"
#include "generate/sections.h"

namespace deadheat::generate {

namespace {

// More than any step emits or commits to: with this much slack left every thread can still be closed.
constexpr std::uint64_t kMargin = 32;

using Range = Sections::Range;

class Workload {
 public:
  Workload(const Parameters& p, Sink& sink, Truth truth)
      : m_(p, sink, std::move(truth)),
        sections_(m_, share(0), locks_of(p.pattern)),
        queues_(m_, share(1)),
        phases_(m_, share(2), accesses_a_phase(p)),
        boxes_(m_, share(3)) {}

  Status run() {
    if (m_.p.pattern == Pattern::many_threads) {
      run_waves();
    } else {
      run_tree();
    }
    return m_.out.finish();
  }

 private:
  // The shared variables: all for the one thing that a pattern does, or a quarter for each of mixed's four.
  Range share(std::uint32_t part) const {
    const std::uint32_t n = m_.p.shared;
    if (m_.p.pattern != Pattern::mixed) return {0, n};
    const auto at = [&](std::uint32_t i) { return static_cast<std::uint32_t>(std::uint64_t{n} * i / 4); };
    return {at(part), at(part + 1) - at(part)};
  }
  static Sections::Locks locks_of(Pattern pattern) {
    if (pattern == Pattern::rwlock) return Sections::Locks::reader_writer;
    return pattern == Pattern::mixed ? Sections::Locks::reentrant : Sections::Locks::exclusive;
  }
  static std::uint32_t accesses_a_phase(const Parameters& p) {
    if (p.pattern == Pattern::mixed) return 8;
    return accesses_for(p.access_share, 2);
  }

  void run_tree() {
    if (m_.p.fork_tree == ForkTree::none) {
      for (ThreadState& t : m_.threads) m_.root(t.id);
    } else {
      m_.root(0);
    }
    run_while([this] { return m_.slack() > kMargin; });
    // `live` grows while threads that had no turn yet fork theirs.
    for (std::size_t i = 0; i < m_.live.size(); ++i) take_first_turn(m_.threads[m_.live[i]]);
    if (m_.p.races > 0) m_.races.settle(m_.live);
    for (ThreadState& t : m_.threads) m_.close(t);
    fill_up();
    // Children have greater numbers than their parents: all of a thread's are over when its turn comes.
    for (std::uint32_t t = m_.p.threads; t-- > 0;) {
      if (m_.p.fork_tree != ForkTree::none)
        for_each_child(t, [&](std::uint32_t child) { m_.join(t, child); });
      m_.end(t);
    }
  }

  void run_waves() {
    m_.root(0);
    m_.threads[0].started = true;
    const std::uint32_t workers = m_.p.threads - 1;
    for (std::uint32_t done = 0; done < workers || done == 0;) {
      const std::uint32_t wave = std::min(workers - done, m_.p.live);
      const std::uint32_t first = done + 1;
      for (std::uint32_t t = first; t < first + wave; ++t) {
        m_.fork(0, t);
        m_.threads[t].started = true;
      }
      done += wave;
      const bool last = done == workers;
      // Each wave has its part of the events, its own forks and joins included.
      const std::uint64_t part = m_.p.events / std::max(1u, workers) * done;
      run_while([&] { return m_.slack() > kMargin && (last || m_.out.emitted() + 2 * wave < part); });
      if (last && m_.p.races > 0) m_.races.settle(m_.live);
      for (const std::uint32_t t : m_.live) m_.close(m_.threads[t]);
      if (last) fill_up();
      for (std::uint32_t t = first; t < first + wave; ++t) {
        m_.end(t);
        m_.join(0, t);
      }
      m_.live.resize(1);  // T0 is the first
      if (last) break;
    }
    m_.end(0);
  }

  template <class F>
  void for_each_child(std::uint32_t t, F f) {
    const bool flat = m_.p.fork_tree == ForkTree::flat;
    const std::uint64_t first = flat ? (t == 0 ? 1 : m_.p.threads) : 2 * std::uint64_t{t} + 1;
    const std::uint64_t end = flat ? m_.p.threads : std::min<std::uint64_t>(first + 2, m_.p.threads);
    for (std::uint64_t child = first; child < end; ++child) f(static_cast<std::uint32_t>(child));
  }

  void take_first_turn(ThreadState& t) {
    if (t.started) return;
    t.started = true;
    if (m_.p.pattern == Pattern::mixed) m_.begin(t.id);
    if (m_.p.fork_tree != ForkTree::none)
      for_each_child(t.id, [&](std::uint32_t child) { m_.fork(t.id, child); });
  }

  template <class Condition>
  void run_while(Condition go_on) {
    while (go_on() && !m_.out.failed()) {
      ThreadState& t = choose();
      take_first_turn(t);
      if (m_.races.watching()) m_.races.take_turn(t.id);
      // On average run_length.
      const std::uint32_t run = 1 + m_.random.below(2 * m_.p.run_length - 1);
      for (std::uint32_t i = 0; i < run && go_on(); ++i) {
        if (m_.races.due_to_plant(m_.out.emitted()) && m_.races.plant(t.id) && m_.p.race_distance <= 1) break;
        if (step(t) == Step::blocked) break;
      }
    }
  }

  // Any thread that can go on. There is one: locks are taken in order, and a barrier that all have entered
  // lets all go.
  ThreadState& choose() {
    const auto n = static_cast<std::uint32_t>(m_.live.size());
    const std::uint32_t start = m_.random.below(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      ThreadState& t = m_.threads[m_.live[(start + i) % n]];
      if (sections_.runnable(t) && phases_.runnable(t)) return t;
    }
    DEADHEAT_ASSERT(false, "some thread of a workload can always go on");
  }

  Step step(ThreadState& t) {
    switch (m_.p.pattern) {
      case Pattern::mutex:
      case Pattern::rwlock:
      case Pattern::many_threads:
        return sections_.step(t);
      default:
        break;
    }
    if (t.activity == Activity::idle) return start(t);
    const Step step = go_on(t);
    if (step != Step::done) return step;
    t.activity = Activity::idle;
    return Step::more;
  }

  Step go_on(ThreadState& t) {
    switch (t.activity) {
      case Activity::section:
        return sections_.step_once(t);
      case Activity::fill:
        return queues_.step_fill(t);
      case Activity::drain:
        return queues_.step_drain(t);
      case Activity::phase:
        return phases_.step(t);
      case Activity::publish:
        return boxes_.step_publish(t);
      case Activity::take:
        return boxes_.step_take(t);
      case Activity::heap:
        return step_heap(t);
      case Activity::local:
        return step_local(t);
      case Activity::idle:
        break;
    }
    return Step::done;
  }

  Step start(ThreadState& t) {
    switch (m_.p.pattern) {
      case Pattern::producer_consumer: {
        const std::uint32_t queue = queues_.queue_of(t);
        const bool started =
            queues_.is_producer(t) ? queues_.start_fill(t, queue) : queues_.start_drain(t, queue);
        if (started) return Step::more;
        // Waiting is work on one's own variables: a poll, in a real program.
        m_.local_access(t.id);
        return Step::blocked;
      }
      case Pattern::barrier:
        phases_.start(t);
        return Step::more;
      case Pattern::atomics:
        if (!m_.random.one_in(4) && boxes_.start(t)) return Step::more;
        boxes_.idle(t);
        return Step::more;
      default:
        return start_any(t);
    }
  }

  Step start_any(ThreadState& t) {
    const std::uint32_t queue = queues_.queue_of(t);
    // Who waits at the barrier is soon followed.
    if (m_.somebody_waits() ? m_.random.one_in(4) : m_.random.one_in(64)) {
      phases_.start(t);
      return Step::more;
    }
    switch (m_.random.below(8)) {
      case 0:
      case 1:
      case 2:
        t.activity = Activity::section;
        t.left = 1;
        return Step::more;
      case 3:
        if (queues_.start_fill(t, queue)) return Step::more;
        break;
      case 4:
        if (queues_.start_drain(t, queue)) return Step::more;
        break;
      case 5:
        if (boxes_.start(t)) return Step::more;
        boxes_.idle(t);
        return Step::more;
      case 6:
        if (m_.free_chunks() == 0) break;
        m_.alloc_chunk(t);
        t.activity = Activity::heap;
        t.left = m_.random.below(8);
        return Step::more;
      default:
        break;
    }
    t.activity = Activity::local;
    t.left = 1 + m_.random.below(8);
    return Step::more;
  }

  Step step_heap(ThreadState& t) {
    if (t.left-- > 0) return m_.heap_access(t), Step::more;
    m_.free_chunk(t);
    return Step::done;
  }

  Step step_local(ThreadState& t) {
    if (t.left-- == 0) return Step::done;
    m_.local_access(t.id);
    return Step::more;
  }

  // The length is met exactly by accesses to threads' own variables.
  void fill_up() {
    for (std::size_t i = 0; m_.slack() > 0 && !m_.out.failed(); ++i) {
      m_.local_access(m_.live[i / m_.p.run_length % m_.live.size()]);
    }
  }

  Machine m_;
  Sections sections_;
  Queues queues_;
  Phases phases_;
  Mailboxes boxes_;
};

}  // namespace

Status generate(const Parameters& parameters, Sink& sink, Truth truth) {
  if (auto ok = validate(parameters); !ok) return ok;
  return Workload(parameters, sink, std::move(truth)).run();
}

}  // namespace deadheat::generate
