#include "record/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace deadheat::record {

namespace {

std::uint32_t high(std::uint64_t code) { return static_cast<std::uint32_t>(code >> 32); }
std::uint32_t low(std::uint64_t code) { return static_cast<std::uint32_t>(code); }

}  // namespace

// Two threads may tell in another order than they looked.
bool Places::load(std::uint64_t modules, std::uint64_t event) {
  modules = std::min<std::uint64_t>(modules, runtime::kModules);
  if (modules <= modules_) return false;
  for (; modules_ < modules; ++modules_) name(session_.modules[modules_], event);
  sites_ = {};
  std::fill(stacks_.begin(), stacks_.end(), 0);
  return true;
}

SiteId Places::site(std::uint64_t code) {
  if (code == 0) return SiteId::none;
  std::uint32_t& id = sites_(high(code), low(code));
  if (id == 0) id = index(make_site(code));
  return SiteId{id};
}

// The last one that has the address, counted from 1; 0: none.
std::uint32_t Places::module_of(std::uint64_t code) const {
  for (std::uint32_t i = modules_; i > 0; --i) {
    const runtime::Module& module = session_.modules[i - 1];
    if (code >= module.begin && code < module.end) return i;
  }
  return 0;
}

void Places::name(const runtime::Module& m, std::uint64_t event) {
  const std::string_view path(m.path, strnlen(m.path, sizeof m.path));
  std::string build_id;
  for (std::size_t i = 0; i < std::min<std::size_t>(m.build_id_bytes, sizeof m.build_id); ++i) {
    build_id += fmt::format("{:02x}", m.build_id[i]);
  }
  const std::uint32_t id = names_.add_module(path, build_id, m.bias);
  names_.mappings.push_back({Mapping::What::module, id, m.begin, m.end - m.begin, event});
}

SiteId Places::make_site(std::uint64_t code) {
  // The call is before where it returns to, which may be behind the last function of the module.
  const std::uint32_t module = module_of(code - 1);
  if (module == 0) return names_.add_text_site(fmt::format("{:#x}", code));
  return names_.add_site({.module = module, .address = code - session_.modules[module - 1].bias});
}

// A stack's id is greater than its caller's: callers first.
StackId Places::stack(std::uint32_t node) {
  if (node == 0 || node >= runtime::kNodes) return StackId::none;
  if (node >= stacks_.size()) {
    stacks_.resize(std::max<std::size_t>(node + std::size_t{1}, 2 * stacks_.size()));
  }
  if (stacks_[node] != 0) return StackId{stacks_[node]};
  nodes_.clear();
  // A caller's node is older than the node, so this ends.
  for (std::uint32_t at = node; at != 0 && at < stacks_.size() && stacks_[at] == 0;) {
    nodes_.push_back(at);
    const std::uint32_t caller = session_.nodes[at].caller;
    if (caller >= at) break;
    at = caller;
  }
  for (std::size_t i = nodes_.size(); i > 0; --i) {
    const runtime::Node& n = session_.nodes[nodes_[i - 1]];
    const std::uint32_t caller = n.caller < nodes_[i - 1] ? stacks_[n.caller] : 0;
    stacks_[nodes_[i - 1]] = index(names_.add_stack({StackId{caller}, site(n.code)}));
  }
  return StackId{stacks_[node]};
}

}  // namespace deadheat::record
