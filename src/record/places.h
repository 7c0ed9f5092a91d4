// Where in the program: code addresses as sites, nodes of the depot as stacks.
#pragma once

#include <cstdint>
#include <vector>

#include "deadheat/names.h"
#include "model/pair_table.h"
#include "runtime/session.h"

namespace deadheat::record {

class Places {
 public:
  Places(const runtime::Session& session, Names& names) : session_(session), names_(names) {}

  // Of a return address; 0 is no site.
  SiteId site(std::uint64_t code);
  StackId stack(std::uint32_t node);
  // From the event on so many modules are loaded, or were. True if some are new: what was asked before may
  // have another answer now.
  bool load(std::uint64_t modules, std::uint64_t event);

 private:
  SiteId make_site(std::uint64_t code);
  std::uint32_t module_of(std::uint64_t code) const;
  void name(const runtime::Module& module, std::uint64_t event);

  const runtime::Session& session_;
  Names& names_;
  model::PairTable<std::uint32_t> sites_;  // by code address
  std::vector<std::uint32_t> stacks_;      // by node; 0: not known yet
  std::vector<std::uint32_t> nodes_;       // on the way to the outermost caller
  std::uint32_t modules_ = 0;              // so far; their ids are one more than their places in the session
};

}  // namespace deadheat::record
