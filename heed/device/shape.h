// Up to eight axis lengths, stored in place, because shapes are made by the thousand in a training
// step and must not allocate. Device code shares this header: everything is constexpr, and fmt is
// not included (shape_format.h does that).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "heed/base/checked_product.h"

namespace heed {

class Shape {
 public:
  static constexpr int max_rank = 8;

  constexpr Shape() = default;
  constexpr Shape(std::initializer_list<int64_t> lengths) {
    for (const int64_t length : lengths) {
      push(length);
    }
  }

  constexpr int rank() const { return rank_; }
  /// The number of elements; more than `most_elements` is an Error. An empty axis does not hide the
  /// others, so that the strides of an accepted shape never overflow.
  constexpr int64_t numel() const {
    int64_t count = 1;
    bool is_empty = false;
    for (const int64_t length : *this) {
      is_empty = is_empty || length == 0;
      count = product_up_to(most_elements, count, length == 0 ? 1 : length);
      if (count < 0) {
        refuse_size();
      }
    }
    return is_empty ? 0 : count;
  }
  /// Axis `axis`; negative axes count from the end.
  constexpr int64_t operator[](int axis) const { return lengths_[axis < 0 ? axis + rank_ : axis]; }
  constexpr int64_t& operator[](int axis) { return lengths_[axis < 0 ? axis + rank_ : axis]; }
  constexpr const int64_t* begin() const { return lengths_.data(); }
  constexpr const int64_t* end() const { return lengths_.data() + rank_; }

  constexpr Shape& push(int64_t length) {
    if (rank_ == max_rank || length < 0) {
      refuse(length);
    }
    lengths_[rank_++] = length;
    return *this;
  }
  constexpr Shape& insert(int axis, int64_t length) {
    if (rank_ == max_rank || length < 0) {
      refuse(length);
    }
    std::move_backward(lengths_.begin() + axis, lengths_.begin() + rank_,
                       lengths_.begin() + rank_ + 1);
    lengths_[axis] = length;
    ++rank_;
    return *this;
  }
  constexpr Shape& erase(int axis) {
    std::move(lengths_.begin() + axis + 1, lengths_.begin() + rank_, lengths_.begin() + axis);
    --rank_;
    return *this;
  }
  /// The same rank with `axis` set to `length`.
  constexpr Shape with(int axis, int64_t length) const {
    Shape other = *this;
    other[axis] = length;
    return other;
  }

  constexpr bool operator==(const Shape& other) const {
    bool is_equal = rank_ == other.rank_;
    for (int i = 0; is_equal && i < rank_; ++i) {
      is_equal = lengths_[i] == other.lengths_[i];
    }
    return is_equal;
  }

 private:
  [[noreturn]] void refuse(int64_t length) const;
  [[noreturn]] void refuse_size() const;

  std::array<int64_t, max_rank> lengths_{};
  int rank_ = 0;
};

/// `axis` in [−rank, rank) made non-negative, or an error naming `who`.
int checked_axis(int axis, int rank, const char* who);

/// The shape both operands broadcast to (axes aligned at the end), or an error naming `who`.
Shape broadcast(const Shape& a, const Shape& b, const char* who);

/// "[2, 3, 4]"
std::string to_string(const Shape& shape);

}  // namespace heed
