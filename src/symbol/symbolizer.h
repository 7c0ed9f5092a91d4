// From addresses in files of code to functions, lines and variables. All that is read is in files on this
// machine; a file whose build id is another than the recorded one is not believed.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symbol/debug_info.h"

namespace deadheat::symbol {

struct Variable {
  std::string name;
  std::uint64_t offset = 0;  // of the address in it
  std::string file;          // of its declaration; "": not known
  std::uint32_t line = 0;
};

// A file of code, as a recording knows it.
struct Binary {
  std::string_view path;
  std::string_view build_id;  // hexadecimal; "": not known
};

class Symbolizer {
 public:
  // Folders where modules and files of debug information may be, besides where they should be.
  explicit Symbolizer(std::vector<std::string> folders = {});
  ~Symbolizer();

  // What is executed at an address, as the file counts them; innermost first. Empty: not known. Valid as long
  // as the symbolizer.
  const std::vector<CodeFrame>& frames(const Binary& binary, std::uint64_t pc);
  // The global variable at an address.
  std::optional<Variable> variable(const Binary& binary, std::uint64_t address);

  // Once for each module whose frames were asked for and cannot be told.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Module;
  Module& module_of(const Binary& binary);

  std::vector<std::string> folders_;
  std::unordered_map<std::string, std::unique_ptr<Module>> modules_;
  // Debug information may be made to be slow to read.
  static constexpr std::chrono::seconds kMostTime{60};
  bool is_time_up();

  std::vector<std::string> warnings_;
  std::chrono::steady_clock::duration spent_{};
  bool said_late_ = false;
};

}  // namespace deadheat::symbol
