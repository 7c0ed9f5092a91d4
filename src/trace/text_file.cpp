#include "trace/text_file.h"

#include "base/partial_file.h"
#include "trace/byte_output.h"

namespace deadheat::trace {

Status write_file(const std::string& path, std::string_view text) {
  auto file = base::PartialFile::create(path);
  if (!file) return fail(file.error());
  auto out = open_output(file->path(), file->target());
  if (!out) return fail(file->renamed(out.error()));
  if (auto written = (*out)->write(text); !written) return fail(file->renamed(written.error()));
  if (auto done = (*out)->finish(); !done) return fail(file->renamed(done.error()));
  return file->commit();
}

}  // namespace deadheat::trace
