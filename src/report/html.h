// What pages of ours have in common.
#pragma once

#include <string>
#include <string_view>

namespace deadheat::report {

// Foreign text, fit to be shown, in HTML.
std::string escaped(std::string_view text);

}  // namespace deadheat::report
