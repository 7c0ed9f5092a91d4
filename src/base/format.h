// Numbers for people to read.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace deadheat::base {

std::string grouped(std::uint64_t count);            // 1234567 is "1,234,567"
std::string short_count(double count);               // "950", "12.3 k", "12.3 M"; three digits
std::string byte_count(std::uint64_t bytes);         // "950 bytes", "12.3 KiB", "12.3 MiB"
std::string minutes(std::chrono::nanoseconds time);  // "0:07", "1:02:03"; rounded to seconds

// "1 event", "2,000 events": the noun with an s where there is not exactly one.
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace deadheat::base
