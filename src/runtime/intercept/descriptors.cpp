#include "runtime/intercept/descriptors.h"

#include "runtime/intercept/signals.h"

namespace deadheat::runtime {
namespace {

// Untouched pages of it cost nothing. Descriptors beyond, and those from elsewhere, are their own channels.
constexpr int kMost = 1 << 20;
constexpr std::uint64_t kUnknown = std::uint64_t{1} << 40;
Channel g_channels[kMost];
bool g_is_set[kMost];
std::uint32_t g_given;
bool g_inotify_used;

bool in_range(int descriptor) { return descriptor >= 0 && descriptor < kMost; }

Channel known(int descriptor) {
  if (!in_range(descriptor)) return Channel::unknown;
  Channel channel;
  __atomic_load(&g_channels[descriptor], &channel, __ATOMIC_RELAXED);
  return channel;
}

}  // namespace

std::uint64_t object_of(Channel channel) { return kDescriptor + static_cast<std::uint64_t>(channel); }

std::uint64_t channel_of(int descriptor) {
  const Channel channel = known(descriptor);
  if (channel != Channel::unknown) return object_of(channel);
  return kDescriptor + kUnknown + static_cast<std::uint32_t>(descriptor);
}

Channel new_channel() {
  const auto first = static_cast<std::uint32_t>(Channel::own);
  return static_cast<Channel>(first + __atomic_fetch_add(&g_given, 1, __ATOMIC_RELAXED));
}

void set_channel(int descriptor, Channel channel, bool is_set) {
  if (channel == Channel::inotify) __atomic_store_n(&g_inotify_used, true, __ATOMIC_RELAXED);
  if (!in_range(descriptor)) return;
  __atomic_store(&g_channels[descriptor], &channel, __ATOMIC_RELAXED);
  __atomic_store_n(&g_is_set[descriptor], is_set, __ATOMIC_RELAXED);
}

bool is_set(int descriptor) {
  return in_range(descriptor) && __atomic_load_n(&g_is_set[descriptor], __ATOMIC_RELAXED);
}

void duplicate_channel(int from, int to) {
  if (in_range(to)) set_channel(to, known(from));
}

bool is_file(int descriptor) { return known(descriptor) == Channel::files; }

bool is_inotify_used() { return __atomic_load_n(&g_inotify_used, __ATOMIC_RELAXED); }

void send_to(int descriptor, Address pc) {
  if (descriptor >= 0 && recording()) emit(Kind::send, channel_of(descriptor), pc);
}

void receive_from(int descriptor, Address pc, unsigned extra) {
  if (descriptor < 0 || !recording()) return;
  switch (known(descriptor)) {
    case Channel::signals:
      return receive_signals(pc);
    case Channel::inotify:
      return emit(Kind::recv, object_of(Channel::files), pc, kIfSent);
    case Channel::processes:
      return emit(Kind::recv, object_of(Channel::processes), pc, kIfSent);
    default:
      return emit(Kind::recv, channel_of(descriptor), pc, extra);
  }
}

}  // namespace deadheat::runtime
