#include "heed/attention/geometry.h"

#include <algorithm>
#include <numeric>

#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/gather.h"
#include "heed/ops/reshape.h"

namespace heed {
namespace {

std::vector<int32_t> or_default(std::span<const int32_t> given, int64_t count, bool counts_up,
                                const char* what) {
  std::vector<int32_t> out(given.begin(), given.end());
  if (out.empty()) {
    out.resize(static_cast<size_t>(count), 0);
    if (counts_up) {
      std::iota(out.begin(), out.end(), 0);
    }
  }
  require(static_cast<int64_t>(out.size()) == count, "attend: saw {} of {} query sequences' {}",
          out.size(), count, what);
  return out;
}

Tensor moved(const Tensor& x, const Tensor& index, int replaced,
             std::initializer_list<int64_t> front) {
  Shape shape(front);
  int64_t before = 1;
  for (int i = 0; i < x.rank(); ++i) {
    if (i < replaced) {
      before *= x.size(i);
    } else {
      shape.push(x.size(i));
    }
  }
  const Tensor flat = reshape(x, {before, x.numel() / std::max<int64_t>(before, 1)});
  return reshape(index.defined() ? gather_rows(flat, index) : flat, shape);
}

}  // namespace

Geometry::Geometry(const Asked& asked)
    : memories_(static_cast<int64_t>(asked.memory_lengths.size())), count_(asked.queries.rows()) {
  auto fixed = std::make_shared<Fixed>();
  const int64_t sequences = asked.queries.count();
  fixed->queries = asked.queries;
  fixed->memory_lengths.assign(asked.memory_lengths.begin(), asked.memory_lengths.end());
  fixed->memory_of = or_default(asked.memory_of, sequences, true, "memory");
  fixed->first_position = or_default(asked.first_position, sequences, false, "position");
  const auto& lengths = asked.queries.lengths();
  std::vector<int64_t> used(fixed->memory_lengths.size(), 0);
  for (int64_t q = 0; q < sequences; ++q) {
    const int32_t m = fixed->memory_of[q];
    require(m >= 0 && m < memories_, "attend: query sequence {} names memory {}, there are {}", q,
            m, memories_);
    used[m] += lengths[q];
  }
  rows_ = used.empty() ? 0 : *std::max_element(used.begin(), used.end());
  const auto all = [&lengths](auto holds) {
    return std::all_of(lengths.begin(), lengths.end(), holds);
  };
  is_single_step_ = all([](int32_t length) { return length <= 1; });
  has_one_row_each_ = all([](int32_t length) { return length == 1; }) && count_ == sequences;
  lay_out(*fixed, asked.place);
  fixed_ = std::move(fixed);
}

void Geometry::lay_out(Fixed& fixed, const Place& place) {
  const Layout& queries = fixed.queries;
  const auto cells = static_cast<size_t>(memories_ * rows_);
  std::vector<int32_t> row_of_cell(cells, -1);
  std::vector<int32_t> cell_of_row(static_cast<size_t>(count_), -1);
  std::vector<float> position(cells, -1);
  std::vector<float> slots(cells, 0);
  std::vector<int64_t> used(fixed.memory_lengths.size(), 0);
  bool is_full = static_cast<int64_t>(cells) == count_;
  for (int64_t q = 0; q < queries.count(); ++q) {
    const int32_t m = fixed.memory_of[q];
    for (int32_t t = 0; t < queries.lengths()[q]; ++t) {
      const int64_t cell = m * rows_ + used[m]++;
      const int32_t row = queries.starts()[q] + t;
      row_of_cell[cell] = row;
      cell_of_row[row] = static_cast<int32_t>(cell);
      position[cell] = static_cast<float>(fixed.first_position[q] + t);
      slots[cell] = static_cast<float>(fixed.memory_lengths[m]);
      is_full = is_full && cell == row;
    }
  }
  const Shape grid{memories_, 1, 1, rows_};
  position_ = Tensor::of(position, grid, place.exact());
  slots_ = Tensor::of(slots, grid, place.exact());
  fixed.first_slot = Tensor::zeros({1, 1, 1, 1}, place.exact());
  if (!is_full) {
    const Place index = place.with(DType::i32);
    fixed.row_of_cell = Tensor::of(row_of_cell, {memories_ * rows_}, index);
    fixed.cell_of_row = Tensor::of(cell_of_row, {count_}, index);
  }
}

Geometry Geometry::over_caches(const Tensor& position, const Place& place) {
  Geometry out;
  out.memories_ = position.size(0);
  out.rows_ = 1;
  out.count_ = position.size(0);
  out.is_single_step_ = true;
  out.has_one_row_each_ = true;
  out.is_over_caches_ = true;
  out.number_ = position;
  out.place_ = place.exact();
  return out;
}

Geometry Geometry::at(const Tensor& position, int64_t further) const {
  require(has_one_row_each_ && position.size(0) == count_,
          "attend: saw positions of {} rows, needs one for each of {} sequences of one row",
          position.size(0), count_);
  Geometry out = *this;
  out.shared_ = std::make_shared<Shared>();
  out.number_ = position;
  out.further_ = further;
  out.place_ = slots_.place();
  out.position_ = {};
  return out;
}

/// [M, 1, 1, R]
Tensor Geometry::counted_position() const {
  const Shape grid{memories_, 1, 1, rows_};
  Tensor number = reshape(cast(number_, place_.dtype), {count_, 1});
  number = further_ == 0 ? number : affine(number, 1, static_cast<double>(further_));
  if (!fixed_->row_of_cell.defined()) {
    return reshape(number, grid);
  }
  // A missing row is gathered as 0, and its position is −1.
  const Tensor after = gather_rows(affine(number, 1, 1), fixed_->row_of_cell);
  return reshape(affine(after, 1, -1), grid);
}

const Tensor& Geometry::position() const {
  if (position_.defined()) {
    return position_;
  }
  Tensor& made = shared_->position;
  made = made.defined() ? made : counted_position();
  return made;
}

const Tensor& Geometry::slots() const {
  if (!is_over_caches_) {
    return slots_;
  }
  Tensor& made = shared_->slots;
  made = made.defined() ? made : affine(position(), 1, 1);
  return made;
}

const Tensor& Geometry::first_slot() const {
  if (fixed_->first_slot.defined()) {
    return fixed_->first_slot;
  }
  Tensor& made = shared_->first_slot;
  made = made.defined() ? made : Tensor::zeros({1, 1, 1, 1}, place_);
  return made;
}

Tensor Geometry::to_grid(const Tensor& rows) const {
  require(rows.size(0) == count_, "attend: saw {} query rows, needs {}", rows.size(0), count_);
  return moved(rows, fixed_->row_of_cell, 1, {memories_, rows_});
}

Tensor Geometry::to_rows(const Tensor& grid) const {
  return moved(grid, fixed_->cell_of_row, 2, {count_});
}

std::vector<int32_t> sequence_of_row(const Layout& queries) {
  std::vector<int32_t> sequence(static_cast<size_t>(queries.rows()), -1);
  for (int64_t q = 0; q < queries.count(); ++q) {
    if (queries.lengths()[q] > 0) {
      sequence[queries.starts()[q]] = static_cast<int32_t>(q);
    }
  }
  return sequence;
}

std::vector<int32_t> row_of_sequence(const Layout& queries) {
  std::vector<int32_t> row(static_cast<size_t>(queries.count()), -1);
  for (int64_t q = 0; q < queries.count(); ++q) {
    if (queries.lengths()[q] > 0) {
      row[q] = queries.starts()[q];
    }
  }
  return row;
}

}  // namespace heed
