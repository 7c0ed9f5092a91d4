// How large a window a proof needs, and how long it takes, for the first conflicting accesses of a variable:
//   bench_prove VARIABLE TRACE...
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "deadheat/trace.h"
#include "solve/prove.h"
#include "solve/rules.h"

using namespace deadheat;

namespace {

struct Loaded {
  std::vector<Event> events;
  std::optional<solve::Question> question;
};

std::optional<Loaded> load(const std::string& path, const std::string& variable) {
  Loaded loaded;
  auto source = open_source(path);
  while (source) {
    const auto block = (*source)->next();
    if (!block) break;
    if (*block != nullptr) {
      for (std::size_t i = 0; i < (*block)->size(); ++i) loaded.events.push_back((**block)[i]);
      continue;
    }
    std::optional<std::uint64_t> first;
    for (std::uint64_t i = 0; i < loaded.events.size(); ++i) {
      const Event& e = loaded.events[i];
      if (!is_access(e.op.kind) || (*source)->names().variables[e.object] != variable) continue;
      if (!first) {
        first = i;
      } else if (e.thread != loaded.events[*first].thread) {
        loaded.question = {*first, i, solve::Notion::co_enabled};
        break;
      }
    }
    return loaded;
  }
  return std::nullopt;
}

const char* name_of(solve::Verdict verdict) {
  return verdict == solve::Verdict::yes ? "yes" : verdict == solve::Verdict::no ? "no" : "unknown";
}
const char* name_of(solve::Means means) {
  constexpr const char* kNames[] = {"needs", "trace", "saturation", "cases", "solver", "time", "gave up"};
  return kNames[static_cast<std::size_t>(means)];
}

void tell(const std::string& path, const Loaded& loaded) {
  const auto& q = *loaded.question;
  const auto start = std::chrono::steady_clock::now();
  const solve::Proof proof =
      solve::prove({0, loaded.events, {}}, q, {.time = std::chrono::seconds(60), .first_window = 1});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%s\t%zu\t%llu-%llu\t%s\t%s\t%llu\t%llu\t%u\t%llu\t%zu\t%.3f\n", path.c_str(),
              loaded.events.size(), 1ULL * q.earlier, 1ULL * q.later, name_of(proof.answer.verdict),
              name_of(proof.answer.means), 1ULL * (q.earlier - proof.first_event),
              1ULL * (proof.end_event - q.later - 1), proof.windows, 1ULL * proof.checks,
              proof.answer.order.size(), seconds);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench_prove VARIABLE TRACE...\n");
    return 2;
  }
  std::printf("trace\tevents\tpair\tverdict\tmeans\tbefore\tafter\twindows\tchecks\torder\tseconds\n");
  for (int i = 2; i < argc; ++i) {
    const auto loaded = load(argv[i], argv[1]);
    if (!loaded || !loaded->question) {
      std::fprintf(stderr, "%s: cannot be read, or has no such pair\n", argv[i]);
      return 3;
    }
    tell(argv[i], *loaded);
  }
}
