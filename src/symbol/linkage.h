// How a program was built and linked, as far as recording it goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace deadheat::symbol {

struct Linkage {
  bool is_x86_64 = false;
  bool is_dynamic = false;              // has the dynamic C library at all
  bool is_instrumented = false;         // calls __tsan_*
  bool has_runtime_inside = false;      // defines them
  bool has_our_runtime_inside = false;  // and it is ours
  bool has_symbols = false;             // a whole table of them
  bool has_debug_info = false;          // or a file beside it that has it is there
  std::string build_id;                 // hexadecimal; "" where it has none
  std::vector<std::string> needed;      // shared objects
  std::vector<std::string> imports;     // functions that it calls in them, sorted
};

// None if there is no such file, or it is no ELF file.
std::optional<Linkage> linkage_of(const std::string& path);

}  // namespace deadheat::symbol
