#include "symbol/find_files.h"

#include <fmt/format.h>

namespace deadheat::symbol {

namespace {

constexpr const char* kDebugFolder = "/usr/lib/debug";
constexpr const char* kDebugSection = ".debug_info";

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string base_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "DIR/.build-id/ab/cdef.debug"
std::string by_build_id(const std::string& folder, const std::string& id, const char* ending) {
  return fmt::format("{}/.build-id/{}/{}{}", folder, id.substr(0, 2), id.substr(2), ending);
}

bool has_debug_info(const ObjectFile& file) {
  return file.has_section(kDebugSection) || file.has_section(".zdebug_info");
}

std::vector<std::string> places_of_module(const Wanted& wanted) {
  std::vector<std::string> out;
  // Relative to what, only the recorded program knew; the name of the vDSO and the like is no path.
  if (wanted.path.starts_with('/')) out.push_back(wanted.path);
  for (const std::string& folder : wanted.folders) {
    if (wanted.build_id.size() > 2) out.push_back(by_build_id(folder, wanted.build_id, ""));
    if (wanted.path.starts_with('/')) out.push_back(folder + wanted.path);
    out.push_back(folder + '/' + base_of(wanted.path));
  }
  return out;
}

// What has the debug information of a build id, whatever became of the module.
std::unique_ptr<ObjectFile> debug_by_build_id(const Wanted& wanted, const std::string& id) {
  std::vector<std::string> places;
  for (const std::string& folder : wanted.folders) {
    if (id.size() > 2) places.push_back(by_build_id(folder, id, ".debug"));
    for (const char* ending : {"", ".debug", ".dbg"}) {
      places.push_back(folder + '/' + base_of(wanted.path) + ending);
    }
  }
  if (id.size() > 2) places.push_back(by_build_id(kDebugFolder, id, ".debug"));
  for (const std::string& place : places) {
    auto file = ObjectFile::open(place);
    if (file != nullptr && !id.empty() && file->build_id() == id && has_debug_info(*file)) return file;
  }
  return nullptr;
}

std::unique_ptr<ObjectFile> debug_by_link(const Wanted& wanted, const ObjectFile& module) {
  const auto link = module.debug_link();
  if (!link) return nullptr;
  const std::string home = folder_of(module.path());
  std::vector<std::string> places = {home + '/' + link->name, home + "/.debug/" + link->name};
  for (const std::string& folder : wanted.folders) {
    places.push_back(folder + '/' + link->name);
    if (home.starts_with('/')) places.push_back(folder + home + '/' + link->name);
  }
  if (home.starts_with('/')) places.push_back(kDebugFolder + home + '/' + link->name);
  for (const std::string& place : places) {
    auto file = ObjectFile::open(place);
    if (file == nullptr || !has_debug_info(*file)) continue;
    const bool same_id = !module.build_id().empty() && file->build_id() == module.build_id();
    if (same_id || (file->build_id().empty() && file->crc() == link->crc)) return file;
  }
  return nullptr;
}

}  // namespace

Found find_files(const Wanted& wanted) {
  Found found;
  for (const std::string& place : places_of_module(wanted)) {
    auto file = ObjectFile::open(place);
    if (file == nullptr) continue;
    if (wanted.build_id.empty() || file->build_id() == wanted.build_id) {
      found.module = std::move(file);
      break;
    }
    if (place == wanted.path) {
      found.other = true;
      found.other_build_id = file->build_id();
    }
  }
  if (found.module != nullptr && has_debug_info(*found.module)) return found;
  const std::string& id = found.module != nullptr ? found.module->build_id() : wanted.build_id;
  found.debug = debug_by_build_id(wanted, id);
  if (found.debug == nullptr && found.module != nullptr) found.debug = debug_by_link(wanted, *found.module);
  return found;
}

}  // namespace deadheat::symbol
