// Witnesses as a file: docs/witnesses.md says what is in it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deadheat/result.h"
#include "witness/witness.h"

namespace deadheat::report {

// One of them, as an object of JSON on one line.
std::string as_json(const witness::Witness& witness);
// The error says what is wrong, as the end of a sentence.
Result<witness::Witness> parse_witness(std::string_view json);
// A file of them.
std::string as_witness_file(std::span<const witness::Witness> witnesses, const std::string& trace,
                            std::uint64_t events);

struct WitnessFile {
  std::uint64_t events = 0;  // of the trace they are of
  std::vector<witness::Witness> witnesses;
};
// Such a file, or what is known of a labelled trace (NAME.truth.json).
Result<WitnessFile> read_witness_file(const std::string& path);

}  // namespace deadheat::report
