// Up to eight axis lengths, in place: shapes are made by the thousand in a training step and never
// allocate.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace heed {

class Shape {
 public:
  static constexpr int max_rank = 8;

  Shape() = default;
  Shape(std::initializer_list<int64_t> lengths);

  int rank() const { return rank_; }
  int64_t numel() const;
  /// Axis `axis`; negative axes count from the end.
  int64_t operator[](int axis) const { return lengths_[axis < 0 ? axis + rank_ : axis]; }
  int64_t& operator[](int axis) { return lengths_[axis < 0 ? axis + rank_ : axis]; }
  const int64_t* begin() const { return lengths_.data(); }
  const int64_t* end() const { return lengths_.data() + rank_; }

  Shape& push(int64_t length);
  Shape& insert(int axis, int64_t length);
  Shape& erase(int axis);
  /// The same rank with `axis` set to `length`.
  Shape with(int axis, int64_t length) const;

  bool operator==(const Shape& other) const;

 private:
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
