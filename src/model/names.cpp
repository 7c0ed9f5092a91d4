#include "deadheat/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/assert.h"

namespace deadheat {

namespace {
constexpr std::size_t kFirstChunkBytes = std::size_t{1} << 10, kChunkBytes = std::size_t{1} << 18;
}

std::string_view NameTable::keep(std::string_view name) {
  if (name.size() > free_bytes_) {
    const std::size_t size = std::max(name.size(), std::clamp(2 * bytes_, kFirstChunkBytes, kChunkBytes));
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    free_ = chunks_.back().get();
    free_bytes_ = size;
  }
  if (!name.empty()) std::memcpy(free_, name.data(), name.size());
  const std::string_view kept(free_, name.size());
  free_ += name.size();
  free_bytes_ -= name.size();
  bytes_ += name.size();
  return kept;
}

std::uint32_t NameTable::add(std::string_view name) {
  DEADHEAT_ASSERT(names_.size() < UINT32_MAX, "at most 2^32 - 1 names in a table");
  names_.push_back(keep(name));
  return size() - 1;
}

void NameTable::rename(std::uint32_t id, std::string_view name) {
  DEADHEAT_ASSERT(id < names_.size(), "only an id that is there can be renamed");
  names_[id] = keep(name);
  renamed_.push_back(id);
}

Names::Names() : sites(1), stacks(1), modules(1) { strings.add(""); }

SiteId Names::add_site(Site site) {
  DEADHEAT_ASSERT(sites.size() < UINT32_MAX, "at most 2^32 - 1 sites");
  sites.push_back(site);
  return SiteId{static_cast<std::uint32_t>(sites.size() - 1)};
}

StackId Names::add_stack(Frame frame) {
  DEADHEAT_ASSERT(stacks.size() < UINT32_MAX, "at most 2^32 - 1 stacks");
  DEADHEAT_ASSERT(index(frame.caller) < stacks.size(), "the caller's stack is added first");
  stacks.push_back(frame);
  return StackId{static_cast<std::uint32_t>(stacks.size() - 1)};
}

std::uint32_t Names::add_module(std::string_view path, std::string_view build_id, std::uint64_t bias) {
  DEADHEAT_ASSERT(modules.size() < UINT32_MAX, "at most 2^32 - 1 modules");
  Module module{.path = strings.add(path), .bias = bias};
  if (!build_id.empty()) module.build_id = strings.add(build_id);
  modules.push_back(module);
  return static_cast<std::uint32_t>(modules.size() - 1);
}

namespace {
std::uint64_t end_of(const Region& region) { return std::uint64_t{index(region.first)} + region.cells; }
}  // namespace

void Names::add_region(Region region) {
  DEADHEAT_ASSERT(region.cells > 0 && end_of(region) <= std::uint64_t{1} << 32, "a region is of variables");
  DEADHEAT_ASSERT(regions.empty() || index(region.first) >= end_of(regions.back()),
                  "the variables of a region come behind those before");
  DEADHEAT_ASSERT(
      region.address % kCellBytes == 0 && region.cells - 1 <= (UINT64_MAX - region.address) / kCellBytes,
      "a region is of cells in memory");
  regions.push_back(region);
}

std::optional<std::uint64_t> Names::address_of(VarId x) const {
  const auto behind = std::ranges::upper_bound(regions, x, {}, &Region::first);
  if (behind == regions.begin()) return {};
  const Region& region = *(behind - 1);
  if (index(x) >= end_of(region)) return {};
  return region.address + std::uint64_t{kCellBytes} * (index(x) - index(region.first));
}

const Mapping* Names::mapping_at(std::uint64_t address, std::uint64_t event) const {
  for (std::size_t i = mappings.size(); i-- > 0;) {
    const Mapping& m = mappings[i];
    if (m.since <= event && address >= m.address && address - m.address < m.bytes) return &m;
  }
  return nullptr;
}

const NameTable& Names::of(ObjectKind kind) const {
  switch (kind) {
    case ObjectKind::variable:
      return variables;
    case ObjectKind::lock:
      return locks;
    case ObjectKind::thread:
      return threads;
    case ObjectKind::channel:
      return channels;
    case ObjectKind::barrier:
      return barriers;
    case ObjectKind::none:
      break;
  }
  DEADHEAT_ASSERT(false, "events without an object have no name table");
}

NameTable& Names::of(ObjectKind kind) { return const_cast<NameTable&>(std::as_const(*this).of(kind)); }

std::string Names::display(ObjectKind kind, std::uint32_t id) const {
  const std::string_view name = of(kind)[id];
  if (!name.empty()) return std::string(name);
  if (kind == ObjectKind::variable) {
    if (const auto address = address_of(VarId{id})) return fmt::format("{:#x}", *address);
  }
  constexpr std::string_view kLetters = "?VLTCB";  // in the order of ObjectKind
  return fmt::format("{}{}", kLetters[static_cast<std::size_t>(kind)], id);
}

std::string Names::display(SiteId id) const {
  if (id == SiteId::none) return "";
  if (index(id) >= sites.size()) return fmt::format("site{}", index(id));
  const Site& site = sites[index(id)];
  if (site.text != 0) return std::string(strings[site.text]);
  if (site.module != 0 && site.module < modules.size() && site.file == 0 && site.function == 0) {
    const std::string_view path = strings[modules[site.module].path];
    return fmt::format("{}+{:#x}", path.substr(path.rfind('/') + 1), site.address);
  }
  std::string out(strings[site.file]);
  if (site.line != 0) out += fmt::format(":{}", site.line);
  if (site.column != 0) out += fmt::format(":{}", site.column);
  if (site.function != 0) out += fmt::format(" ({})", strings[site.function]);
  return out;
}

}  // namespace deadheat
