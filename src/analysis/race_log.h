// Gathers the pairs that an engine tells into findings. What comes out does not depend on the order in which
// pairs come in, so that several logs can be filled side by side and put together.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/findings.h"
#include "engine/engine.h"

namespace deadheat::analysis {

class RaceLog final : public engine::RaceSink {
 public:
  RaceLog() = default;
  // For so many groups more, in all logs that share it.
  using Room = std::shared_ptr<std::atomic<std::uint64_t>>;
  // Tells another one too. Where there is no room for another group, its pairs are counted.
  explicit RaceLog(engine::RaceSink* also, Room room = nullptr) : also_(also), room_(std::move(room)) {}
  void race(const model::RacePair& pair) override;
  void races(const model::RaceRow& row) override;

  // What an engine told, to as many logs as it had.
  struct Told {
    std::vector<const RaceLog*> logs;
    engine::Grade grade{};
  };
  static std::vector<Finding> put_together(const std::vector<Told>& by_engine);
  std::uint64_t pairs() const { return pairs_; }
  std::uint64_t pairs_not_kept() const { return pairs_not_kept_; }

 private:
  // An unordered pair of sites; where one is missing, the variable besides.
  struct Key {
    std::uint64_t sites;
    std::uint64_t variable;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t h = key.sites * 0x9E3779B97F4A7C15u ^ key.variable * 0xC2B2AE3D27D4EB4Fu;
      return static_cast<std::size_t>(h ^ h >> 29);
    }
  };
  struct Group {
    std::vector<model::RacePair> least;  // instances of different events, up to kInstancesKept, in order
    std::uint64_t instances = 0;
    std::vector<VarId> variables;  // distinct, up to kVariablesCounted
  };

  // Wide accesses that meet in several cells are told of in each. Within a line of eight cells, which is
  // always of one shard, that is counted once: so the count does not depend on the shards.
  bool counts(const model::RacePair& pair);

  static Key key_of(VarId x, const model::Side& one, const model::Side& other);
  bool take_room();
  Group* group_of(const Key& key);  // none: there is no room for it
  static void add_instance(std::vector<model::RacePair>& least, const model::RacePair& pair);
  static void add_variable(std::vector<VarId>& variables, VarId x);

  std::unordered_map<Key, Group, Hash> groups_;
  std::uint64_t pairs_ = 0, pairs_not_kept_ = 0;
  std::uint64_t later_ = UINT64_MAX;
  std::uint32_t line_ = 0;
  std::vector<std::uint64_t> earlier_;  // told of the event `later_` in this line, in order
  // Where sites are not known, the variable takes their place. A wide pair would be as many races as it has
  // variables: within a line it is the race of the first one, and beyond so many lines that of the last.
  static constexpr std::uint32_t kLinesApart = 16;
  struct Wide {
    std::uint32_t lines = 0;
    Key key{};
  };
  Key merged_key(const model::RacePair& pair, bool counted);
  std::unordered_map<std::uint64_t, Wide> wide_;  // by earlier event, of the event `later_`
  Key last_key_{UINT64_MAX, UINT64_MAX};
  Group* last_ = nullptr;  // races come in rows
  engine::RaceSink* also_ = nullptr;
  Room room_;  // none: there is room for all
};

}  // namespace deadheat::analysis
