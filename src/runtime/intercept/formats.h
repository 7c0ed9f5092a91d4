// What printf and scanf do to memory, as their format says.
#pragma once

#include <cstdarg>

#include "runtime/emit.h"

namespace deadheat::runtime {

// The format and the texts that it names are read, what %n names is written. Before the call; while
// recording.
void emit_printed(const char* format, std::va_list arguments, Address pc);
// The format is read.
void emit_format(const char* format, Address pc);
// What the first `assigned` conversions name is written. Behind the call; while recording.
void emit_scanned(const char* format, int assigned, std::va_list arguments, Address pc);

}  // namespace deadheat::runtime
