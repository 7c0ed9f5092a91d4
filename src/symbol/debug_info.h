// DWARF, versions 2 to 5: from code addresses to functions and lines, inlined ones too; from addresses of
// data to declarations. What is asked for is read, nothing else: first the ranges of all compilation units,
// then the functions of a unit that is asked of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Elf;

namespace deadheat::symbol {

struct CodeFrame {
  std::string function;  // demangled; "": not known
  std::string file;      // relative where it lies below the folder it was compiled in; "": not known
  std::uint32_t line = 0, column = 0;
  bool inlined = false;  // into the next frame

  friend bool operator==(const CodeFrame&, const CodeFrame&) = default;
};

struct Declaration {
  std::string name, file;
  std::uint32_t line = 0;
};

class DebugInfo {
 public:
  // nullptr if the file has none that can be read. The file must outlive it.
  static std::unique_ptr<DebugInfo> of(Elf* elf);
  ~DebugInfo();

  // Innermost first; empty where nothing is known.
  std::vector<CodeFrame> frames(std::uint64_t pc);
  // Of the variable that begins at the address. To look into functions too takes longer.
  enum class Where { outside_functions, anywhere };
  std::optional<Declaration> variable(std::uint64_t address, Where where);

 private:
  struct Impl;
  explicit DebugInfo(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace deadheat::symbol
