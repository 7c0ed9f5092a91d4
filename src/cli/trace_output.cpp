#include "cli/trace_output.h"

#include <fmt/format.h>
#include <unistd.h>

namespace deadheat::cli {

namespace {

std::string_view without_packing(std::string_view name) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) return name.substr(0, name.size() - packed.size());
  }
  return name;
}

Result<TraceFormat> format_of(std::string_view verb, std::string_view name, const Arguments& arguments) {
  if (arguments.has("to")) {
    const std::string_view to = arguments.get("to");
    return to == "dht" ? TraceFormat::dht : to == "std" ? TraceFormat::std : TraceFormat::text;
  }
  const std::string_view bare = without_packing(name);
  if (bare.ends_with(".dht")) return TraceFormat::dht;
  if (bare.ends_with(".std")) return TraceFormat::std;
  if (bare.ends_with(".txt") || bare.ends_with(".text")) return TraceFormat::text;
  return usage_error(fmt::format(
      "{}: the name '{}' does not say what to write; add --to dht, --to std or --to text", verb, name));
}

}  // namespace

Status name_ahead(Source& source) {
  auto* const file = dynamic_cast<TraceReader*>(&source);
  return file == nullptr ? Status{} : file->load_names();
}

Result<TracePlan> plan_trace(std::string_view verb, const std::string& target, const Arguments& arguments,
                             bool lossy) {
  const auto format = format_of(verb, target, arguments);
  if (!format) return fail(format.error());
  TracePlan plan{.target = target, .format = *format, .lossy = lossy};
  const bool is_dht = *format == TraceFormat::dht;
  if (is_dht) {
    if (auto ok = refuse_packed_name(verb, target); !ok) return fail(ok.error());
  }
  if (arguments.has("compress")) {
    if (!is_dht) {
      return usage_error(
          fmt::format("{}: --compress is for .dht; text is compressed if FILE ends in .gz or .zst", verb));
    }
    const auto level = arguments.number("compress", 1, 19);
    if (!level) return fail(level.error());
    plan.zstd_level = static_cast<int>(*level);
  }
  if (lossy && is_dht) {
    return usage_error(fmt::format("{}: --lossy is for text; .dht loses nothing", verb));
  }
  if (is_dht && target == "-" && isatty(STDOUT_FILENO) != 0) {
    return usage_error(fmt::format("{}: a .dht is not for the terminal; give -o FILE, or --to text", verb));
  }
  return plan;
}

Status refuse_packed_name(std::string_view verb, std::string_view name) {
  const std::string_view bare = without_packing(name);
  if (bare == name) return {};
  return usage_error(fmt::format(
      "{}: a .dht is not packed as {}, as the name '{}' says; let it end in .dht, and compress the "
      "blocks by convert or generate --compress",
      verb, name.substr(bare.size()), name));
}

Result<TraceOutput> TraceOutput::create(const TracePlan& plan) {
  auto file = base::PartialFile::create(plan.target);
  if (!file) return fail(file.error());
  if (plan.format == TraceFormat::dht) {
    auto writer = TraceWriter::create(file->path(), {.zstd_level = plan.zstd_level});
    if (!writer) return fail(file->renamed(std::move(writer).error()));
    return TraceOutput(std::move(*file), std::move(*writer), nullptr);
  }
  const TextOptions options{.extended = plan.format == TraceFormat::text, .lossy = plan.lossy};
  auto writer = trace::TextWriter::create(file->path(), file->target(), options);
  if (!writer) return fail(file->renamed(std::move(writer).error()));
  const trace::TextWriter* const text = writer->get();
  return TraceOutput(std::move(*file), std::move(*writer), text);
}

std::vector<Warning> TraceOutput::losses() const {
  return text_ == nullptr ? std::vector<Warning>{} : text_->losses();
}

}  // namespace deadheat::cli
