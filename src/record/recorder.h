// Runs a program and writes what its runtime tells into traces.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "record/child.h"
#include "record/transcriber.h"

namespace deadheat::record {

struct RecordOptions {
  std::string path;      // of the trace
  bool replace = false;  // what has the name of the trace, or of one of its files
  unsigned mode = 0600;  // of new files, less the umask: they hold addresses and paths
  std::uint64_t memory_bytes = std::uint64_t{48} << 20;
  std::optional<double> rate{};                        // of the accesses; none: all are kept
  std::chrono::nanoseconds after{};                    // accesses are kept from then on
  std::optional<std::chrono::nanoseconds> duration{};  // and for so long
  bool is_paused = false;                              // until SIGUSR1
  std::uint64_t max_bytes = 0;                         // of a file; 0: no limit
  std::uint64_t keep_files = 0;                        // 0: all
  Scope scope{};                                       // of accesses
  std::function<void(std::uint64_t events)> progress{};
  std::function<void(bool are_kept)> on_change{};  // of whether accesses are kept
};

struct Recording {
  int status = 0;               // of the program, as waitpid() tells it
  bool is_status_known = true;  // the system may refuse to tell
  bool is_attached = false;
  std::uint64_t events = 0, bytes = 0;
  std::uint32_t threads = 0;
  std::uint64_t files = 0;          // written
  std::uint64_t files_removed = 0;  // because of keep_files
  std::vector<Warning> warnings{};
};

// Names of the files: FILE, FILE.1, FILE.2...
std::string file_name(const std::string& path, std::uint64_t number);

// An error of the trace is told when the program has ended, which does not suffer from it.
Result<Recording> record(Launch launch, const RecordOptions& options);

}  // namespace deadheat::record
