// How accesses, synchronisation and races are put into words, the same in every writer.
#pragma once

#include <string>
#include <string_view>

#include "report/race.h"

namespace deadheat::report {

// Names in a trace are foreign text: as they are fit to be shown to a person.
std::string for_people(std::string_view name);

// "read", "atomic write", "free": as a noun.
std::string_view noun_of(EventKind kind);
// "reads", "atomically updates", "frees".
std::string_view verb_of(EventKind kind);

// "at bank.c:12 (deposit), event 23"
std::string at(const Place& place, std::uint64_t event);
// What the thread did: "released lock account at bank.c:15 (deposit), event 8"; "was forked by main at ...".
std::string what_it_did(const std::string& thread, const Sync& sync);

// "lock a", "locks a, b (as reader) and c"; "no lock".
std::string listed(std::span<const HeldLock> locks);

}  // namespace deadheat::report
