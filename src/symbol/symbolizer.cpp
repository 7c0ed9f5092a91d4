#include "symbol/symbolizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/shown.h"
#include "symbol/demangle.h"
#include "symbol/find_files.h"
#include "symbol/object_file.h"

namespace deadheat::symbol {

struct Symbolizer::Module {
  Found files;
  std::unique_ptr<DebugInfo> debug;
  SymbolTable code, data;
  std::string warning;  // "" once said
  std::unordered_map<std::uint64_t, std::vector<CodeFrame>> frames;

  void open();
  std::vector<CodeFrame> frames_at(std::uint64_t pc);
};

namespace {

std::string warning_of(const Wanted& wanted, const Found& found) {
  if (found.module != nullptr || found.debug != nullptr) return "";
  const std::string path = base::shown(wanted.path, 1000);
  if (!found.other) {
    return fmt::format(
        "{}: not found, or no ELF file; its code is shown as addresses. Put it back, or give a folder that "
        "has it with --symbols DIR",
        path);
  }
  return fmt::format(
      "{}: not the file that was recorded (build id {} was, {} is there); its code is shown as addresses. "
      "Give a folder that has the recorded one with --symbols DIR, or record again",
      path, base::shown(wanted.build_id),
      found.other_build_id.empty() ? "a file without one" : found.other_build_id);
}

// A static variable of a function is "calls.3" in C, "_ZZ..." in C++.
bool is_of_function(std::string_view name) {
  return name.starts_with("_ZZ") || name.find('.') != std::string_view::npos;
}

}  // namespace

Symbolizer::Symbolizer(std::vector<std::string> folders) : folders_(std::move(folders)) {}
Symbolizer::~Symbolizer() = default;

Symbolizer::Module& Symbolizer::module_of(const Binary& binary) {
  auto& known = modules_[std::string(binary.path) + '\0' + std::string(binary.build_id)];
  if (known != nullptr) return *known;
  known = std::make_unique<Module>();
  const Wanted wanted{std::string(binary.path), std::string(binary.build_id), folders_};
  known->files = find_files(wanted);
  known->warning = warning_of(wanted, known->files);
  known->open();
  return *known;
}

void Symbolizer::Module::open() {
  bool whole = false;
  if (files.debug != nullptr) whole = files.debug->read_symbols(code, data);
  if (!whole && files.module != nullptr) files.module->read_symbols(code, data);
  code.sort();
  data.sort();
  const ObjectFile* with_lines = files.debug != nullptr ? files.debug.get() : files.module.get();
  if (with_lines != nullptr) debug = DebugInfo::of(with_lines->elf());
}

std::vector<CodeFrame> Symbolizer::Module::frames_at(std::uint64_t pc) {
  std::vector<CodeFrame> out;
  if (debug != nullptr) out = debug->frames(pc);
  // The linker knows functions without debug information, too.
  if (out.empty() || out.back().function.empty()) {
    const Symbol* symbol = code.find(pc);
    if (symbol == nullptr) return out;
    if (out.empty()) out.emplace_back();
    out.back().function = demangled(symbol->name);
  }
  return out;
}

bool Symbolizer::is_time_up() {
  if (spent_ < kMostTime) return false;
  if (!said_late_) {
    warnings_.push_back(
        "the debug information takes more than 60 s to read; what is not looked up yet is shown as "
        "addresses");
  }
  said_late_ = true;
  return true;
}

const std::vector<CodeFrame>& Symbolizer::frames(const Binary& binary, std::uint64_t pc) {
  Module& module = module_of(binary);
  if (!module.warning.empty()) {
    warnings_.push_back(std::move(module.warning));
    module.warning.clear();
  }
  const auto [at, is_new] = module.frames.try_emplace(pc);
  if (!is_new || is_time_up()) return at->second;
  const auto start = std::chrono::steady_clock::now();
  at->second = module.frames_at(pc);
  spent_ += std::chrono::steady_clock::now() - start;
  return at->second;
}

std::optional<Variable> Symbolizer::variable(const Binary& binary, std::uint64_t address) {
  Module& module = module_of(binary);
  const Symbol* symbol = module.data.find(address);
  if (symbol == nullptr) return {};
  Variable out{.name = demangled(symbol->name), .offset = address - symbol->begin, .file = {}};
  const bool local = is_of_function(symbol->name);
  if (module.debug != nullptr) {
    const auto declaration = module.debug->variable(
        symbol->begin, local ? DebugInfo::Where::anywhere : DebugInfo::Where::outside_functions);
    if (declaration) {
      out.file = declaration->file;
      out.line = declaration->line;
      if (out.name == symbol->name && !declaration->name.empty()) out.name = declaration->name;
    }
  }
  return out;
}

}  // namespace deadheat::symbol
