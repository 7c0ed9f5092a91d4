#include "symbol/demangle.h"

#include <gtest/gtest.h>

namespace deadheat::symbol {
namespace {

TEST(Demangled, IsWhatAPersonWrote) {
  EXPECT_EQ(demangled("_ZN4bank7depositEi"), "bank::deposit(int)");
  EXPECT_EQ(demangled("_ZN4bank7depositEi.isra.0"), "bank::deposit(int)");
  EXPECT_EQ(demangled("_ZSt4cout@GLIBCXX_3.4"), "std::cout");
  EXPECT_EQ(demangled("_Z4notePKcRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"),
            "note(char const*, std::string const&)");
  EXPECT_EQ(demangled("stdout@@GLIBC_2.2.5"), "stdout");
  EXPECT_EQ(demangled("i"), "i") << "a function of C, not the type int";
  EXPECT_EQ(demangled("_Znonsense"), "_Znonsense");
  EXPECT_EQ(demangled(""), "");
}

}  // namespace
}  // namespace deadheat::symbol
