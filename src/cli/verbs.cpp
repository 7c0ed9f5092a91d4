#include "cli/verb.h"
namespace deadheat::cli {
std::span<const Verb* const> verbs() { return {}; }
}  // namespace deadheat::cli
