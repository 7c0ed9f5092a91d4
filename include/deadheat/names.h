// What the ids of a trace are called, and where its sites are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deadheat/event.h"

namespace deadheat {

// Names of dense ids. Views stay valid for the table's life, also after a rename.
class NameTable {
 public:
  NameTable() = default;
  NameTable(NameTable&&) noexcept = default;
  NameTable& operator=(NameTable&&) noexcept = default;

  std::uint32_t size() const { return static_cast<std::uint32_t>(names_.size()); }
  // The name, or an empty view for an id that has none.
  std::string_view operator[](std::uint32_t id) const {
    return id < names_.size() ? names_[id] : std::string_view{};
  }
  std::uint32_t add(std::string_view name);  // the new id is the old size()
  void rename(std::uint32_t id, std::string_view name);
  std::span<const std::uint32_t> renamed() const { return renamed_; }  // ids in order of rename
  std::size_t bytes() const { return bytes_; }                         // of all names together

 private:
  std::string_view keep(std::string_view name);

  std::vector<std::string_view> names_;
  std::vector<std::uint32_t> renamed_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_ = nullptr;
  std::size_t free_bytes_ = 0;
  std::size_t bytes_ = 0;
};

// A file of code that a recorded program had in memory: the program itself, or a shared library.
struct Module {
  std::uint32_t path = 0;      // string
  std::uint32_t build_id = 0;  // string: hexadecimal digits, or 0 where it has none
  std::uint64_t bias = 0;      // what was added to the addresses of its file where it was in memory

  friend bool operator==(const Module&, const Module&) = default;
};

// A place in the program. Text formats know a location only (`text`); others know file, line and function;
// recordings know the code address. The strings are ids in Names::strings; string 0 is the empty one.
struct Site {
  std::uint32_t text = 0;
  std::uint32_t file = 0;
  std::uint32_t function = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t module = 0;   // in Names::modules; 0: no code address
  std::uint64_t address = 0;  // as the module's file counts them, where the call returns to: one too far

  friend bool operator==(const Site&, const Site&) = default;
};

// One frame of a call stack and the stack that called it. A stack's id is greater than its caller's.
struct Frame {
  StackId caller = StackId::none;
  SiteId site = SiteId::none;

  friend bool operator==(const Frame&, const Frame&) = default;
};

// Variables that are cells of memory: `first` + i is the cell at `address` + 8 i.
struct Region {
  VarId first{};
  std::uint64_t address = 0;  // a multiple of kCellBytes
  std::uint32_t cells = 0;    // at least 1

  friend bool operator==(const Region&, const Region&) = default;
};

// What a piece of memory is, from an event on: a thread's stack, or a module's code and data. Memory is used
// again: of those that have an address, the last one that is not of later holds.
struct Mapping {
  enum class What : std::uint8_t { stack, module };
  What what{};
  std::uint32_t id = 0;  // of the thread, or in Names::modules
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t since = 0;  // event

  friend bool operator==(const Mapping&, const Mapping&) = default;
};

struct Names {
  Names();
  Names(Names&&) noexcept = default;
  Names& operator=(Names&&) noexcept = default;

  NameTable strings;  // [0] is ""
  NameTable threads, locks, variables, channels, barriers;
  std::vector<Site> sites;      // [0] is "no site"
  std::vector<Frame> stacks;    // [0] is "no stack"
  std::vector<Module> modules;  // [0] is "no module"
  std::vector<Region> regions;  // by first variable, which lie apart
  std::vector<Mapping> mappings;

  SiteId add_site(Site site);
  SiteId add_text_site(std::string_view text) { return add_site({.text = strings.add(text)}); }
  StackId add_stack(Frame frame);
  std::uint32_t add_module(std::string_view path, std::string_view build_id, std::uint64_t bias = 0);
  // The variables of a region come behind those of the regions before it.
  void add_region(Region region);
  // Of the first byte of a variable, where a region has it.
  std::optional<std::uint64_t> address_of(VarId x) const;
  // What is there when the event happens; nullptr: not known.
  const Mapping* mapping_at(std::uint64_t address, std::uint64_t event) const;

  NameTable& of(ObjectKind kind);
  const NameTable& of(ObjectKind kind) const;

  // For people: the name; else the address ("0x7f1200000010"), or one made of the id ("V17", "T3", "L0").
  std::string display(ObjectKind kind, std::uint32_t id) const;
  // "file.c:12:3 (function)", the location text, "libfoo.so+0x1234", or "" for no site.
  std::string display(SiteId site) const;
};

}  // namespace deadheat
