#include "deadheat/event.h"

namespace deadheat {

std::string_view name_of(EventKind kind) {
  switch (kind) {
    case EventKind::read:
      return "r";
    case EventKind::write:
      return "w";
    case EventKind::atomic_load:
      return "aload";
    case EventKind::atomic_store:
      return "astore";
    case EventKind::atomic_rmw:
      return "armw";
    case EventKind::fence:
      return "fence";
    case EventKind::acquire:
      return "acq";
    case EventKind::release:
      return "rel";
    case EventKind::acquire_shared:
      return "racq";
    case EventKind::release_shared:
      return "rrel";
    case EventKind::fork:
      return "fork";
    case EventKind::join:
      return "join";
    case EventKind::begin:
      return "begin";
    case EventKind::end:
      return "end";
    case EventKind::send:
      return "send";
    case EventKind::recv:
      return "recv";
    case EventKind::barrier_enter:
      return "enter";
    case EventKind::barrier_exit:
      return "exit";
    case EventKind::alloc:
      return "alloc";
    case EventKind::free:
      return "free";
    case EventKind::gap:
      return "gap";
    case EventKind::gap_range:
      return "gapat";
    case EventKind::try_acquire_failed:
      return "tryacq";
    case EventKind::try_recv_failed:
      return "tryrecv";
    case EventKind::try_join_failed:
      return "tryjoin";
  }
  return "?";
}

std::string_view name_of(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::relaxed:
      return "relaxed";
    case MemoryOrder::consume:
      return "consume";
    case MemoryOrder::acquire:
      return "acquire";
    case MemoryOrder::release:
      return "release";
    case MemoryOrder::acq_rel:
      return "acq_rel";
    case MemoryOrder::seq_cst:
      return "seq_cst";
  }
  return "?";
}

std::string_view name_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::none:
      return "none";
    case ObjectKind::variable:
      return "variable";
    case ObjectKind::lock:
      return "lock";
    case ObjectKind::thread:
      return "thread";
    case ObjectKind::channel:
      return "channel";
    case ObjectKind::barrier:
      return "barrier";
  }
  return "?";
}

}  // namespace deadheat
