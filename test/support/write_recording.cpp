// A .dht as a recorder writes it, from lines on standard input; for tests of what is made of code addresses.
//
//   module PATH BUILD_ID BIAS          "-": no build id. Numbers are decimal, or hexadecimal with 0x
//   region FIRST_VARIABLE ADDRESS CELLS
//   site MODULE ADDRESS                numbered from 1, as modules and stacks are
//   stack CALLER SITE
//   event THREAD KIND OBJECT SITE STACK OFFSET BYTES
#include <cstdio>
#include <iostream>
#include <sstream>

#include "deadheat/trace.h"

namespace {

using namespace deadheat;

// Stops the program: a test that is wrong is not to go on.
[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "write-recording: %s\n", what.c_str());
  std::exit(3);
}

class Line {
 public:
  explicit Line(const std::string& text) : text_(text), words_(text) {}
  std::string word() {
    std::string out;
    if (!(words_ >> out)) die("a word is missing: " + text_);
    return out;
  }
  std::uint64_t number() {
    const std::string text = word();
    std::size_t used = 0;
    const std::uint64_t out = std::stoull(text, &used, 0);
    if (used != text.size()) die("not a number: " + text_);
    return out;
  }
  std::uint32_t id() { return static_cast<std::uint32_t>(number()); }

 private:
  std::string text_;
  std::istringstream words_;
};

EventKind kind_of(const std::string& name) {
  for (std::size_t i = 0; i < kEventKinds; ++i) {
    if (name_of(static_cast<EventKind>(i)) == name) return static_cast<EventKind>(i);
  }
  die("no such event: " + name);
}

void take(Line line, TraceWriter& writer) {
  Names& names = writer.names();
  const std::string what = line.word();
  if (what == "module") {
    const std::string path = line.word(), build_id = line.word();
    names.add_module(path, build_id == "-" ? "" : build_id, line.number());
  } else if (what == "region") {
    const VarId first{line.id()};
    const std::uint64_t address = line.number();
    names.add_region({first, address, line.id()});
  } else if (what == "site") {
    const std::uint32_t module = line.id();
    names.add_site({.module = module, .address = line.number()});
  } else if (what == "stack") {
    const StackId caller{line.id()};
    names.add_stack({caller, SiteId{line.id()}});
  } else if (what == "event") {
    Event event;
    event.thread = ThreadId{line.id()};
    event.op.kind = kind_of(line.word());
    event.object = line.id();
    event.op.site = SiteId{line.id()};
    event.op.stack = StackId{line.id()};
    event.op.offset = static_cast<std::uint8_t>(line.id());
    event.op.value = line.number();
    if (!writer.append(event)) die("cannot write");
  } else {
    die("no such line: " + what);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) die("usage: write-recording FILE.dht < LINES");
  auto writer = TraceWriter::create(argv[1]);
  if (!writer) die(writer.error().message);
  for (std::string text; std::getline(std::cin, text);) {
    if (!text.empty()) take(Line(text), **writer);
  }
  if (auto ok = (*writer)->finish(); !ok) die(ok.error().message);
  return 0;
}
