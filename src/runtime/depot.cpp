#include "runtime/depot.h"

namespace deadheat::runtime {

namespace {

constexpr unsigned kLongestList = 1u << 20;

std::uint32_t hash_of(std::uint32_t caller, std::uint64_t code) {
  std::uint64_t h = (code ^ std::uint64_t{caller} << 40) * 0x9E3779B97F4A7C15;
  h ^= h >> 29;
  return static_cast<std::uint32_t>(h * 0xBF58476D1CE4E5B9 >> 32);
}

// 0: the depot is full.
std::uint32_t new_node(Session& session, std::uint32_t caller, std::uint64_t code) {
  std::uint32_t node = __atomic_load_n(&session.nodes_used, __ATOMIC_RELAXED);
  do {
    if (node >= kNodes || node == 0) return 0;
  } while (!__atomic_compare_exchange_n(&session.nodes_used, &node, node + 1, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  session.nodes[node].code = code;
  session.nodes[node].caller = caller;
  return node;
}

}  // namespace

// Lists rather than open addressing: few lists are touched however many there are, and a place costs four
// bytes, not a page. Of two threads that add the same call at once one wastes a node.
std::uint32_t node_of(Session& session, std::uint32_t caller, std::uint64_t code) {
  code &= Record::kObjectMask;
  std::uint32_t& list = session.node_list[hash_of(caller, code) % kNodeLists];
  std::uint32_t first = __atomic_load_n(&list, __ATOMIC_ACQUIRE);
  std::uint32_t made = 0, searched = 0;
  while (true) {
    // What was behind the former first has been searched already.
    unsigned steps = 0;
    for (std::uint32_t at = first; at != searched; at = session.nodes[at].next) {
      // A list that leads nowhere, or in a circle, is not followed: the session is damaged.
      if (at >= kNodes || ++steps > kLongestList) return caller;
      if (session.nodes[at].code == code && session.nodes[at].caller == caller) return at;
    }
    searched = first;
    if (made == 0) made = new_node(session, caller, code);
    if (made == 0) {
      __atomic_fetch_add(&session.lost.stacks, 1, __ATOMIC_RELAXED);
      return caller;
    }
    session.nodes[made].next = first;
    if (__atomic_compare_exchange_n(&list, &first, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return made;
  }
}

}  // namespace deadheat::runtime
