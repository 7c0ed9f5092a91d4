// Objects that are loaded while the program runs.
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/emit.h"
#include "runtime/intercept/records.h"
#include "runtime/real.h"

namespace deadheat::runtime {

DEADHEAT_REAL(void*, dlopen, (const char* file, int flags), nullptr)

namespace {

// Where the dynamic linker looks for what an object needs. In pages of its own, since this is no place to
// allocate in the program's name.
class Folders {
 public:
  explicit Folders(void* object) {
    const Quiet quiet;
    Dl_serinfo sizes;
    if (object == nullptr || dlinfo(object, RTLD_DI_SERINFOSIZE, &sizes) != 0) return;
    auto* const list = static_cast<Dl_serinfo*>(new_pages(sizes.dls_size));
    if (list == nullptr) return;
    bytes_ = sizes.dls_size;
    list_ = list;
    list->dls_size = sizes.dls_size;
    list->dls_cnt = sizes.dls_cnt;
    if (dlinfo(object, RTLD_DI_SERINFO, list) == 0) count_ = list->dls_cnt;
  }
  ~Folders() {
    if (list_ != nullptr) system_call(SYS_munmap, as_word(list_), static_cast<long>(bytes_));
  }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;

  unsigned count() const { return count_; }
  const char* operator[](unsigned i) const { return list_->dls_serpath[i].dls_name; }

 private:
  std::size_t bytes_ = 0;
  Dl_serinfo* list_ = nullptr;
  unsigned count_ = 0;
};

bool same(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b) {
    if (*a == 0) return true;
  }
  return false;
}

bool append(char* path, std::size_t& length, std::size_t room, const char* text) {
  for (; *text != 0; ++text) {
    if (length + 1 >= room) return false;
    path[length++] = *text;
  }
  path[length] = 0;
  return true;
}

bool has_folder(const char* file) {
  for (; *file != 0; ++file) {
    if (*file == '/') return true;
  }
  return false;
}

// The object whose code calls; null: it is the one that the runtime is in, for which the dynamic linker looks
// itself.
void* object_of_caller(Address pc) {
  const Quiet quiet;
  Dl_info info, ours;
  link_map* caller = nullptr;
  if (dladdr1(reinterpret_cast<void*>(pc), &info, reinterpret_cast<void**>(&caller), RTLD_DL_LINKMAP) == 0 ||
      dladdr(reinterpret_cast<void*>(&has_folder), &ours) == 0 || info.dli_fbase == ours.dli_fbase) {
    return nullptr;
  }
  const char* const name = caller->l_name[0] == 0 ? nullptr : caller->l_name;  // the program has none
  return REAL(dlopen)(name, RTLD_LAZY | RTLD_NOLOAD);
}

// The dynamic linker takes the runtime for the caller, so the folders that the real caller's object names
// (DT_RPATH or DT_RUNPATH, with LD_LIBRARY_PATH between the two) are looked through here. Those that are last
// for everybody, as they are for the C library, are left to it: it knows of a cache that comes before them.
void* open_from_folders(void* caller, const char* file, int flags) {
  const Folders folders(caller);
  void* const library = REAL(dlopen)("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  const Folders usual(library);
  if (library != nullptr) dlclose(library);
  unsigned end = folders.count();
  for (unsigned i = usual.count(); i > 0 && end > 0 && same(usual[i - 1], folders[end - 1]); --i) --end;
  for (unsigned i = 0; i < end; ++i) {
    char path[4096];
    std::size_t length = 0;
    if (!append(path, length, sizeof path, folders[i]) || !append(path, length, sizeof path, "/") ||
        !append(path, length, sizeof path, file) || system_call(SYS_access, as_word(path), R_OK) != 0) {
      continue;
    }
    if (void* const object = REAL(dlopen)(path, flags)) return object;
  }
  return nullptr;
}

// clang's OpenMP runtime asks for Archer, which tells what it orders, by its bare name. It is beside the
// runtime itself, but not always in a folder where the dynamic linker looks.
void* open_archer(Address pc, const char* file, int flags) {
  Dl_info info;
  if (!same(file, "libarcher.so") || dladdr(reinterpret_cast<void*>(pc), &info) == 0) return nullptr;
  char path[4096];
  {
    const Quiet quiet;
    if (realpath(info.dli_fname, path) == nullptr) return nullptr;
  }
  std::size_t length = 0;
  for (std::size_t i = 0; path[i] != 0; ++i) {
    if (path[i] == '/') length = i + 1;
  }
  if (!append(path, length, sizeof path, file)) return nullptr;
  return REAL(dlopen)(path, flags);
}

void* open_for(Address pc, const char* file, int flags) {
  if (file == nullptr || has_folder(file)) return nullptr;
  void* const caller = object_of_caller(pc);
  if (caller == nullptr) return nullptr;
  // What is loaded already is found by its name.
  void* object = REAL(dlopen)(file, flags | RTLD_NOLOAD);
  if (object == nullptr) object = open_from_folders(caller, file, flags);
  dlclose(caller);
  return object;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void* dlopen(const char* file, int flags) {
  void* object = open_for(DEADHEAT_CALLER, file, flags);
  if (object == nullptr) object = REAL(dlopen)(file, flags);
  if (object == nullptr && file != nullptr && g_recording) object = open_archer(DEADHEAT_CALLER, file, flags);
  if (object != nullptr && g_recording) publish_modules();
  return object;
}

DEADHEAT_INTERCEPT(void*, dlmopen, (Lmid_t space, const char* file, int flags)) {
  void* const object = REAL(dlmopen)(space, file, flags);
  if (object != nullptr && g_recording) publish_modules();
  return object;
}

}  // namespace deadheat::runtime
