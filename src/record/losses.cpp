#include "record/losses.h"

#include <string>
#include <string_view>

namespace deadheat::record {

namespace {

std::string_view meaning_of(Loss loss) {
  switch (loss) {
    case Loss::release_by_other:
      return "a lock was released by a thread that does not hold it: written as a release by its holder, and "
             "a "
             "message to who takes the lock next";
    case Loss::release_unheld:
      return "a lock was released that nobody was seen to take: written as a message to who takes it next";
    case Loss::release_unseen:
      return "a lock was taken while another thread seemed to hold it: written as if that had released it "
             "before";
    case Loss::held_at_end:
      return "a thread ended while it held a lock: written as released at its end";
    case Loss::recv_unsent:
      return "a wait ended without anything sent before (the first count of a semaphore, a timeout): orders "
             "nothing, left out";
    case Loss::barrier_unmatched:
      return "a barrier was entered twice or left without being entered: left out";
    case Loss::barrier_crowded:
      return "more threads came to a barrier than meet there: who met whom is not known, all are ordered";
    case Loss::free_unknown:
      return "memory was freed that was not seen allocated: left out";
    case Loss::after_end:
      return "an event of a thread came behind its end: left out";
    case Loss::begin_late:
      return "a thread was begun, forked or joined where it cannot be: left out";
    case Loss::no_cells:
      return "an access was left out: more than 32 GiB of memory are in use";
    case Loss::large_blocks:
      return "an allocation of more than 1 GiB is written for the memory that was in use before only";
    case Loss::benign:
      return "an access to memory whose races the program calls benign: left out";
    case Loss::unknown_kind:
      return "a record made no sense: left out";
    case Loss::out_of_scope:
      return "an access of code that --only and --ignore leave out";
  }
  return "";
}

}  // namespace

std::vector<Warning> Losses::warnings() const {
  std::vector<Warning> out;
  for (std::size_t i = 0; i < kLosses; ++i) {
    if (counts_[i] == 0) continue;
    out.push_back({.message = std::string(meaning_of(static_cast<Loss>(i))), .count = counts_[i]});
  }
  return out;
}

}  // namespace deadheat::record
