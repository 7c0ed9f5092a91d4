#include "symbol/demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace deadheat::symbol {

std::string demangled(const char* name) {
  std::string bare(name, std::strcspn(name, "@"));
  // Without the prefix the demangler takes names of C for types: "i" would become "int".
  if (name[0] != '_' || name[1] != 'Z') return bare;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(bare.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr) return bare;
  // A copy that the compiler made for some callers is the same function to a person.
  std::string out = text.get();
  out.erase(std::min(out.size(), out.find(" [clone ")));
  // What everybody writes as std::string.
  constexpr std::string_view kString =
      "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
  for (std::size_t at = out.find(kString); at != std::string::npos; at = out.find(kString, at)) {
    out.replace(at, kString.size(), "std::string");
  }
  return out;
}

}  // namespace deadheat::symbol
