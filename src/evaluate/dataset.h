// An evaluation as a folder for who wants to learn from it: traces, what is known of them, what each engine
// said, and a card that says what all that is. No reader of ours is needed; and it is a set that can be
// evaluated again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evaluate/evaluation.h"
#include "labels/truth.h"

namespace deadheat::evaluate {

struct Dataset {
  struct Link {
    std::string from;  // path of a file
    std::string name;  // in the folder
  };
  struct File {
    std::string name, text;
  };
  std::vector<Link> links;  // traces, and licences
  std::vector<File> files;
  labels::Set set;
};

enum class Which : std::uint8_t {
  all,
  findings,  // traces that findings are about
};
// Traces of the same name in several folders get others.
Dataset dataset_of(const Evaluation& evaluation, Which which, std::string_view tool_version);

}  // namespace deadheat::evaluate
