// Room for records: taken from what the recorder gave back, or never used before.
#pragma once

#include "runtime/session.h"

namespace deadheat::runtime {

// In the mapping of the session.
extern std::uint32_t g_chunks;

// A chunk that is all zero; waits while the recorder has to catch up. 0: the recorder is gone.
std::uint32_t take_chunk(Session& session);
// A slot in state `taken` with its first chunk; null: the recorder is gone, or too many threads are alive.
Slot* take_slot(Session& session, std::uint32_t thread, std::uint32_t handler);
// Tells the recorder that a chunk is full.
void tell_filled(Session& session);

}  // namespace deadheat::runtime
