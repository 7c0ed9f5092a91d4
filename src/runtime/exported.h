// Functions that programs call by name.
#pragma once

#define DEADHEAT_ENTRY extern "C" __attribute__((visibility("default")))
// A program may bring its own, and be linked with ours all the same.
#define DEADHEAT_WEAK_ENTRY extern "C" __attribute__((visibility("default"), weak))
