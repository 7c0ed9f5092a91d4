// Waiting for descriptors: who is told that one has something to read knows what was written to it before. Of
// descriptors that can only be written to nothing is learnt. The kernel reads and writes what the caller
// gives it, which is recorded as the caller's doing.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <initializer_list>

#include "runtime/emit.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/records.h"
#include "runtime/real.h"

namespace deadheat::runtime {
namespace {

void reads(const void* p, std::size_t bytes, Address pc) {
  if (p != nullptr && recording()) emit_range(Kind::read_range, reinterpret_cast<Address>(p), bytes, pc);
}

void writes(const void* p, std::size_t bytes, Address pc) {
  if (p != nullptr && recording()) emit_range(Kind::write_range, reinterpret_cast<Address>(p), bytes, pc);
}

// What epoll says is what the program told it to say, so what it was told for which descriptor is kept.
// Closed ones are not taken out: that could only add order, and the number will be used again.
struct Member {
  Member* next;       // in the list of its set and descriptor
  Member* next_data;  // in the list of its set and data
  int set, descriptor;
  std::uint64_t data;
};
constexpr std::size_t kLists = 4096;
SpinLock g_lock;
Pool<Member> g_pool;
Member* g_members[kLists];
Member* g_by_data[kLists];

std::size_t list_of(int set, std::uint64_t rest) {
  return ((static_cast<std::uint64_t>(set) << 40 ^ rest) * 0x9E3779B97F4A7C15) >> 52;
}
static_assert(kLists == 1u << 12);

Member*& list_of_data(const Member& member) { return g_by_data[list_of(member.set, member.data)]; }

Member* find(int set, int descriptor) {
  Member* member = g_members[list_of(set, static_cast<std::uint32_t>(descriptor))];
  while (member != nullptr && (member->set != set || member->descriptor != descriptor)) member = member->next;
  return member;
}

void take_off(Member* member) {
  Member** at = &list_of_data(*member);
  while (*at != member) at = &(*at)->next_data;
  *at = member->next_data;
}

void note_member(int set, int descriptor, std::uint64_t data) {
  const NoSignals no_signals;
  const Locked locked(g_lock);
  Member* member = find(set, descriptor);
  if (member != nullptr) {
    take_off(member);
  } else {
    member = g_pool.take();
    if (member == nullptr) return;
    member->set = set;
    member->descriptor = descriptor;
    Member*& list = g_members[list_of(set, static_cast<std::uint32_t>(descriptor))];
    member->next = list;
    list = member;
  }
  member->data = data;
  Member*& list = list_of_data(*member);
  member->next_data = list;
  list = member;
}

// The next descriptor behind `last` (-1: the first) of the set with this data; -1: none. One at a time, since
// what is recorded of it may take long.
int next_member(int set, std::uint64_t data, int last) {
  const NoSignals no_signals;
  const Locked locked(g_lock);
  int best = -1;
  for (const Member* m = g_by_data[list_of(set, data)]; m != nullptr; m = m->next_data) {
    if (m->set != set || m->data != data || m->descriptor <= last) continue;
    if (best < 0 || m->descriptor < best) best = m->descriptor;
  }
  return best;
}

int next_of_set(int set, int last) {
  const NoSignals no_signals;
  const Locked locked(g_lock);
  int best = -1;
  for (const Member* list : g_members) {
    for (const Member* m = list; m != nullptr; m = m->next) {
      if (m->set != set || m->descriptor <= last) continue;
      if (best < 0 || m->descriptor < best) best = m->descriptor;
    }
  }
  return best;
}

// Many descriptors are one channel: it is received from once.
class Ready {
 public:
  explicit Ready(Address pc) : pc_(pc) {}

  // Nothing was written to it: that is something a thread can learn, too.
  void miss(int descriptor) {
    const std::uint64_t channel = channel_of(descriptor);
    if (channel != missed_) emit(Kind::try_recv_failed, channel, pc_);
    missed_ = channel;
  }

  void add(int descriptor, unsigned depth = 0) {
    const std::uint64_t channel = channel_of(descriptor);
    if (channel != last_) receive_from(descriptor, pc_, kIfSent);
    last_ = channel;
    // A set within a set: any of its own may be ready.
    if (!is_set(descriptor) || depth == kDeepest) return;
    for (int fd = next_of_set(descriptor, -1); fd >= 0; fd = next_of_set(descriptor, fd)) add(fd, depth + 1);
  }

 private:
  static constexpr unsigned kDeepest = 4;

  Address pc_;
  std::uint64_t last_ = 0, missed_ = 0;
};

int polled(int result, const pollfd* fds, nfds_t count, Address pc) {
  constexpr short kOnlyWritable = POLLOUT | POLLWRNORM | POLLWRBAND;
  if (result < 0 || !recording()) return result;
  Ready ready(pc);
  for (nfds_t i = 0; i < count; ++i) {
    if (fds[i].fd < 0) continue;
    if ((fds[i].revents & ~kOnlyWritable) != 0) {
      ready.add(fds[i].fd);
    } else if ((fds[i].events & ~kOnlyWritable) != 0) {
      ready.miss(fds[i].fd);
    }
  }
  writes(fds, count * sizeof *fds, pc);
  return result;
}

std::size_t bytes_of(int count) {
  constexpr std::size_t kBits = 8 * sizeof(fd_mask);
  return count <= 0 ? 0 : (static_cast<std::size_t>(count) + kBits - 1) / kBits * sizeof(fd_mask);
}

void reads_sets(int count, const fd_set* in, const fd_set* out, const fd_set* odd, Address pc) {
  for (const fd_set* set : {in, out, odd}) reads(set, bytes_of(count), pc);
}

struct Wanted {
  fd_set in;
  bool is_known;
};

// The sets are changed by the call.
Wanted wanted(int count, const fd_set* in) {
  Wanted out;
  out.is_known = in != nullptr && count <= FD_SETSIZE && recording();
  for (std::size_t i = 0; out.is_known && i < bytes_of(count) / sizeof(fd_mask); ++i) {
    out.in.fds_bits[i] = in->fds_bits[i];
  }
  return out;
}

int selected(int result, int count, const Wanted& wanted, const fd_set* in, const fd_set* out,
             const fd_set* odd, Address pc) {
  if (result < 0 || !recording()) return result;
  Ready ready(pc);
  const auto has = [](const fd_set* set, int fd) {
    constexpr int kBits = 8 * sizeof(fd_mask);
    return set != nullptr && (static_cast<unsigned long>(set->fds_bits[fd / kBits]) >> fd % kBits & 1) != 0;
  };
  for (int fd = 0; fd < count; ++fd) {
    if (result > 0 && (has(in, fd) || has(odd, fd))) {
      ready.add(fd);
    } else if (wanted.is_known && has(&wanted.in, fd)) {
      ready.miss(fd);
    }
  }
  for (const fd_set* set : {in, out, odd}) writes(set, bytes_of(count), pc);
  return result;
}

// epoll_event is packed.
int epolled(int result, int set, const epoll_event* events, Address pc) {
  if (result < 0 || !recording()) return result;
  if (result == 0) {
    Ready none(pc);
    for (int fd = next_of_set(set, -1); fd >= 0; fd = next_of_set(set, fd)) none.miss(fd);
    return result;
  }
  constexpr std::uint32_t kOnlyWritable = EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND;
  Ready ready(pc);
  receive_from(set, pc, kIfSent);
  for (int i = 0; i < result; ++i) {
    if ((events[i].events & ~kOnlyWritable) == 0) continue;
    const std::uint64_t data = events[i].data.u64;
    for (int fd = next_member(set, data, -1); fd >= 0; fd = next_member(set, data, fd)) ready.add(fd);
  }
  writes(events, static_cast<std::size_t>(result) * sizeof *events, pc);
  return result;
}

}  // namespace

DEADHEAT_INTERCEPT(int, poll, (pollfd * fds, nfds_t count, int patience)) {
  reads(fds, count * sizeof *fds, DEADHEAT_CALLER);
  return polled(REAL(poll)(fds, count, patience), fds, count, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(int, __poll_chk, (pollfd * fds, nfds_t count, int patience, std::size_t room)) {
  reads(fds, count * sizeof *fds, DEADHEAT_CALLER);
  return polled(REAL(__poll_chk)(fds, count, patience, room), fds, count, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(int, ppoll, (pollfd * fds, nfds_t count, const timespec* patience, const sigset_t* mask)) {
  reads(fds, count * sizeof *fds, DEADHEAT_CALLER);
  reads(patience, sizeof *patience, DEADHEAT_CALLER);
  return polled(REAL(ppoll)(fds, count, patience, mask), fds, count, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(int, __ppoll_chk,
                   (pollfd * fds, nfds_t count, const timespec* patience, const sigset_t* mask,
                    std::size_t room)) {
  reads(fds, count * sizeof *fds, DEADHEAT_CALLER);
  reads(patience, sizeof *patience, DEADHEAT_CALLER);
  return polled(REAL(__ppoll_chk)(fds, count, patience, mask, room), fds, count, DEADHEAT_CALLER);
}

DEADHEAT_INTERCEPT(int, select, (int count, fd_set* in, fd_set* out, fd_set* odd, timeval* patience)) {
  reads_sets(count, in, out, odd, DEADHEAT_CALLER);
  reads(patience, sizeof *patience, DEADHEAT_CALLER);
  const Wanted before = wanted(count, in);
  const int result =
      selected(REAL(select)(count, in, out, odd, patience), count, before, in, out, odd, DEADHEAT_CALLER);
  writes(patience, sizeof *patience, DEADHEAT_CALLER);  // what is left of it
  return result;
}
DEADHEAT_INTERCEPT(int, pselect,
                   (int count, fd_set* in, fd_set* out, fd_set* odd, const timespec* patience,
                    const sigset_t* mask)) {
  reads_sets(count, in, out, odd, DEADHEAT_CALLER);
  reads(patience, sizeof *patience, DEADHEAT_CALLER);
  const Wanted before = wanted(count, in);
  return selected(REAL(pselect)(count, in, out, odd, patience, mask), count, before, in, out, odd,
                  DEADHEAT_CALLER);
}

// Before the real one: another thread may be told at once.
DEADHEAT_INTERCEPT(int, epoll_ctl, (int set, int operation, int fd, epoll_event* event)) {
  if (operation != EPOLL_CTL_DEL) {
    reads(event, sizeof *event, DEADHEAT_CALLER);
    if (event != nullptr) note_member(set, fd, event->data.u64);
    send_to(set, DEADHEAT_CALLER);
  }
  return REAL(epoll_ctl)(set, operation, fd, event);
}
DEADHEAT_INTERCEPT(int, epoll_wait, (int set, epoll_event* events, int most, int patience)) {
  return epolled(REAL(epoll_wait)(set, events, most, patience), set, events, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(int, epoll_pwait,
                   (int set, epoll_event* events, int most, int patience, const sigset_t* mask)) {
  return epolled(REAL(epoll_pwait)(set, events, most, patience, mask), set, events, DEADHEAT_CALLER);
}
DEADHEAT_INTERCEPT(int, epoll_pwait2,
                   (int set, epoll_event* events, int most, const timespec* patience, const sigset_t* mask)) {
  return epolled(REAL(epoll_pwait2)(set, events, most, patience, mask), set, events, DEADHEAT_CALLER);
}

}  // namespace deadheat::runtime
