// containers NAME [racy]: the count is the size of a container, or kept by a facility of the C++ library.
#include <algorithm>
#include <any>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "countdown.h"
#include "hidden.h"

namespace {

std::string text(kWorkers, 'x');
int down_string() { return text.pop_back(), text.empty(); }
std::string grown;
int down_append() {
  return grown.append("a string that is too long to be stored inside"), grown.size() == kWorkers * 45;
}
int down_erase() { return text.erase(0, 1), text.size() == 0; }
std::string number = "3";
int down_stoi() { return number = std::to_string(std::stoi(number) - 1), number == "0"; }
std::list<int> list(kWorkers);
int down_list() { return list.pop_front(), list.empty(); }
int down_list_unhook() {
  std::list<int> other;
  other.splice(other.begin(), list, list.begin());
  return list.begin() == list.end();
}
std::forward_list<int> forward(kWorkers);
int down_forward() { return forward.pop_front(), forward.empty(); }
std::vector<int> vector(kWorkers);
int down_vector() { return vector.pop_back(), vector.empty(); }
std::vector<bool> flags(kWorkers);
int down_flags() { return flags.pop_back(), flags.empty(); }
std::deque<int> deque(kWorkers);
int down_deque() { return deque.pop_front(), deque.empty(); }
std::priority_queue<int> heap{std::less<int>(), std::vector<int>(kWorkers)};
int down_heap() { return heap.pop(), heap.empty(); }
std::map<int, int> map = {{1, 0}, {2, 0}, {3, 0}};
int down_map() { return map.erase(map.begin()), map.empty(); }
std::map<int, int> values = {{1, kWorkers}};
int down_map_value() { return --values[1] == 0; }
std::set<std::string> set = {"a", "b", "c"};
int down_set() { return set.erase(std::prev(set.end())), set.begin() == set.end(); }
std::unordered_map<int, int> table = {{1, 0}, {2, 0}, {3, 0}};
int down_table() { return table.erase(table.begin()), table.empty(); }
std::shared_ptr<int> owner = std::make_shared<int>(0);
std::vector<std::shared_ptr<int>> owners;
void begin_shared() { owners.assign(kWorkers, owner); }
int down_shared() { return owners.pop_back(), owner.use_count() == 1; }
std::any any = int{kWorkers};
int down_any() { return any = std::any_cast<int>(any) - 1, std::any_cast<int>(any) == 0; }
std::variant<int, std::string> variant = kWorkers;
int down_variant() { return --std::get<int>(variant) == 0; }
std::optional<int> optional = kWorkers;
int down_optional() { return --*optional == 0; }
std::stringstream stream;
void begin_stream() { stream << "2 1 0"; }
int down_stream() {
  int left = -1;
  stream >> left;
  return left == 0;
}
std::ostringstream output;
int down_output() { return output << 'x', output.str().size() == kWorkers; }
int counted = kWorkers;
std::function<int()> function = [] { return --counted == 0; };
int down_function() { return function(); }
int down_exception() {
  try {
    if (--counted == 0) throw std::runtime_error("the last");
  } catch (const std::exception&) {
    return 1;
  }
  return 0;
}
void throw_last() { throw counted; }
int down_exception_through_hidden() {
  int ignored = 1;
  try {
    hidden_decrement_before(&counted, throw_last);
  } catch (int left) {
    return left == 0;
  }
  return ignored;
}
int down_sort() {
  static int kinds[kWorkers] = {1, 2, 3};
  std::sort(kinds, kinds + kWorkers, std::greater<int>());
  kinds[0] = 0;
  return std::count(kinds, kinds + kWorkers, 0) == kWorkers;
}

// A virtual function, and a table of functions that changes.
struct Counter {
  virtual ~Counter() = default;
  virtual int down() = 0;
};
struct Plain : Counter {
  int left = kWorkers;
  int down() override { return --left == 0; }
};
struct Other {
  virtual ~Other() = default;
  int unused = 0;
};
struct Both : Other, Plain {};
std::unique_ptr<Counter> counter = std::make_unique<Plain>();
int down_virtual() { return counter->down(); }
std::unique_ptr<Plain> with_thunk = std::make_unique<Both>();
int down_thunk() { return with_thunk->down(); }
template <int N>
struct Stage : Counter {
  int down() override;
};
alignas(8) unsigned char stage[sizeof(Stage<0>)];
Counter* at() { return std::launder(reinterpret_cast<Counter*>(stage)); }
template <int N>
int Stage<N>::down() {
  new (stage) Stage<N - 1>;
  return N == 1;
}
template <>
int Stage<0>::down() {
  return 0;
}
void begin_stage() { new (stage) Stage<kWorkers>; }
int down_stage() { return at()->down(); }

const Case kCases[] = {
    {"string", nullptr, down_string},
    {"append", nullptr, down_append},
    {"erase", nullptr, down_erase},
    {"opaque_stoi", nullptr, down_stoi},
    {"list", nullptr, down_list},
    {"list_unhook", nullptr, down_list_unhook},
    {"forward_list", nullptr, down_forward},
    {"vector", nullptr, down_vector},
    {"vector_bool", nullptr, down_flags},
    {"deque", nullptr, down_deque},
    {"heap", nullptr, down_heap},
    {"map", nullptr, down_map},
    {"map_value", nullptr, down_map_value},
    {"set", nullptr, down_set},
    {"unordered_map", nullptr, down_table},
    {"shared_ptr", begin_shared, down_shared},
    {"any", nullptr, down_any},
    {"variant", nullptr, down_variant},
    {"optional", nullptr, down_optional},
    {"stream", begin_stream, down_stream},
    {"output", nullptr, down_output},
    {"function", nullptr, down_function},
    {"exception", nullptr, down_exception},
    {"opaque_exception", nullptr, down_exception_through_hidden},
    {"sort", nullptr, down_sort},
    {"virtual", nullptr, down_virtual},
    {"thunk", nullptr, down_thunk},
    {"vtable", begin_stage, down_stage},
};

}  // namespace

int main(int argc, char** argv) { return choose(kCases, sizeof kCases / sizeof *kCases, argc, argv); }
