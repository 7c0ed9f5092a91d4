// Columns of text, as wide as what is in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deadheat::base {

class TextTable {
 public:
  enum class Align : bool { left, right };
  struct Column {
    std::string_view title;
    Align align = Align::right;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // The titles first, unless all are empty; the rows below them behind two blanks.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace deadheat::base
