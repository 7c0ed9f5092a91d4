// Words of a command line, set apart by zero bytes, against the tables of all verbs.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/verb.h"

using namespace deadheat::cli;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> kept(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == 0) {
      kept.emplace_back();
    } else {
      kept.back() += static_cast<char>(data[i]);
    }
  }
  std::vector<const char*> words;
  for (const std::string& word : kept) words.push_back(word.c_str());
  static_cast<void>(find_verb(kept[0]));
  for (const Verb* verb : verbs()) {
    const auto arguments = parse(*verb, words);
    if (!arguments) continue;
    for (const Flag& flag : verb->flags) {
      static_cast<void>(arguments->number(flag.name, 1, 1000));
      static_cast<void>(arguments->real(flag.name, 0, 1));
    }
  }
  return 0;
}
