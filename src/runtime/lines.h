// What the runtime says to people: lines to standard error, made without allocation.
#pragma once

namespace deadheat::runtime {

// "deadheat: " and the parts up to a null, as one line.
void say(const char* first, const char* second = nullptr, const char* third = nullptr);
[[noreturn]] void die(const char* first, const char* second = nullptr, const char* third = nullptr);

}  // namespace deadheat::runtime
