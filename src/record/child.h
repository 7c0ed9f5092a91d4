// Another program, run with our standard input, output and error.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "deadheat/result.h"

namespace deadheat::record {

struct Launch {
  std::vector<std::string> words;  // the program, found by PATH, and its arguments
  std::vector<std::pair<std::string, std::string>> environment{};  // added to ours
  int descriptor = -1;                                             // left open in the program; -1: none
};

// The error says why it could not be run.
Result<pid_t> start(const Launch& launch);
// Runs it to its end, in our place as far as signals of the terminal go. Its status as of waitpid().
Result<int> run(const Launch& launch);

// 0 to 255; killed by a signal: 128 and its number, as shells have it.
int exit_code_of(int status);
// Ends this process as the other one ended, if that was by a signal.
void die_alike(int status);

}  // namespace deadheat::record
