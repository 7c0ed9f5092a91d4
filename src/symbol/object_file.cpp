#include "symbol/object_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <tuple>

namespace deadheat::symbol {

namespace {

// Symbols may lie inside each other; more than a few of them do not.
constexpr int kNested = 8;

Elf_Scn* find_section(Elf* elf, std::string_view wanted) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return nullptr;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name != nullptr && wanted == name) return section;
  }
  return nullptr;
}

// What its compressed sections say that they are when they are unpacked, which libdw does all at once.
std::uint64_t unpacked_bytes(Elf* elf) {
  std::uint64_t sum = 0;
  const auto add = [&](std::uint64_t bytes) { sum = bytes > UINT64_MAX - sum ? UINT64_MAX : sum + bytes; };
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    GElf_Chdr packed;
    if ((header.sh_flags & SHF_COMPRESSED) != 0) {
      if (gelf_getchdr(section, &packed) != nullptr) add(packed.ch_size);
      continue;
    }
    // The older form, .zdebug_*: "ZLIB" and the size, the highest byte first.
    constexpr std::string_view kOlder = "ZLIB";
    const Elf_Data* const content = header.sh_size >= 12 ? elf_rawdata(section, nullptr) : nullptr;
    if (content == nullptr || content->d_buf == nullptr || content->d_size < 12) continue;
    const auto* const start = static_cast<const unsigned char*>(content->d_buf);
    if (std::memcmp(start, kOlder.data(), kOlder.size()) != 0) continue;
    std::uint64_t size = 0;
    for (std::size_t i = 4; i < 12; ++i) size = size << 8 | start[i];
    add(size);
  }
  return sum;
}

// Debug information shrinks to a quarter, not to a thousandth.
std::uint64_t most_unpacked(std::uint64_t file_bytes) {
  constexpr std::uint64_t kAlways = std::uint64_t{64} << 20, kTimes = 32, kMost = std::uint64_t{8} << 30;
  return std::min(std::max(kAlways, file_bytes > kMost ? kMost : file_bytes * kTimes), kMost);
}

std::optional<std::string> build_id_in(Elf_Data* notes) {
  if (notes == nullptr) return {};
  std::size_t name = 0, content = 0;
  GElf_Nhdr header;
  for (std::size_t at = 0; (at = gelf_getnote(notes, at, &header, &name, &content)) > 0;) {
    const char* bytes = static_cast<const char*>(notes->d_buf);
    if (header.n_type != NT_GNU_BUILD_ID || header.n_namesz != sizeof "GNU" ||
        std::memcmp(bytes + name, "GNU", sizeof "GNU") != 0) {
      continue;
    }
    std::string out;
    for (std::size_t i = 0; i < header.n_descsz; ++i) {
      out += fmt::format("{:02x}", static_cast<unsigned char>(bytes[content + i]));
    }
    return out;
  }
  return {};
}

}  // namespace

void SymbolTable::sort() {
  // Of several at one address: the longest first, so that the innermost is found first; of names for the
  // same, the first in the alphabet.
  std::ranges::sort(symbols_, [](const Symbol& a, const Symbol& b) {
    return std::tuple(a.begin, b.end, std::string_view(b.name)) <
           std::tuple(b.begin, a.end, std::string_view(a.name));
  });
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    Symbol& symbol = symbols_[i];
    if (symbol.end != symbol.begin) continue;
    std::size_t next = i + 1;
    while (next < symbols_.size() && symbols_[next].begin == symbol.begin) ++next;
    symbol.end = next < symbols_.size() ? symbols_[next].begin : symbol.begin + 1;
    i = next - 1;
  }
}

const Symbol* SymbolTable::find(std::uint64_t address) const {
  auto behind = std::ranges::upper_bound(symbols_, address, {}, &Symbol::begin);
  for (int i = 0; i < kNested && behind != symbols_.begin(); ++i) {
    --behind;
    if (address < behind->end) return &*behind;
  }
  return nullptr;
}

std::unique_ptr<ObjectFile> ObjectFile::open(const std::string& path) {
  if (elf_version(EV_CURRENT) == EV_NONE) return nullptr;
  // Not to hang at a pipe of that name.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return nullptr;
  struct stat about{};
  Elf* elf = nullptr;
  if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr);
  const auto bytes = static_cast<std::uint64_t>(about.st_size);
  if (elf == nullptr || elf_kind(elf) != ELF_K_ELF || unpacked_bytes(elf) > most_unpacked(bytes)) {
    if (elf != nullptr) elf_end(elf);
    close(fd);
    return nullptr;
  }
  return std::unique_ptr<ObjectFile>(new ObjectFile(path, fd, elf));
}

ObjectFile::ObjectFile(std::string path, int fd, Elf* elf)
    : path_(std::move(path)), fd_(fd), elf_(elf), build_id_(read_build_id()) {}

ObjectFile::~ObjectFile() {
  elf_end(elf_);
  close(fd_);
}

// By sections, which files of debug information have too; else by segments.
std::string ObjectFile::read_build_id() const {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_NOTE) continue;
    if (auto id = build_id_in(elf_getdata(section, nullptr))) return *id;
  }
  std::size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0) return "";
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf_, static_cast<int>(i), &header) == nullptr || header.p_type != PT_NOTE) continue;
    Elf_Data* notes = elf_getdata_rawchunk(elf_, static_cast<std::int64_t>(header.p_offset), header.p_filesz,
                                           header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    if (auto id = build_id_in(notes)) return *id;
  }
  return "";
}

bool ObjectFile::has_section(const char* name) const {
  Elf_Scn* section = find_section(elf_, name);
  GElf_Shdr header;
  return section != nullptr && gelf_getshdr(section, &header) != nullptr && header.sh_type != SHT_NOBITS;
}

bool ObjectFile::read_symbols(SymbolTable& code, SymbolTable& data) const {
  Elf_Scn* table = nullptr;
  bool whole = false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type != SHT_SYMTAB && (whole || header.sh_type != SHT_DYNSYM)) continue;
    table = section;
    whole = header.sh_type == SHT_SYMTAB;
  }
  GElf_Shdr header;
  if (table == nullptr || gelf_getshdr(table, &header) == nullptr) return false;
  Elf_Data* content = elf_getdata(table, nullptr);
  if (content == nullptr || header.sh_entsize == 0) return false;
  const std::size_t count = content->d_size / header.sh_entsize;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(content, static_cast<int>(i), &symbol) == nullptr) break;
    const int type = GELF_ST_TYPE(symbol.st_info);
    const bool is_code = type == STT_FUNC || type == STT_GNU_IFUNC;
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 || (!is_code && type != STT_OBJECT)) continue;
    if (symbol.st_size > UINT64_MAX - symbol.st_value) continue;
    const char* name = elf_strptr(elf_, header.sh_link, symbol.st_name);
    if (name == nullptr || *name == '\0') continue;
    (is_code ? code : data).add({symbol.st_value, symbol.st_value + symbol.st_size, name});
  }
  return whole;
}

std::optional<ObjectFile::Link> ObjectFile::debug_link() const {
  Elf_Scn* section = find_section(elf_, ".gnu_debuglink");
  Elf_Data* content = section == nullptr ? nullptr : elf_rawdata(section, nullptr);
  if (content == nullptr || content->d_buf == nullptr) return {};
  const std::string_view bytes(static_cast<const char*>(content->d_buf), content->d_size);
  const std::size_t end = bytes.find('\0');
  if (end == std::string_view::npos) return {};
  const std::size_t crc_at = (end + 4) & ~std::size_t{3};
  Link link{.name = std::string(bytes.substr(0, end))};
  // A name, not a way out of the folders that are searched.
  if (link.name.empty() || link.name.find('/') != std::string::npos || bytes.size() < crc_at + 4) return {};
  std::memcpy(&link.crc, bytes.data() + crc_at, sizeof link.crc);
  return link;
}

// CRC-32 as in zlib, which belongs to another folder.
std::uint32_t ObjectFile::crc() const {
  static const auto table = [] {
    std::array<std::uint32_t, 256> out{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320u ^ c >> 1 : c >> 1;
      out[i] = c;
    }
    return out;
  }();
  std::size_t size = 0;
  const char* bytes = elf_rawfile(elf_, &size);
  std::uint32_t crc = ~std::uint32_t{0};
  for (std::size_t i = 0; bytes != nullptr && i < size; ++i) {
    crc = table[(crc ^ static_cast<unsigned char>(bytes[i])) & 255] ^ crc >> 8;
  }
  return ~crc;
}

}  // namespace deadheat::symbol
