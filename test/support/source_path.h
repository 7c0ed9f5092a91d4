// Where a file of the source tree is. The path is compiled into one small library, not into every test, so
// that two checkouts compile tests to the same objects and a cache of objects serves both.
#pragma once

#include <string>
#include <string_view>

namespace deadheat::test {

std::string source_path(std::string_view relative);

}  // namespace deadheat::test
