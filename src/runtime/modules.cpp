// Which object is loaded where: read by the recorder to make sense of code addresses.
#include <elf.h>
#include <link.h>
#include <unistd.h>

#include "runtime/emit.h"

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
    const long length = readlink("/proc/self/exe", module.path, sizeof module.path - 1);
    module.path[length > 0 ? length : 0] = 0;
    return;
  }
  std::size_t i = 0;
  for (; name[i] != 0 && i + 1 < sizeof module.path; ++i) module.path[i] = name[i];
  module.path[i] = 0;
}

bool is_known(const Module& module) {
  for (std::uint32_t i = g_session->modules_used; i-- > 0;) {
    const Module& other = g_session->modules[i];
    if (other.begin < module.end && module.begin < other.end) {
      return other.begin == module.begin && other.end == module.end && same_text(other.path, module.path);
    }
  }
  return false;
}

int publish(dl_phdr_info* info, std::size_t, void*) {
  const std::uint32_t used = g_session->modules_used;
  if (used == kModules) {
    ++g_session->lost.modules;
    return 0;
  }
  Module& module = g_session->modules[used];
  module.end = 0;
  module.build_id_bytes = 0;
  read_segments(*info, module);
  read_path(info->dlpi_name, module);
  if (module.end != 0 && !is_known(module)) {
    __atomic_store_n(&g_session->modules_used, used + 1, __ATOMIC_RELEASE);
  }
  return 0;
}

std::uint32_t g_publishing;

// Objects with instrumented code.
struct Range {
  Address begin, end;
};
constexpr std::uint32_t kInstrumented = 1024;
Range g_instrumented[kInstrumented];
std::uint32_t g_instrumented_used;

struct Wanted {
  Address pc;
  Range found;
};

int find_range(dl_phdr_info* info, std::size_t, void* wanted) {
  auto* const w = static_cast<Wanted*>(wanted);
  Range range{~Address{0}, 0};
  for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const Address begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (begin < range.begin) range.begin = begin;
    if (end > range.end) range.end = end;
  }
  if (w->pc < range.begin || w->pc >= range.end) return 0;
  w->found = range;
  return 1;
}

}  // namespace

void mark_instrumented(Address pc) {
  if (g_session == nullptr || is_instrumented(pc)) return;
  Wanted wanted{pc, {0, 0}};
  dl_iterate_phdr(find_range, &wanted);
  while (__atomic_exchange_n(&g_publishing, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
  const std::uint32_t used = g_instrumented_used;
  if (used < kInstrumented) {
    g_instrumented[used] = wanted.found;
    __atomic_store_n(&g_instrumented_used, used + 1, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&g_publishing, 0, __ATOMIC_RELEASE);
}

bool is_instrumented(Address pc) {
  const std::uint32_t used = __atomic_load_n(&g_instrumented_used, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < used; ++i) {
    if (pc >= g_instrumented[i].begin && pc < g_instrumented[i].end) return true;
  }
  return false;
}

void publish_modules() {
  if (g_session == nullptr) return;
  while (__atomic_exchange_n(&g_publishing, 1, __ATOMIC_ACQUIRE) != 0) __builtin_ia32_pause();
  dl_iterate_phdr(publish, nullptr);
  __atomic_store_n(&g_publishing, 0, __ATOMIC_RELEASE);
}

}  // namespace deadheat::runtime
