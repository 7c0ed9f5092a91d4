// Call stacks as nodes of a tree in the session: equal stacks are one node, whoever makes them.
#pragma once

#include "runtime/session.h"

namespace deadheat::runtime {

// The node of a call from `code` within `caller`; `caller` itself, counted, where there is no room.
std::uint32_t node_of(Session& session, std::uint32_t caller, std::uint64_t code);

}  // namespace deadheat::runtime
