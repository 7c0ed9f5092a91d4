// Which object is loaded where: read by the recorder to make sense of code addresses.
#include <elf.h>
#include <link.h>

#include "runtime/emit.h"
#include "runtime/system_call.h"

namespace deadheat::runtime {

namespace {

bool same_text(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b) {
    if (*a == 0) return true;
  }
  return false;
}

void read_build_id(const char* note, std::size_t bytes, Module& module) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    const auto* const head = reinterpret_cast<const ElfW(Nhdr)*>(note);
    const std::size_t name = (head->n_namesz + 3u) & ~3u, text = (head->n_descsz + 3u) & ~3u;
    if (sizeof *head + name + text > bytes) return;
    const char* const owner = note + sizeof *head;
    if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 && same_text(owner, "GNU") &&
        head->n_descsz <= sizeof module.build_id) {
      for (unsigned i = 0; i < head->n_descsz; ++i) {
        module.build_id[i] = static_cast<std::uint8_t>(owner[name + i]);
      }
      module.build_id_bytes = static_cast<std::uint8_t>(head->n_descsz);
      return;
    }
    note += sizeof *head + name + text;
    bytes -= sizeof *head + name + text;
  }
}

void read_segments(const dl_phdr_info& info, Module& module) {
  module.bias = info.dlpi_addr;
  module.begin = ~std::uint64_t{0};
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const std::uint64_t begin = info.dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (segment.p_type == PT_LOAD) {
      if (begin < module.begin) module.begin = begin;
      if (end > module.end) module.end = end;
    } else if (segment.p_type == PT_NOTE) {
      read_build_id(reinterpret_cast<const char*>(begin), segment.p_memsz, module);
    }
  }
}

void read_path(const char* name, Module& module) {
  if (name[0] == 0) {
    // The program itself.
    const long length = system_call(SYS_readlink, as_word("/proc/self/exe"), as_word(module.path),
                                    static_cast<long>(sizeof module.path - 1));
    module.path[length > 0 ? length : 0] = 0;
    return;
  }
  std::size_t i = 0;
  for (; name[i] != 0 && i + 1 < sizeof module.path; ++i) module.path[i] = name[i];
  module.path[i] = 0;
}

// The file may be another one by now.
bool same_build_id(const Module& a, const Module& b) {
  if (a.build_id_bytes != b.build_id_bytes) return false;
  for (unsigned i = 0; i < a.build_id_bytes; ++i) {
    if (a.build_id[i] != b.build_id[i]) return false;
  }
  return true;
}

std::uint32_t modules_known() {
  return g_session->modules_used < kModules ? g_session->modules_used : kModules;
}

bool is_known(const Module& module) {
  for (std::uint32_t i = modules_known(); i-- > 0;) {
    const Module& other = g_session->modules[i];
    if (other.begin < module.end && module.begin < other.end) {
      return other.begin == module.begin && other.end == module.end && same_text(other.path, module.path) &&
             same_build_id(other, module);
    }
  }
  return false;
}

// Objects with instrumented code.
struct Range {
  Address begin, end;
};
Range g_instrumented[kModules];
std::uint32_t g_instrumented_used;

// What the object needs from others stands before what it gives in its table of symbols, and how many those
// are is said by the table of hashes.
struct Symbols {
  const ElfW(Sym) * table;
  const char* names;
  std::uint32_t needed;
};

Symbols symbols_of(const dl_phdr_info& info) {
  Symbols symbols{nullptr, nullptr, 0};
  const ElfW(Dyn)* entry = nullptr;
  for (unsigned i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type == PT_DYNAMIC) {
      entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + segment.p_vaddr);
    }
  }
  // The loader has made addresses of most, but not where the section cannot be written.
  const auto at = [&](const ElfW(Dyn) & e) {
    return e.d_un.d_ptr < info.dlpi_addr ? info.dlpi_addr + e.d_un.d_ptr : e.d_un.d_ptr;
  };
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB) symbols.table = reinterpret_cast<const ElfW(Sym)*>(at(*entry));
    if (entry->d_tag == DT_STRTAB) symbols.names = reinterpret_cast<const char*>(at(*entry));
    if (entry->d_tag == DT_GNU_HASH) symbols.needed = reinterpret_cast<const std::uint32_t*>(at(*entry))[1];
    if (entry->d_tag == DT_HASH && symbols.needed == 0) {
      symbols.needed = reinterpret_cast<const std::uint32_t*>(at(*entry))[1];
    }
  }
  return symbols;
}

// All instrumented code calls one of two functions when it is loaded; a program that has the runtime in it is
// instrumented.
bool has_instrumented_code(const dl_phdr_info& info, const Module& module) {
  const auto here = reinterpret_cast<Address>(&g_instrumented);
  if (here >= module.begin && here < module.end) return true;
  const Symbols symbols = symbols_of(info);
  if (symbols.table == nullptr || symbols.names == nullptr) return false;
  for (std::uint32_t i = 1; i < symbols.needed; ++i) {
    const char* const name = symbols.names + symbols.table[i].st_name;
    if (same_text(name, "__tsan_init") || same_text(name, "__deadheat_module")) return true;
  }
  return false;
}

// Once for each object: the recorder may know those of the process's last program, but nothing here is left
// of it.
bool g_published;

void note_instrumented(const dl_phdr_info& info, const Module& module) {
  for (std::uint32_t i = 0; i < g_instrumented_used; ++i) {
    Range& old = g_instrumented[i];
    if (old.begin < module.end && module.begin < old.end) old.end = old.begin;  // unloaded
  }
  if (g_instrumented_used == kModules || !has_instrumented_code(info, module)) return;
  g_instrumented[g_instrumented_used] = {module.begin, module.end};
  __atomic_store_n(&g_instrumented_used, g_instrumented_used + 1, __ATOMIC_RELEASE);
}

// See is_outside(). Few, and they stay.
constexpr std::uint32_t kOutside = 16;
Range g_outside[kOutside];
std::uint32_t g_outside_used;
Range g_archer;

bool begins_with(const char* text, const char* prefix) {
  while (*prefix != 0 && *text == *prefix) ++text, ++prefix;
  return *prefix == 0;
}

void note_outside(const Module& module) {
  const char* name = module.path;
  for (const char* c = module.path; *c != 0; ++c) {
    if (*c == '/') name = c + 1;
  }
  constexpr const char* kNames[] = {"ld-linux", "ld-2.", "libgomp", "libomp", "libiomp", "libarcher"};
  bool is_one = false;
  for (const char* prefix : kNames) is_one = is_one || begins_with(name, prefix);
  if (!is_one || g_outside_used == kOutside) return;
  if (begins_with(name, "libarcher")) g_archer = {module.begin, module.end};
  g_outside[g_outside_used] = {module.begin, module.end};
  __atomic_store_n(&g_outside_used, g_outside_used + 1, __ATOMIC_RELEASE);
}

int publish(dl_phdr_info* info, std::size_t, void*) {
  const std::uint32_t used = g_session->modules_used;
  if (used >= kModules) {
    ++g_session->lost.modules;
    return 0;
  }
  Module& module = g_session->modules[used];
  module.end = 0;
  module.build_id_bytes = 0;
  read_segments(*info, module);
  read_path(info->dlpi_name, module);
  if (module.end == 0) return 0;
  const bool is_new = !is_known(module);
  if (is_new || !g_published) {
    note_instrumented(*info, module);
    note_outside(module);
  }
  if (is_new) {
    __atomic_store_n(&g_session->modules_used, used + 1, __ATOMIC_RELEASE);
  }
  return 0;
}

std::uint32_t g_publishing;
unsigned long long g_loaded;  // objects, ever, when they were last looked at

int count_loaded(dl_phdr_info* info, std::size_t, void* count) {
  *static_cast<unsigned long long*>(count) = info->dlpi_adds;
  return 1;
}

}  // namespace

bool is_instrumented(Address pc) {
  const std::uint32_t used = __atomic_load_n(&g_instrumented_used, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < used; ++i) {
    if (pc >= g_instrumented[i].begin && pc < g_instrumented[i].end) return true;
  }
  return false;
}

bool is_outside(Address pc) {
  const std::uint32_t used = __atomic_load_n(&g_outside_used, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < used; ++i) {
    if (pc >= g_outside[i].begin && pc < g_outside[i].end) return true;
  }
  return false;
}

bool is_archer(Address pc) { return pc >= g_archer.begin && pc < g_archer.end; }

bool is_in_library(Address pc, const char* name) {
  const std::uint32_t used = __atomic_load_n(&g_session->modules_used, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = used; i-- > 0;) {
    const Module& module = g_session->modules[i];
    if (pc < module.begin || pc >= module.end) continue;
    const char* base = module.path;
    for (const char* c = module.path; *c != 0; ++c) {
      if (*c == '/') base = c + 1;
    }
    while (*name != 0 && *base == *name) ++base, ++name;
    return *name == 0;
  }
  return false;
}

void publish_modules() {
  if (g_session == nullptr) return;
  unsigned long long loaded = 0;
  dl_iterate_phdr(count_loaded, &loaded);
  if (loaded == __atomic_load_n(&g_loaded, __ATOMIC_ACQUIRE)) return;
  while (__atomic_exchange_n(&g_publishing, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
  const std::uint32_t before = modules_known();
  dl_iterate_phdr(publish, nullptr);
  const std::uint32_t now = modules_known();
  g_published = true;
  __atomic_store_n(&g_loaded, loaded, __ATOMIC_RELEASE);
  __atomic_store_n(&g_publishing, 0, __ATOMIC_RELEASE);
  if (!g_recording || now == before) return;
  // Another object may have been there, whose code and variables these are not.
  for (std::uint32_t i = before; i < now; ++i) {
    const Module& module = g_session->modules[i];
    emit_with(Kind::fresh, module.begin, 0, module.end - module.begin);
  }
  emit(Kind::modules, now, 0);
}

}  // namespace deadheat::runtime
