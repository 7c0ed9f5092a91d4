#include "symbol/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "symbol/demangle.h"
#include "symbol/object_file.h"

namespace deadheat::symbol {

namespace {

// Of honest units no more than a few; of a damaged file anything.
constexpr std::size_t kDeepest = 200;
constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 24;

constexpr std::string_view kUnnamed = "{unnamed}::";

struct Range {
  std::uint64_t begin, end;
  Dwarf_Off what;  // which unit or function
};

// By begin. Of ranges inside each other the innermost is found.
const Range* find(const std::vector<Range>& ranges, std::uint64_t address) {
  auto behind = std::ranges::upper_bound(ranges, address, {}, &Range::begin);
  for (int i = 0; i < 8 && behind != ranges.begin(); ++i) {
    --behind;
    if (address < behind->end) return &*behind;
  }
  return nullptr;
}

void sort(std::vector<Range>& ranges) {
  std::ranges::sort(ranges, [](const Range& a, const Range& b) {
    return std::tuple(a.begin, b.end, a.what) < std::tuple(b.begin, a.end, b.what);
  });
}

void add_ranges(Dwarf_Die& die, Dwarf_Off what, std::vector<Range>& out) {
  Dwarf_Addr base = 0, begin = 0, end = 0;
  std::uint64_t left = kMostEntries;
  for (ptrdiff_t at = 0; left-- > 0 && (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;) {
    // What the linker dropped begins at 0.
    if (begin != 0 && begin < end) out.push_back({begin, end, what});
  }
}

enum class Walk { into, over };

// Calls visit(die, parents) for all entries below one, parents first; what it gives says whether to go into
// it.
template <class Visit>
void walk(Dwarf_Die& from, const Visit& visit, std::uint64_t& left, std::vector<Dwarf_Die>& parents) {
  Dwarf_Die die;
  if (parents.size() > kDeepest || dwarf_child(&from, &die) != 0) return;
  while (left > 0) {
    --left;
    if (visit(die, parents) == Walk::into) {
      parents.push_back(die);
      walk(die, visit, left, parents);
      parents.pop_back();
    }
    Dwarf_Die next;
    // Only forwards: a damaged file could lead back.
    if (dwarf_siblingof(&die, &next) != 0 || dwarf_dieoffset(&next) <= dwarf_dieoffset(&die)) return;
    die = next;
  }
}

template <class Visit>
void walk(Dwarf_Die& from, const Visit& visit) {
  std::uint64_t left = kMostEntries;
  std::vector<Dwarf_Die> parents;
  walk(from, visit, left, parents);
}

// The first entry right below one that is as asked for.
template <class Match>
bool find_child(Dwarf_Die& from, const Match& match, Dwarf_Die& out) {
  if (dwarf_child(&from, &out) != 0) return false;
  while (!match(out)) {
    Dwarf_Die next;
    if (dwarf_siblingof(&out, &next) != 0 || dwarf_dieoffset(&next) <= dwarf_dieoffset(&out)) return false;
    out = next;
  }
  return true;
}

// Where functions and variables are declared, besides the unit itself.
bool is_scope(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
         tag == DW_TAG_union_type || tag == DW_TAG_module;
}
bool is_block(int tag) {
  return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

const char* linkage_name(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    if (dwarf_attr_integrate(&die, name, &attribute) == nullptr) continue;
    if (const char* text = dwarf_formstring(&attribute)) return text;
  }
  return nullptr;
}

// The entry that this one is an instance or the definition of.
bool follow(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Die to;
    if (dwarf_attr(&die, name, &attribute) == nullptr || dwarf_formref_die(&attribute, &to) == nullptr) {
      continue;
    }
    die = to;
    return true;
  }
  return false;
}

std::uint64_t number(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(&die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) return 0;
  return value;
}

std::uint32_t narrow(std::uint64_t value) {
  return value > UINT32_MAX ? 0 : static_cast<std::uint32_t>(value);
}

std::optional<std::uint64_t> address_of(Dwarf_Die& variable) {
  Dwarf_Attribute location, address;
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  Dwarf_Addr value = 0;
  if (dwarf_attr(&variable, DW_AT_location, &location) == nullptr) return {};
  if (dwarf_getlocation(&location, &ops, &count) != 0 || count != 1) return {};
  if (ops[0].atom == DW_OP_addr) return ops[0].number;
  if (ops[0].atom != DW_OP_addrx && ops[0].atom != DW_OP_GNU_addr_index) return {};
  if (dwarf_getlocation_attr(&location, ops, &address) != 0 || dwarf_formaddr(&address, &value) != 0) {
    return {};
  }
  return value;
}

}  // namespace

struct DebugInfo::Impl {
  struct Unit {
    Dwarf_Die die;   // with the lines
    Dwarf_Die tree;  // with the functions: another one where they are in a .dwo
    std::string folder;
    bool opened = false;
    enum class Functions { not_read, outer, all } known = Functions::not_read;
    std::vector<Range> functions;
    // Of all entries of functions: in what they are declared, "bank::Account::" or "".
    std::unordered_map<Dwarf_Off, std::string> scopes;
  };

  explicit Impl(Dwarf* from) : dwarf(from) { read_units(); }
  ~Impl() { dwarf_end(dwarf); }

  void read_units();
  Unit* unit_at(std::uint64_t pc);
  void open(Unit& unit) const;
  static bool may_follow(const Unit& unit);
  bool function_at(Unit& unit, std::uint64_t pc, Dwarf_Die& out);
  // Where a name for the linker is missing, as gcc has none for what only one file sees: made of the scopes.
  std::string name_of(Unit& unit, Dwarf_Die die);
  static std::string scope_of(const std::vector<Dwarf_Die>& parents);
  static void read_functions(Unit& unit, Unit::Functions which);
  static std::string file(const Unit& unit, const char* path);
  static std::string file(const Unit& unit, Dwarf_Die& die, unsigned name);
  void read_variables(Unit& unit, Where where);

  Dwarf* dwarf;
  std::vector<Unit> units;
  std::vector<Range> ranges;  // of the units
  // By where they are in the file. Templates have names that take longer to read than all else.
  std::unordered_map<const char*, std::string> demangled_names;
  std::unordered_map<std::uint64_t, Declaration> variables;
  std::size_t variables_read[2] = {};  // how many units, by where
};

DebugInfo::DebugInfo(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DebugInfo::~DebugInfo() = default;

std::unique_ptr<DebugInfo> DebugInfo::of(Elf* elf) {
  Dwarf* dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
  if (dwarf == nullptr) return nullptr;
  std::unique_ptr<DebugInfo> info(new DebugInfo(std::make_unique<Impl>(dwarf)));
  return info->impl_->units.empty() ? nullptr : std::move(info);
}

// Their own ranges, not .debug_aranges: clang writes none.
void DebugInfo::Impl::read_units() {
  Dwarf_CU* cu = nullptr;
  std::uint8_t type = 0;
  Dwarf_Die die;
  while (units.size() < kMostEntries && dwarf_get_units(dwarf, cu, &cu, nullptr, &type, &die, nullptr) == 0) {
    if (type == DW_UT_type || type == DW_UT_split_type) continue;
    add_ranges(die, units.size(), ranges);
    units.push_back({.die = die, .tree = die, .folder = {}, .functions = {}, .scopes = {}});
  }
  sort(ranges);
}

DebugInfo::Impl::Unit* DebugInfo::Impl::unit_at(std::uint64_t pc) {
  const Range* range = find(ranges, pc);
  if (range == nullptr) return nullptr;
  Unit& unit = units[range->what];
  open(unit);
  return &unit;
}

// libdw opens the .dwo that a unit names, and would wait at a pipe: only a regular file, by its whole path.
bool DebugInfo::Impl::may_follow(const Unit& unit) {
  Dwarf_Die die = unit.die;
  for (const unsigned name : {DW_AT_dwo_name, DW_AT_GNU_dwo_name}) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(&die, name, &attribute) == nullptr) continue;
    const char* const file = dwarf_formstring(&attribute);
    if (file == nullptr) return false;
    const std::string path = *file == '/' ? file : unit.folder + file;
    return path.starts_with('/') && ObjectFile::open(path) != nullptr;
  }
  return true;
}

void DebugInfo::Impl::open(Unit& unit) const {
  if (unit.opened) return;
  unit.opened = true;
  Dwarf_Attribute attribute;
  if (dwarf_attr(&unit.die, DW_AT_comp_dir, &attribute) != nullptr) {
    if (const char* folder = dwarf_formstring(&attribute)) unit.folder = folder;
  }
  if (!unit.folder.empty() && unit.folder.back() != '/') unit.folder += '/';
  if (!may_follow(unit)) return;
  Dwarf_Die split;
  std::uint8_t type = 0;
  if (dwarf_cu_info(unit.die.cu, nullptr, &type, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
      type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid) {
    unit.tree = split;
  }
}

void DebugInfo::Impl::read_functions(Unit& unit, Unit::Functions which) {
  unit.known = which;
  unit.functions.clear();
  const auto visit = [&](Dwarf_Die& die, const std::vector<Dwarf_Die>& parents) {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_subprogram) {
      unit.scopes.try_emplace(dwarf_dieoffset(&die), scope_of(parents));
      add_ranges(die, dwarf_dieoffset(&die), unit.functions);
      return which == Unit::Functions::all ? Walk::into : Walk::over;
    }
    if (is_scope(tag)) return Walk::into;
    return which == Unit::Functions::all && is_block(tag) ? Walk::into : Walk::over;
  };
  walk(unit.tree, visit);
  sort(unit.functions);
}

std::string DebugInfo::Impl::scope_of(const std::vector<Dwarf_Die>& parents) {
  std::string out;
  for (Dwarf_Die parent : parents) {
    const int tag = dwarf_tag(&parent);
    if (is_block(tag)) continue;
    const char* name = linkage_name(parent);
    if (name != nullptr) {
      out = demangled(name) + "::";
      continue;
    }
    name = dwarf_diename(&parent);
    if (name != nullptr) {
      out += name;
      out += tag == DW_TAG_subprogram ? "()::" : "::";
    } else {
      out += tag == DW_TAG_namespace ? "(anonymous namespace)::" : kUnnamed;
    }
  }
  return out;
}

std::string DebugInfo::Impl::name_of(Unit& unit, Dwarf_Die die) {
  if (const char* name = linkage_name(die)) {
    const auto [at, is_new] = demangled_names.try_emplace(name);
    if (is_new) at->second = demangled(name);
    return at->second;
  }
  const char* name = dwarf_diename(&die);
  if (name == nullptr) return "";
  // What it is an instance of is where it was declared.
  for (int i = 0; i < 4 && follow(die);) ++i;
  auto scope = unit.scopes.find(dwarf_dieoffset(&die));
  if (scope == unit.scopes.end() && unit.known == Unit::Functions::outer) {
    read_functions(unit, Unit::Functions::all);
    scope = unit.scopes.find(dwarf_dieoffset(&die));
  }
  if (scope == unit.scopes.end()) return name;
  std::string in = scope->second;
  // gcc gives no name to the types of lambdas.
  if (in.ends_with(kUnnamed) && name == std::string_view("operator()")) {
    in.replace(in.size() - kUnnamed.size(), kUnnamed.size(), "{lambda}::");
  }
  return in + name;
}

// Functions inside functions are rare, so the others are looked through first.
bool DebugInfo::Impl::function_at(Unit& unit, std::uint64_t pc, Dwarf_Die& out) {
  using Functions = Unit::Functions;
  if (unit.known == Functions::not_read) read_functions(unit, Functions::outer);
  const Range* range = find(unit.functions, pc);
  if (range == nullptr && unit.known == Functions::outer) {
    read_functions(unit, Functions::all);
    range = find(unit.functions, pc);
  }
  Dwarf* from = dwarf_cu_getdwarf(unit.tree.cu);
  return range != nullptr && from != nullptr && dwarf_offdie(from, range->what, &out) != nullptr;
}

std::string DebugInfo::Impl::file(const Unit& unit, const char* path) {
  std::string_view text = path == nullptr ? "" : path;
  if (!unit.folder.empty() && text.starts_with(unit.folder)) text.remove_prefix(unit.folder.size());
  while (text.starts_with("./")) text.remove_prefix(2);
  return std::string(text);
}

// By the number that an attribute has, of the unit that the attribute is in. dwarf_decl_file takes number 0
// for none, which it is up to version 4.
std::string DebugInfo::Impl::file(const Unit& unit, Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  Dwarf_Die cu;
  Dwarf_Half version = 0;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_attr_integrate(&die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &number) != 0 ||
      dwarf_cu_info(attribute.cu, &version, nullptr, &cu, nullptr, nullptr, nullptr, nullptr) != 0 ||
      dwarf_getsrcfiles(&cu, &files, &count) != 0 || number >= count || (version < 5 && number == 0)) {
    return "";
  }
  return file(unit, dwarf_filesrc(files, number, nullptr, nullptr));
}

std::vector<CodeFrame> DebugInfo::frames(std::uint64_t pc) {
  Impl::Unit* unit = impl_->unit_at(pc);
  if (unit == nullptr) return {};
  CodeFrame place;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit->die, pc)) {
    int number = 0, column = 0;
    place.file = Impl::file(*unit, dwarf_linesrc(line, nullptr, nullptr));
    if (dwarf_lineno(line, &number) == 0 && number > 0) place.line = static_cast<std::uint32_t>(number);
    if (dwarf_linecol(line, &column) == 0 && column > 0) place.column = static_cast<std::uint32_t>(column);
  }
  Dwarf_Die function;
  if (!impl_->function_at(*unit, pc, function)) {
    return place.file.empty() ? std::vector<CodeFrame>{} : std::vector<CodeFrame>{place};
  }
  // From the function down to the innermost one that is inlined here; then every frame but the innermost is
  // where the one below it is called.
  std::vector<CodeFrame> out = {{.function = impl_->name_of(*unit, function), .file = {}}};
  Dwarf_Die at = function;
  for (std::size_t depth = 0; depth < kDeepest; ++depth) {
    Dwarf_Die inner;
    const auto holds_pc = [&](Dwarf_Die& die) {
      const int tag = dwarf_tag(&die);
      return (tag == DW_TAG_inlined_subroutine || is_block(tag)) && dwarf_haspc(&die, pc) == 1;
    };
    if (!find_child(at, holds_pc, inner)) break;
    at = inner;
    if (dwarf_tag(&at) != DW_TAG_inlined_subroutine) continue;
    CodeFrame& caller = out.back();
    caller.file = Impl::file(*unit, at, DW_AT_call_file);
    caller.line = narrow(number(at, DW_AT_call_line));
    caller.column = narrow(number(at, DW_AT_call_column));
    out.push_back({.function = impl_->name_of(*unit, at), .file = {}, .inlined = true});
  }
  out.back().file = place.file;
  out.back().line = place.line;
  out.back().column = place.column;
  std::ranges::reverse(out);
  return out;
}

void DebugInfo::Impl::read_variables(Unit& unit, Where where) {
  open(unit);
  const auto visit = [&](Dwarf_Die& die, const std::vector<Dwarf_Die>&) {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_variable) {
      if (const auto address = address_of(die)) {
        const char* name = linkage_name(die);
        if (name == nullptr) name = dwarf_diename(&die);
        Declaration found{.name = name == nullptr ? "" : demangled(name),
                          .file = file(unit, die, DW_AT_decl_file)};
        int line = 0;
        if (dwarf_decl_line(&die, &line) == 0 && line > 0) found.line = static_cast<std::uint32_t>(line);
        variables.emplace(*address, std::move(found));
      }
      return Walk::over;
    }
    if (is_scope(tag)) return Walk::into;
    const bool in_code = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || is_block(tag);
    return where == Where::anywhere && in_code ? Walk::into : Walk::over;
  };
  walk(unit.tree, visit);
}

// Unit by unit, until it is found: no table says in which one it is.
std::optional<Declaration> DebugInfo::variable(std::uint64_t address, Where where) {
  std::size_t& next = impl_->variables_read[static_cast<std::size_t>(where)];
  while (true) {
    if (const auto found = impl_->variables.find(address); found != impl_->variables.end()) {
      return found->second;
    }
    if (next == impl_->units.size()) return {};
    impl_->read_variables(impl_->units[next++], where);
  }
}

}  // namespace deadheat::symbol
