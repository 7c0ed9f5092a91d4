// The trace that a verb writes: in the format that its name or --to says, under its name only when it is
// whole.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/partial_file.h"
#include "cli/verb.h"
#include "deadheat/trace.h"
#include "trace/text_writer.h"

namespace deadheat::cli {

// The flags of a verb that writes a trace; TraceOutput reads them.
inline constexpr Flag kOutputFlag = {
    .name = "output", .letter = 'o', .value = "FILE", .help = "where to write; '-' is standard output"};
inline constexpr Flag kToFlag = {.name = "to",
                                 .value = "FORMAT",
                                 .help = "what to write, if the name of FILE does not say it",
                                 .choices = "dht|std|text"};
inline constexpr Flag kCompressFlag = {.name = "compress",
                                       .value = "LEVEL",
                                       .help = "compress the blocks of a .dht by zstd, level 1 to 19",
                                       .implied = "3"};

enum class TraceFormat : std::uint8_t { dht, std, text };

// What the name and the flags say, before anything is opened.
struct TracePlan {
  std::string target;
  TraceFormat format = TraceFormat::dht;
  int zstd_level = 0;
  bool lossy = false;
};

// A usage error names the verb: the name says nothing, or a flag means nothing for the format.
Result<TracePlan> plan_trace(std::string_view verb, const std::string& target, const Arguments& arguments,
                             bool lossy = false);

// A .dht is not compressed as a whole, so a name that says so would lie.
Status refuse_packed_name(std::string_view verb, std::string_view name);

// Lets a .dht in a regular file name all from the first block on as it does in the end. Text needs that: a
// name that changes later (fork(151), bound to T151 blocks after) cannot be changed in what was written.
Status name_ahead(Source& source);

class TraceOutput {
 public:
  static Result<TraceOutput> create(const TracePlan& plan);

  Sink& sink() { return *sink_; }
  // What the text could not express, so far.
  std::vector<Warning> losses() const;
  // After the sink was finished.
  Status commit() { return file_.commit(); }
  // An error of the sink, told with the name that the user knows.
  Error renamed(Error error) const { return file_.renamed(std::move(error)); }

 private:
  TraceOutput(base::PartialFile file, std::unique_ptr<Sink> sink, const trace::TextWriter* text)
      : file_(std::move(file)), sink_(std::move(sink)), text_(text) {}

  base::PartialFile file_;
  std::unique_ptr<Sink> sink_;
  const trace::TextWriter* text_;  // the sink, if it is one
};

}  // namespace deadheat::cli
