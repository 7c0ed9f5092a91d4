// Found before the C++ library's own header of this name, by what `deadheat c++` compiles: std::string, streams and
// the like are compiled into the program, and instrumented with it, instead of called in libstdc++.so.
#pragma once

#include_next <bits/c++config.h>

// The library sets it whatever -D says.
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
