// Names as a linker has them, to names as a person wrote them.
#pragma once

#include <string>

namespace deadheat::symbol {

// "_ZN4bank7depositEi" gives "bank::deposit(int)"; what is not mangled stays as it is, but for the version
// that a linker puts behind it ("stdout@GLIBC_2.2.5").
std::string demangled(const char* name);

}  // namespace deadheat::symbol
