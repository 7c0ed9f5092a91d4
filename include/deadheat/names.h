// What the ids of a trace are called, and where its sites are.
#pragma once

#include <cstdint>
#include <memory>
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

// A place in the program. Text formats know a location only (`text`); recordings know file, line and
// function. The strings are ids in Names::strings; string 0 is the empty one.
struct Site {
  std::uint32_t text = 0;
  std::uint32_t file = 0;
  std::uint32_t function = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const Site&, const Site&) = default;
};

// One frame of a call stack and the stack that called it. A stack's id is greater than its caller's.
struct Frame {
  StackId caller = StackId::none;
  SiteId site = SiteId::none;

  friend bool operator==(const Frame&, const Frame&) = default;
};

struct Names {
  Names();
  Names(Names&&) noexcept = default;
  Names& operator=(Names&&) noexcept = default;

  NameTable strings;  // [0] is ""
  NameTable threads, locks, variables, channels, barriers;
  std::vector<Site> sites;    // [0] is "no site"
  std::vector<Frame> stacks;  // [0] is "no stack"

  SiteId add_site(Site site);
  SiteId add_text_site(std::string_view text) { return add_site({.text = strings.add(text)}); }
  StackId add_stack(Frame frame);

  NameTable& of(ObjectKind kind);
  const NameTable& of(ObjectKind kind) const;

  // For people: the name, or one made of the id ("V17", "T3", "L0") where there is none.
  std::string display(ObjectKind kind, std::uint32_t id) const;
  // "file.c:12:3 (function)", the location text, or "" for no site.
  std::string display(SiteId site) const;
};

}  // namespace deadheat
