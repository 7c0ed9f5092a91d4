// How the library says that something could not be done: a value or an Error, never an exception.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace deadheat {

struct Error {
  enum class Kind {
    usage,        // the caller asked for something that makes no sense
    input,        // a file or stream is not what it should be
    io,           // the operating system refused
    closed_pipe,  // nobody reads what is written any more
  };
  Kind kind = Kind::input;
  std::string message;  // for a person: "file: place: what is wrong; what to try"

  // Puts where it happened in front: error.in("block 17") gives "block 17: checksum differs".
  Error in(const std::string& place) && { return {kind, place + ": " + message}; }
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> input_error(std::string message) {
  return fail({Error::Kind::input, std::move(message)});
}
inline tl::unexpected<Error> io_error(std::string message) {
  return fail({Error::Kind::io, std::move(message)});
}

}  // namespace deadheat
