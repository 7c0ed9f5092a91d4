// What may have been meant by a word that is not known.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace deadheat::cli {

// Letters to insert, delete, replace or swap with their neighbour to get from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// "did you mean 'convert'? " for the nearest known word, or nothing if none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace deadheat::cli
