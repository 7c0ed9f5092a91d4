#include "generate/phases.h"

#include <algorithm>

namespace deadheat::generate {

Phases::Phases(Machine& machine, Sections::Range shared, std::uint32_t accesses_a_phase)
    : m_(machine), shared_(shared), half_(shared.count / 2), accesses_(accesses_a_phase) {}

void Phases::start(ThreadState& t) {
  t.activity = Activity::phase;
  t.left = m_.random.below(2 * accesses_ + 1);
}

Step Phases::step(ThreadState& t) {
  if (t.inside) {
    if (!m_.barrier_is_full(t)) return Step::blocked;
    m_.exit_barrier(t);
    return Step::done;
  }
  if (t.left == 0) {
    m_.enter_barrier(t);
    return Step::more;
  }
  --t.left;
  const std::uint64_t r = m_.random();
  const auto bits = static_cast<std::uint32_t>(r >> 32);
  const auto parts = static_cast<std::uint32_t>(m_.threads.size());
  const std::uint32_t site = static_cast<std::uint32_t>((r >> 16 & 0xFFFF) * m_.p.sites >> 16);
  const auto written = static_cast<std::uint32_t>(t.generation & 1);
  if ((r & 0xFFFF) < m_.read_bits && half_ > 0) {
    m_.read(t.id, site, shared_.first + (1 - written) * half_ + Random::scale(bits, half_));
    return Step::more;
  }
  const std::uint32_t own = half_ / parts;
  if (own == 0) {
    m_.local_access(t.id);
  } else {
    m_.write(t.id, site, shared_.first + written * half_ + t.id * own + t.left % own);
  }
  return Step::more;
}

}  // namespace deadheat::generate
