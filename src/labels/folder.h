// Folders of labelled traces: as 'deadheat inject' writes them, and as others do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "labels/truth.h"

namespace deadheat::labels {

struct LabelledTrace {
  std::string path;
  std::string name;  // of the file, without what says its format
  Truth truth;       // events 0: not known; of pairs kind and variable may not be known
  // The orders ("hb", "shb", "wcp", "syncp") that its authors found to miss it, where they say.
  std::optional<std::vector<std::string>> published_as_missed_by{};
};

struct Folder {
  std::string path;
  std::string layout;   // whose it is
  std::string made_by;  // how; "": not said
  std::vector<LabelledTrace> traces{};
  std::vector<Warning> warnings{};
};

// A set that is not whole is refused, or what there is of it is taken.
enum class Partial : std::uint8_t { refused, taken };

// The layouts, and what is there known of a trace:
//   set.json, NAME.truth.json          what they say
//   labels.tsv, *_injectedTrace*.std   RaceInjector's: the two writes of BUGGY_ADDR at 9999 and 10000 race
//   truth.tsv                          all races, as lines of NAME.std
//   TRACE.truth.tsv                    'deadheat generate': the planted races
Result<Folder> read_folder(const std::string& path, Partial partial, const ReadOptions& read);

}  // namespace deadheat::labels
