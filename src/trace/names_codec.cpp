#include "trace/names_codec.h"

#include <fmt/format.h>

#include <array>

#include "trace/bytes.h"
#include "trace/format.h"

namespace deadheat::trace {

namespace {

// The numbers are the format's.
enum class Table : std::uint8_t {
  strings,
  threads,
  locks,
  variables,
  channels,
  barriers,
  sites,
  stacks,
  modules,
  addresses,
  regions,
  mappings
};
enum class Mode : std::uint8_t { add, rename };

constexpr std::array<ObjectKind, 5> kNamed{ObjectKind::thread, ObjectKind::lock, ObjectKind::variable,
                                           ObjectKind::channel, ObjectKind::barrier};
constexpr Table table_of(std::size_t i) {
  return static_cast<Table>(static_cast<std::size_t>(Table::threads) + i);
}

// Fills a section with entries until there are no more or `out` has grown enough; then writes the section's
// head in front. `entry(i, w)` writes entry i; it gives false for an entry that cannot be written.
template <class WriteEntry>
bool write_section(Table table, Mode mode, std::uint32_t& next, std::uint32_t end, std::size_t most_bytes,
                   std::vector<char>& out, WriteEntry entry) {
  if (next >= end || out.size() >= most_bytes) return true;
  std::vector<char> body;
  ByteWriter w(body);
  const std::uint32_t first = next;
  while (next < end && out.size() + body.size() < most_bytes) {
    if (!entry(next, w)) return false;
    ++next;
  }
  ByteWriter head(out);
  head.fixed(table);
  head.fixed(mode);
  head.varint(mode == Mode::add ? first : 0);
  head.varint(next - first);
  head.varint(body.size());
  head.raw(body.data(), body.size());
  return true;
}

std::uint64_t end_of(const Region& region) { return std::uint64_t{index(region.first)} + region.cells; }

bool write_name(std::string_view name, ByteWriter& w) {
  if (name.size() > kMaxName) return false;
  w.text(name);
  return true;
}

}  // namespace

Result<bool> NamesEncoder::encode(const Names& names, std::size_t most_bytes, std::vector<char>& out) {
  const std::size_t start = out.size();
  most_bytes += start;
  // Strings before sites, sites before stacks: an entry may refer to what was written before it.
  bool ok = write_section(Table::strings, Mode::add, strings_, names.strings.size(), most_bytes, out,
                          [&](std::uint32_t i, ByteWriter& w) { return write_name(names.strings[i], w); });
  if (strings_ == names.strings.size()) {
    ok = ok && write_section(Table::sites, Mode::add, sites_, static_cast<std::uint32_t>(names.sites.size()),
                             most_bytes, out, [&](std::uint32_t i, ByteWriter& w) {
                               const Site& s = names.sites[i];
                               for (const std::uint32_t v : {s.text, s.file, s.function, s.line, s.column})
                                 w.varint(v);
                               return true;
                             });
  }
  if (strings_ == names.strings.size() && sites_ == names.sites.size()) {
    ok = ok &&
         write_section(Table::stacks, Mode::add, stacks_, static_cast<std::uint32_t>(names.stacks.size()),
                       most_bytes, out, [&](std::uint32_t i, ByteWriter& w) {
                         w.varint(index(names.stacks[i].caller));
                         w.varint(index(names.stacks[i].site));
                         return true;
                       });
  }
  if (strings_ == names.strings.size()) {
    ok = ok &&
         write_section(Table::modules, Mode::add, modules_, static_cast<std::uint32_t>(names.modules.size()),
                       most_bytes, out, [&](std::uint32_t i, ByteWriter& w) {
                         w.varint(names.modules[i].path);
                         w.varint(names.modules[i].build_id);
                         w.varint(names.modules[i].bias);
                         return true;
                       });
  }
  if (modules_ == names.modules.size()) write_addresses(names, most_bytes, out);
  ok = ok &&
       write_section(Table::regions, Mode::add, regions_, static_cast<std::uint32_t>(names.regions.size()),
                     most_bytes, out, [&](std::uint32_t i, ByteWriter& w) {
                       const Region& region = names.regions[i];
                       w.varint(index(region.first) - (i == 0 ? 0 : end_of(names.regions[i - 1])));
                       w.varint(region.address / kCellBytes);
                       w.varint(region.cells);
                       return true;
                     });
  if (modules_ == names.modules.size()) {
    ok = ok && write_section(Table::mappings, Mode::add, mappings_,
                             static_cast<std::uint32_t>(names.mappings.size()), most_bytes, out,
                             [&](std::uint32_t i, ByteWriter& w) {
                               const Mapping& m = names.mappings[i];
                               w.varint(static_cast<std::uint8_t>(m.what));
                               w.varint(m.id);
                               for (const std::uint64_t v : {m.address, m.bytes, m.since}) w.varint(v);
                               return true;
                             });
  }
  for (std::size_t k = 0; k < kNamed.size(); ++k) {
    const NameTable& table = names.of(kNamed[k]);
    ok = ok && write_section(table_of(k), Mode::add, tables_[k], table.size(), most_bytes, out,
                             [&](std::uint32_t i, ByteWriter& w) { return write_name(table[i], w); });
    if (tables_[k] != table.size()) continue;
    const auto renamed = table.renamed();
    ok = ok &&
         write_section(table_of(k), Mode::rename, renamed_[k], static_cast<std::uint32_t>(renamed.size()),
                       most_bytes, out, [&](std::uint32_t i, ByteWriter& w) {
                         w.varint(renamed[i]);
                         return write_name(table[renamed[i]], w);
                       });
  }
  if (!ok) return input_error(fmt::format("a name is longer than {} bytes", kMaxName));
  return out.size() > start;
}

// One section for each row of sites that have an address: traces without addresses pay nothing.
void NamesEncoder::write_addresses(const Names& names, std::size_t most_bytes, std::vector<char>& out) {
  while (addresses_ < sites_ && out.size() < most_bytes) {
    std::uint32_t end = addresses_;
    while (end < sites_ && names.sites[end].module != 0) ++end;
    write_section(Table::addresses, Mode::add, addresses_, end, most_bytes, out,
                  [&](std::uint32_t i, ByteWriter& w) {
                    w.varint(names.sites[i].module);
                    w.varint(names.sites[i].address);
                    return true;
                  });
    if (addresses_ == end && end < sites_) ++addresses_;
  }
}

namespace {

constexpr std::uint64_t kVariables = std::uint64_t{1} << 32;
constexpr std::uint64_t kCells = std::uint64_t{1} << 61;  // of 64 bits of address

Status bad(const char* what) { return input_error(fmt::format("{} in a names block", what)); }

Status read_names(ByteReader& r, Mode mode, std::uint32_t first, std::uint32_t count, NameTable& table) {
  if (mode == Mode::add && first != table.size()) return bad("names out of order");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t id = mode == Mode::add ? table.size() : r.varint32();
    const std::string_view name = r.text();
    if (!r.ok()) return bad("a cut name");
    if (name.size() > kMaxName) return bad("an over-long name");
    if (mode == Mode::add) {
      if (id == UINT32_MAX) return bad("too many names");
      table.add(name);
    } else {
      if (id >= table.size()) return bad("the rename of an unknown id");
      table.rename(id, name);
    }
  }
  return {};
}

Status read_sites(ByteReader& r, std::uint32_t first, std::uint32_t count, Names& names) {
  if (first != names.sites.size()) return bad("sites out of order");
  for (std::uint32_t i = 0; i < count; ++i) {
    Site s;
    for (std::uint32_t* field : {&s.text, &s.file, &s.function, &s.line, &s.column}) *field = r.varint32();
    if (!r.ok()) return bad("a cut site");
    for (const std::uint32_t string : {s.text, s.file, s.function}) {
      if (string >= names.strings.size()) return bad("a site with an unknown string");
    }
    names.add_site(s);
  }
  return {};
}

Status read_stacks(ByteReader& r, std::uint32_t first, std::uint32_t count, Names& names) {
  if (first != names.stacks.size()) return bad("stacks out of order");
  for (std::uint32_t i = 0; i < count; ++i) {
    const Frame frame{StackId{r.varint32()}, SiteId{r.varint32()}};
    if (!r.ok()) return bad("a cut stack");
    // The caller is older, so a walk towards the root always ends.
    if (index(frame.caller) >= names.stacks.size() || index(frame.site) >= names.sites.size()) {
      return bad("a stack with an unknown caller or site");
    }
    names.add_stack(frame);
  }
  return {};
}

Status read_modules(ByteReader& r, std::uint32_t first, std::uint32_t count, Names& names) {
  if (first != names.modules.size()) return bad("modules out of order");
  for (std::uint32_t i = 0; i < count; ++i) {
    const Module module{r.varint32(), r.varint32(), r.varint()};
    if (!r.ok()) return bad("a cut module");
    if (module.path >= names.strings.size() || module.build_id >= names.strings.size()) {
      return bad("a module with an unknown string");
    }
    names.modules.push_back(module);
  }
  return {};
}

Status read_addresses(ByteReader& r, std::uint32_t first, std::uint32_t count, Names& names) {
  if (first == 0 || first > names.sites.size() || count > names.sites.size() - first) {
    return bad("the code address of an unknown site");
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    Site& site = names.sites[first + i];
    if (site.module != 0) return bad("a second code address of a site");
    const std::uint32_t module = r.varint32();
    const std::uint64_t address = r.varint();
    if (!r.ok()) return bad("a cut code address");
    if (module == 0 || module >= names.modules.size()) return bad("a code address in an unknown module");
    site.module = module;
    site.address = address;
  }
  return {};
}

Status read_regions(ByteReader& r, std::uint32_t first, std::uint32_t count, Names& names) {
  if (first != names.regions.size()) return bad("regions out of order");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t behind = names.regions.empty() ? 0 : end_of(names.regions.back());
    const std::uint64_t variable = behind + r.varint32();
    const std::uint64_t cell = r.varint();
    const std::uint32_t cells = r.varint32();
    if (!r.ok()) return bad("a cut region");
    if (cells == 0 || variable + cells > kVariables) return bad("a region of variables there cannot be");
    if (cell > kCells || cells > kCells - cell) return bad("a region beyond the end of memory");
    names.add_region({VarId{static_cast<std::uint32_t>(variable)}, cell * kCellBytes, cells});
  }
  return {};
}

Status read_mappings(ByteReader& r, std::uint32_t first, std::uint32_t count, Names& names) {
  if (first != names.mappings.size()) return bad("mappings out of order");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t what = r.varint32();
    const Mapping mapping{static_cast<Mapping::What>(what), r.varint32(), r.varint(), r.varint(), r.varint()};
    if (!r.ok()) return bad("a cut mapping");
    if (what > static_cast<std::uint32_t>(Mapping::What::module)) return bad("a mapping of an unknown sort");
    if (mapping.what == Mapping::What::module && mapping.id >= names.modules.size()) {
      return bad("a mapping of an unknown module");
    }
    names.mappings.push_back(mapping);
  }
  return {};
}

Status read_section(ByteReader& r, Table table, Mode mode, std::uint32_t first, std::uint32_t count,
                    Names& names) {
  if (mode == Mode::rename && (table < Table::threads || table > Table::barriers))
    return bad("an odd rename");
  switch (table) {
    case Table::strings:
      return read_names(r, mode, first, count, names.strings);
    case Table::sites:
      return read_sites(r, first, count, names);
    case Table::stacks:
      return read_stacks(r, first, count, names);
    case Table::modules:
      return read_modules(r, first, count, names);
    case Table::addresses:
      return read_addresses(r, first, count, names);
    case Table::regions:
      return read_regions(r, first, count, names);
    case Table::mappings:
      return read_mappings(r, first, count, names);
    default:
      break;
  }
  const std::size_t k = static_cast<std::size_t>(table) - static_cast<std::size_t>(Table::threads);
  return read_names(r, mode, first, count, names.of(kNamed[k]));
}

}  // namespace

Status decode_names(std::span<const char> payload, Names& names) {
  ByteReader r(payload);
  while (r.ok() && !r.at_end()) {
    const auto table = r.fixed<std::uint8_t>();
    const auto mode = r.fixed<std::uint8_t>();
    const std::uint32_t first = r.varint32();
    const std::uint32_t count = r.varint32();
    const auto body = r.raw(r.varint());
    if (!r.ok()) break;
    if (table > static_cast<std::uint8_t>(Table::mappings))
      continue;  // of a newer minor version: not needed here
    if (mode > static_cast<std::uint8_t>(Mode::rename)) return bad("an unknown mode");
    ByteReader section(body);
    if (auto ok = read_section(section, Table{table}, Mode{mode}, first, count, names); !ok) return ok;
    if (!section.at_end()) return bad("bytes left over");
  }
  if (!r.ok()) return bad("a cut section");
  return {};
}

}  // namespace deadheat::trace
