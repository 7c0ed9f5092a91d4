#include "support/source_path.h"

namespace deadheat::test {

std::string source_path(std::string_view relative) {
  return std::string(DEADHEAT_SOURCE_DIR "/").append(relative);
}

}  // namespace deadheat::test
