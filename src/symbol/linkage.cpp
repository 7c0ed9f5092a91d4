#include "symbol/linkage.h"

#include <gelf.h>

#include <algorithm>
#include <string_view>

#include "symbol/find_files.h"
#include "symbol/object_file.h"

namespace deadheat::symbol {

namespace {

// Only the runtime asks for this variable, and strip leaves texts alone.
constexpr std::string_view kOurs = "DEADHEAT_SESSION";

void read_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Linkage& out) {
  Elf_Data* const content = elf_getdata(section, nullptr);
  if (content == nullptr || header.sh_entsize == 0) return;
  const std::size_t count = content->d_size / header.sh_entsize;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(content, static_cast<int>(i), &symbol) == nullptr) return;
    const char* const text = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (text == nullptr) continue;
    // A weak one is called only if it happens to be there: our own runtime asks for many in that way.
    if (header.sh_type == SHT_DYNSYM && symbol.st_shndx == SHN_UNDEF &&
        GELF_ST_TYPE(symbol.st_info) == STT_FUNC && GELF_ST_BIND(symbol.st_info) != STB_WEAK) {
      out.imports.emplace_back(text);
    }
    if (!std::string_view(text).starts_with("__tsan_")) continue;
    out.is_instrumented = true;
    if (symbol.st_shndx != SHN_UNDEF && std::string_view(text) == "__tsan_init")
      out.has_runtime_inside = true;
  }
}

void read_dynamic(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Linkage& out) {
  Elf_Data* const content = elf_getdata(section, nullptr);
  if (content == nullptr || header.sh_entsize == 0) return;
  out.is_dynamic = true;
  const std::size_t count = content->d_size / header.sh_entsize;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(content, static_cast<int>(i), &entry) == nullptr) return;
    if (entry.d_tag != DT_NEEDED) continue;
    const char* const name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    if (name != nullptr) out.needed.emplace_back(name);
  }
}

}  // namespace

std::optional<Linkage> linkage_of(const std::string& path) {
  const auto file = ObjectFile::open(path);
  if (file == nullptr) return {};
  Elf* const elf = file->elf();
  Linkage out;
  out.build_id = file->build_id();
  GElf_Ehdr about;
  out.is_x86_64 = gelf_getehdr(elf, &about) != nullptr && about.e_machine == EM_X86_64;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_SYMTAB) out.has_symbols = true;
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) read_symbols(elf, section, header, out);
    if (header.sh_type == SHT_DYNAMIC) read_dynamic(elf, section, header, out);
  }
  std::ranges::sort(out.imports);
  out.has_debug_info =
      file->has_section(".debug_info") || find_files({path, out.build_id, {}}).debug != nullptr;
  std::size_t size = 0;
  const char* const bytes = elf_rawfile(elf, &size);
  if (out.has_runtime_inside && bytes != nullptr) {
    out.has_our_runtime_inside = std::string_view(bytes, size).find(kOurs) != std::string_view::npos;
  }
  return out;
}

}  // namespace deadheat::symbol
