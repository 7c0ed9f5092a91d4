// Which channel a file descriptor stands for.
//
// Both ends of a pipe or of a pair of sockets are one channel; events, timers and polls have their own. All
// files are one, because a file can be opened twice; so are all other sockets, because the two ends of a
// connection are not known to belong together. That is what users of stock ThreadSanitizer are used to, and
// makes an order too many rather than one too few.
#pragma once

#include "runtime/emit.h"

namespace deadheat::runtime {

enum class Channel : std::uint32_t {
  unknown,
  files,
  sockets,
  connections,
  processes,  // their beginning, signals to them, and their end
  timers,     // of timer_create and the like
  signals,    // a signalfd: what was sent to any signal
  inotify,    // what was done to files
  own = 16
};

// Of Kind::recv: nothing is said where nothing was sent, for there may be other reasons to come here.
inline constexpr unsigned kIfSent = 1;

std::uint64_t object_of(Channel channel);
std::uint64_t channel_of(int descriptor);
Channel new_channel();
// What the descriptor is from now on. Nothing is done when it is closed: its number is given anew by a call
// that comes by here, and in a child of vfork a close is not the parent's.
void set_channel(int descriptor, Channel channel, bool is_set = false);
void duplicate_channel(int from, int to);
bool is_file(int descriptor);
bool is_set(int descriptor);  // of descriptors: epoll's
bool is_inotify_used();

// Before the descriptor is written to, behind a read from it. `extra`: see kIfSent.
void send_to(int descriptor, Address pc);
void receive_from(int descriptor, Address pc, unsigned extra = 0);

}  // namespace deadheat::runtime
