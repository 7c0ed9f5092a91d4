// Where the file of a module is, and the one with its debug information.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "symbol/object_file.h"

namespace deadheat::symbol {

struct Wanted {
  std::string path;                  // as it was recorded
  std::string build_id;              // hexadecimal; "": not known, any file of that path will do
  std::vector<std::string> folders;  // to look in besides
};

struct Found {
  std::unique_ptr<ObjectFile> module;  // nullptr: none that is the one recorded
  std::unique_ptr<ObjectFile> debug;   // nullptr: the module itself has it, or nobody
  // Of a file at the recorded path that is another one.
  bool other = false;
  std::string other_build_id;
};

Found find_files(const Wanted& wanted);

}  // namespace deadheat::symbol
