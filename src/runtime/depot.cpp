#include "runtime/depot.h"

namespace deadheat::runtime {

namespace {

std::uint32_t hash_of(std::uint32_t caller, std::uint64_t code) {
  std::uint64_t h = (code ^ std::uint64_t{caller} << 40) * 0x9E3779B97F4A7C15;
  h ^= h >> 29;
  return static_cast<std::uint32_t>(h * 0xBF58476D1CE4E5B9 >> 32);
}

// 0: the depot is full.
std::uint32_t new_node(Session& session, std::uint32_t caller, std::uint64_t code) {
  std::uint32_t node = __atomic_load_n(&session.nodes_used, __ATOMIC_RELAXED);
  do {
    if (node == kNodes) return 0;
  } while (!__atomic_compare_exchange_n(&session.nodes_used, &node, node + 1, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  session.nodes[node].code = code;
  session.nodes[node].caller = caller;
  return node;
}

}  // namespace

// The table has twice as many places as there are nodes, so the search ends. Of two threads that add the same
// call one wastes a node.
std::uint32_t node_of(Session& session, std::uint32_t caller, std::uint64_t code) {
  code &= Record::kObjectMask;
  std::uint32_t made = 0;
  for (std::uint32_t at = hash_of(caller, code);; ++at) {
    std::uint32_t& place = session.node_of[at % kNodeTable];
    std::uint32_t found = __atomic_load_n(&place, __ATOMIC_ACQUIRE);
    if (found == 0) {
      if (made == 0) made = new_node(session, caller, code);
      if (made == 0) {
        __atomic_fetch_add(&session.lost.stacks, 1, __ATOMIC_RELAXED);
        return caller;
      }
      if (__atomic_compare_exchange_n(&place, &found, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        return made;
      }
    }
    const Node& node = session.nodes[found];
    if (node.code == code && node.caller == caller) return found;
  }
}

}  // namespace deadheat::runtime
