#include "inject/attempts.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/partial_file.h"

namespace deadheat::inject {

namespace {

constexpr std::string_view kColumns = "attempt\tpoint\toutcome\ttwin\tdistance\tdigest";

std::string outcome(const Attempt& a) {
  return a.failure != Failure::none ? std::string(name_of(a.failure)) : a.again ? "made before" : "made";
}

std::string line(const Attempt& a) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{:016x}\n", a.number, a.point, outcome(a), a.twin ? "twin" : "-",
                     a.distance, a.digest);
}

// False: it is none.
bool parse(const std::string& text, Attempt& a) {
  std::istringstream in(text);
  std::string outcome, twin;
  if (!(in >> a.number >> a.point) || in.get() != '\t') return false;
  if (!std::getline(in, outcome, '\t') || !std::getline(in, twin, '\t')) return false;
  if (!(in >> a.distance >> std::hex >> a.digest) || in.peek() != std::char_traits<char>::eof()) return false;
  a.twin = twin == "twin";
  a.again = outcome == "made before";
  if (a.again || outcome == "made") return true;
  for (std::size_t i = 1; i < kFailures; ++i) {
    a.failure = static_cast<Failure>(i);
    if (outcome == name_of(a.failure)) return true;
  }
  return false;
}

}  // namespace

Result<Attempts> Attempts::open(const std::string& folder, const std::string& options) {
  namespace fs = std::filesystem;
  const std::string path = fs::path(folder) / kName, head = "# " + options;
  std::vector<Attempt> before;
  std::error_code error;
  if (fs::exists(path, error)) {
    std::ifstream in(path);
    std::string text;
    if (!std::getline(in, text) || text != head) {
      return fail(
          {Error::Kind::input,
           fmt::format(
               "{}: was begun with other options or from another trace; give these, or another folder",
               folder)});
    }
    std::getline(in, text);  // the columns
    for (Attempt a; std::getline(in, text) && !in.eof() && parse(text, a); a = {}) {
      if (a.number != before.size()) break;
      before.push_back(a);
    }
  } else if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    return fail({Error::Kind::input,
                 fmt::format("{}: has files in it that 'deadheat inject' did not begin; give another folder",
                             folder)});
  } else if (fs::create_directories(folder, error); error) {
    return fail({Error::Kind::io, fmt::format("{}: cannot be made: {}", folder, error.message())});
  }
  // What a run that was killed left of a file.
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with('.') && name.find(".partial-") != std::string::npos) fs::remove(entry.path(), error);
  }
  // Anew: the last line may be half of one.
  auto partial = base::PartialFile::create(path);
  if (!partial) return fail(partial.error());
  auto file = base::File::create(partial->path());
  if (!file) return fail(file.error());
  std::string text = head + "\n" + std::string(kColumns) + "\n";
  for (const Attempt& a : before) text += line(a);
  if (const Status ok = file->write_all(text.data(), text.size()); !ok)
    return fail(partial->renamed(ok.error()));
  if (const Status ok = partial->commit(); !ok) return fail(ok.error());
  return Attempts(std::move(*file), std::move(before));
}

Status Attempts::add(const Attempt& attempt) {
  const std::string text = line(attempt);
  return file_.write_all(text.data(), text.size());
}

}  // namespace deadheat::inject
