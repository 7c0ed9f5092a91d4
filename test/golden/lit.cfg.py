# Golden tests: the commands are the RUN lines of each file, what they must print is in its CHECK lines.
# ctest runs them as `golden`; by hand:  scripts/golden [PRESET] [lit's arguments, files]
#
#   %deadheat      the program under test
#   %exits CODE    runs the command after it, and fails unless it ends with this code
#   %refuses CODE PATTERN   the same, and it says so in one line on standard error that matches the pattern
#   %write_recording FILE   makes a .dht as a recorder does (test/support/write_recording.cpp)
#   %S %s %t       folder of the test, the test, a name of its own for its files
#   FileCheck      LLVM's, ignoring nothing but differences in blanks
import os

import lit.formats

config.name = "golden"
config.test_format = lit.formats.ShTest(execute_external=True)  # bash: pipes, redirections, pipefail
config.suffixes = [".test", ".std", ".sh"]
config.excludes = ["tools", "inputs"]
config.test_source_root = os.path.dirname(__file__)

deadheat = lit_config.params.get("deadheat")
scratch = lit_config.params.get("scratch")
if not deadheat or not scratch:
    lit_config.fatal("run the golden tests by ctest or by scripts/golden")
config.test_exec_root = scratch

tools = os.path.join(config.test_source_root, "tools")
config.substitutions.append(("%deadheat", deadheat))
config.substitutions.append(("%exits", os.path.join(tools, "exits")))
config.substitutions.append(("%refuses", os.path.join(tools, "refuses")))
config.substitutions.append(("%tools", tools))
config.substitutions.append(("%write_recording", os.path.join(os.path.dirname(deadheat), "test", "write-recording")))
config.substitutions.append(("%root", os.path.dirname(os.path.dirname(config.test_source_root))))

# REQUIRES: limits   of memory, which sanitizers exceed
# REQUIRES: pass     the pass plugin for clang
runtime = os.path.join(os.path.dirname(deadheat), "runtime")
if not lit_config.params.get("sanitized"):
    config.available_features.add("limits")
if os.path.exists(os.path.join(runtime, "deadheat_pass-19.so")) and os.path.exists(os.path.join(runtime, "deadheat_pass-14.so")):
    config.available_features.add("pass")

# The same on every machine: no colours, no translated messages of the system.
config.environment["PATH"] = os.pathsep.join(["/usr/lib/llvm-19/bin", os.environ.get("PATH", "")])
config.environment["LC_ALL"] = "C"
config.environment["DEADHEAT"] = deadheat
for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]
