#include "runtime/intercept/descriptors.h"

namespace deadheat::runtime {
namespace {

// Untouched pages of it cost nothing. Descriptors beyond, and those from elsewhere, are their own channels.
constexpr int kMost = 1 << 20;
constexpr std::uint64_t kUnknown = std::uint64_t{1} << 40;
Channel g_channels[kMost];
std::uint32_t g_given;

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

void set_channel(int descriptor, Channel channel) {
  if (in_range(descriptor)) __atomic_store(&g_channels[descriptor], &channel, __ATOMIC_RELAXED);
}

void duplicate_channel(int from, int to) {
  if (in_range(to)) set_channel(to, known(from));
}

bool is_file(int descriptor) { return known(descriptor) == Channel::files; }

}  // namespace deadheat::runtime
