// A total map from ids to values: what was never touched has the default value. Pages never move, so
// references stay valid while the table grows. Ids may be sparse: only the pages touched exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace deadheat::model {

template <class T, unsigned kPageBits = 6>
class Table {
 public:
  static constexpr std::size_t kPage = std::size_t{1} << kPageBits;

  T& operator[](std::uint32_t id) {
    const std::size_t shelf = id >> (kPageBits + kShelfBits);
    // Most tables have one shelf.
    const std::unique_ptr<T[]>* const pages = shelf == 0 ? first_
                                              : shelf < shelves_.size() && shelves_[shelf] != nullptr
                                                  ? shelves_[shelf]->data()
                                                  : nullptr;
    if (pages != nullptr) [[likely]] {
      T* const page = pages[(id >> kPageBits) & (kShelf - 1)].get();
      if (page != nullptr) [[likely]]
        return page[id & (kPage - 1)];
    }
    return make(id);
  }
  // The value, or nullptr where nobody has been.
  const T* find(std::uint32_t id) const {
    const std::size_t shelf = id >> (kPageBits + kShelfBits);
    if (shelf >= shelves_.size() || shelves_[shelf] == nullptr) return nullptr;
    const T* const page = (*shelves_[shelf])[(id >> kPageBits) & (kShelf - 1)].get();
    return page == nullptr ? nullptr : page + (id & (kPage - 1));
  }

  std::size_t bytes() const { return bytes_; }

  // f(id, value) for every id of every page there is, in order.
  template <class F>
  void for_each(F f) const {
    for (std::size_t shelf = 0; shelf < shelves_.size(); ++shelf) {
      if (shelves_[shelf] == nullptr) continue;
      for (std::size_t page = 0; page < kShelf; ++page) {
        const T* const values = (*shelves_[shelf])[page].get();
        if (values == nullptr) continue;
        const auto first = static_cast<std::uint32_t>((shelf << kShelfBits | page) << kPageBits);
        for (std::uint32_t i = 0; i < kPage; ++i) f(first + i, values[i]);
      }
    }
  }

 private:
  static constexpr unsigned kShelfBits = 10;
  static constexpr std::size_t kShelf = std::size_t{1} << kShelfBits;
  using Shelf = std::vector<std::unique_ptr<T[]>>;

  [[gnu::noinline]] T& make(std::uint32_t id) {
    const std::size_t shelf = id >> (kPageBits + kShelfBits);
    if (shelf >= shelves_.size()) shelves_.resize(shelf + 1);
    if (shelves_[shelf] == nullptr) {
      shelves_[shelf] = std::make_unique<Shelf>(kShelf);
      if (shelf == 0) first_ = shelves_[0]->data();
      bytes_ += kShelf * sizeof(void*);
    }
    auto& page = (*shelves_[shelf])[(id >> kPageBits) & (kShelf - 1)];
    page = std::make_unique<T[]>(kPage);
    bytes_ += kPage * sizeof(T);
    return page[id & (kPage - 1)];
  }

  std::vector<std::unique_ptr<Shelf>> shelves_;
  const std::unique_ptr<T[]>* first_ = nullptr;  // the pages of the first shelf
  std::size_t bytes_ = 0;
};

}  // namespace deadheat::model
