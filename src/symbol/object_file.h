// An ELF file: who it is, which symbols it has, where its debug information is said to be.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct Elf;

namespace deadheat::symbol {

struct Symbol {
  std::uint64_t begin = 0, end = 0;
  const char* name = nullptr;  // as in the file, which keeps it
};

// Those of one kind, by address.
class SymbolTable {
 public:
  void add(const Symbol& symbol) { symbols_.push_back(symbol); }
  // Symbols without a size last to the next one.
  void sort();
  bool empty() const { return symbols_.empty(); }
  const Symbol* find(std::uint64_t address) const;

 private:
  std::vector<Symbol> symbols_;
};

class ObjectFile {
 public:
  // nullptr if there is no such regular file, or it is no ELF file, or one that is much larger than it is.
  static std::unique_ptr<ObjectFile> open(const std::string& path);
  ~ObjectFile();
  ObjectFile(const ObjectFile&) = delete;
  ObjectFile& operator=(const ObjectFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& build_id() const { return build_id_; }  // hexadecimal; "" where it has none
  bool has_section(const char* name) const;
  // Adds the symbols of code and of data; true if it has a whole table of them, not only the dynamic one.
  bool read_symbols(SymbolTable& code, SymbolTable& data) const;

  // .gnu_debuglink: a file name, and the checksum of that file.
  struct Link {
    std::string name;
    std::uint32_t crc = 0;
  };
  std::optional<Link> debug_link() const;
  std::uint32_t crc() const;  // of the whole file

  Elf* elf() const { return elf_; }

 private:
  ObjectFile(std::string path, int fd, Elf* elf);
  std::string read_build_id() const;

  std::string path_;
  int fd_;
  Elf* elf_;
  std::string build_id_;
};

}  // namespace deadheat::symbol
