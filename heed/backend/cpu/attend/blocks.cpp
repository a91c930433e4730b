#include "heed/backend/cpu/attend/blocks.h"

namespace heed::cpu {

namespace {

/// The row that sees `open`, in a strip that sees `seen`, of a block whose first slot is `first`.
WeightRow row_of(const SlotRange& open, const SlotRange& seen, int64_t first, float count) {
  const auto column = [=](const SlotRange& range, int64_t slot) {
    return range.empty() ? 0 : slot - first;
  };
  return {.begin = column(open, open.begin),
          .end = column(open, open.end),
          .first = column(seen, seen.begin),
          .last = column(seen, seen.end),
          .bias = nullptr,
          .count = count,
          .peak = 0,
          .level = 0,
          .factor = 0,
          .entropy = -1};
}

}  // namespace

RowBlock::RowBlock(const AttendStep& step, const Part& part)
    : step_(step), at_(part.at), first_row_(part.row), rows_(part.rows), cut_(part.cut) {
  const RowRanges ranges(step.where, at_, step.values.shape[2]);
  const int64_t told = ranges.distinct(rows_);
  std::array<SlotRange, most_rows_a_block> range;
  common_ = part.window;
  for (int64_t i = 0; i < told; ++i) {
    range[i] = ranges[first_row_ + i].clipped(part.window.begin, part.window.end);
    range[i] = range[i].empty() ? SlotRange{0, 0} : range[i];
    common_ = common_.clipped(range[i].begin, range[i].end);
    all_ = all_.joined(range[i]);
  }
  common_ = common_.empty() ? SlotRange{0, 0} : common_;
  stride_ = (all_.end - all_.begin + 15) / 16 * 16 + 16 + 2 * cut_.margin;
  const int64_t height = common_ == all_ ? rows_ : cut_.strip;
  const TileRows count = head_rows(step.where.count, at_);
  for (int64_t first = 0; first < rows_; first += height) {
    Strip& strip = strip_[strips_++];
    strip = {first, std::min(height, rows_ - first), {0, 0}};
    for (int64_t i = first; i < std::min(told, first + strip.rows); ++i) {
      strip.range = strip.range.joined(range[i]);
    }
    for (int64_t i = first; i < first + strip.rows; ++i) {
      row_[i] = row_of(range[std::min(i, told - 1)], strip.range, all_.begin,
                       count ? *count[first_row_ + i] : 0);
    }
  }
}

const float* RowBlock::grid_row(const View& grid, int64_t i) const {
  return head_rows(grid, at_)[first_row_ + i] + all_.begin * grid.strides[4];
}

WeightRows RowBlock::weights(TileRows e, double scale) {
  if (step_.where.bias.data != nullptr) {
    for (int64_t i = 0; i < rows_; ++i) {
      row_[i].bias = grid_row(step_.where.bias, i);
    }
  }
  return {e,
          row_.data(),
          rows_,
          scale,
          step_.where.bias.strides[4],
          scratch(Scratch::spare, stride_),
          step_.report.entropy.data != nullptr && !is_tempered(),
          is_uniform() && all_.end - all_.begin <= step_.values.shape[3]};
}

void RowBlock::save_state() const {
  if (step_.state.data == nullptr) {
    return;
  }
  const TileRows state = head_rows(step_.state, at_);
  const int64_t next = step_.state.strides[4];
  for (int64_t i = 0; i < rows_; ++i) {
    state[first_row_ + i][0] = row_[i].peak;
    state[first_row_ + i][next] = row_[i].level;
  }
}

void RowBlock::load_state() {
  const TileRows state = head_rows(step_.state, at_);
  const int64_t next = step_.state.strides[4];
  for (int64_t i = 0; i < rows_; ++i) {
    row_[i].peak = state[first_row_ + i][0];
    row_[i].level = state[first_row_ + i][next];
  }
}

Gaussian RowBlock::gaussian(int64_t i) const {
  return {*head_rows(step_.where.centre, at_)[first_row_ + i],
          static_cast<float>(-0.5 / (step_.where.sigma * step_.where.sigma))};
}

uint64_t RowBlock::element(int64_t i, int64_t slot) const {
  const Shape& query = step_.score.query.shape;
  const int64_t head = (at_.memory * query[1] + at_.group) * query[2] + at_.head;
  return static_cast<uint64_t>((head * query[3] + first_row_ + i) * step_.values.shape[2] + slot);
}

void RowBlock::temper(TileRows u) const {
  if (!is_tempered()) {
    return;
  }
  float* g = scratch(Scratch::factors, stride_);
  for (int64_t i = 0; i < rows_; ++i) {
    gaussian_row(gaussian(i), first_slot(i), open(i), g);
    multiply_row(u[i] + row_[i].begin, g, open(i));
  }
}

void RowBlock::drop(TileRows u) const {
  if (!drops()) {
    return;
  }
  float* keep = scratch(Scratch::factors, stride_);
  for (int64_t i = 0; i < rows_; ++i) {
    keep_row(step_.dropout, element(i, first_slot(i)), open(i), keep);
    multiply_row(u[i] + row_[i].begin, keep, open(i));
  }
}

void RowBlock::report(TileRows u) const {
  const AttendReport& report = step_.report;
  if (report.weights.data == nullptr && report.argmax.data == nullptr &&
      report.entropy.data == nullptr) {
    return;
  }
  const int64_t slots = step_.values.shape[2];
  for (int64_t i = 0; i < rows_; ++i) {
    const WeightRow& row = row_[i];
    const float* from = u[i] + row.begin;
    const int64_t r = first_row_ + i;
    if (report.weights.data != nullptr) {
      float* to = head_rows(report.weights, at_)[r];
      std::fill(to, to + first_slot(i), 0.0F);
      scale_row(to + first_slot(i), from, row.factor, open(i));
      std::fill(to + first_slot(i) + open(i), to + slots, 0.0F);
    }
    if (report.argmax.data != nullptr) {
      const int64_t best = argmax_row(from, open(i), row.factor);
      View at = report.argmax;
      const Strides& by = at.strides;
      at.as<int32_t>()[at_.memory * by[0] + at_.group * by[1] + at_.head * by[2] + r * by[3]] =
          static_cast<int32_t>(best < 0 ? 0 : first_slot(i) + best);
    }
    if (report.entropy.data != nullptr) {
      *head_rows(report.entropy, at_)[r] =
          row.entropy >= 0 ? row.entropy : entropy_row(from, open(i), row.factor);
    }
  }
}

void RowBlock::hand_out(TileRows mixed, TileRows context, int64_t width) const {
  for (int64_t i = 0; i < rows_; ++i) {
    const int64_t r = first_row_ + i;
    if (open(i) == 0) {
      std::fill_n(context[r], width, 0.0F);
    } else if (mixed.data != context.data || row_[i].factor != 1) {
      scale_row(context[r], mixed[r], row_[i].factor, width);
    }
  }
}

void RowBlock::before_normaliser(const Gradients& s) {
  const bool has_dweights = s.to.dweights.data != nullptr;
  if (!drops() && !has_dweights && !is_tempered()) {
    return;
  }
  float* factor = scratch(Scratch::factors, stride_);
  for (int64_t i = 0; i < rows_; ++i) {
    const WeightRow& row = row_[i];
    float* gradient = s.gradient[i] + row.begin;
    if (drops()) {
      keep_row(step_.dropout, element(i, first_slot(i)), open(i), factor);
      multiply_row(gradient, factor, open(i));
    }
    if (has_dweights) {
      const float* more = head_rows(s.to.dweights, at_)[first_row_ + i] + first_slot(i);
      for (int64_t j = 0; j < open(i); ++j) {
        gradient[j] += more[j];
      }
    }
    if (is_tempered()) {
      gaussian_row(gaussian(i), first_slot(i), open(i), factor);
      const float dcentre =
          gaussian_gradient_row(gaussian(i), {first_slot(i), first_slot(i) + open(i)},
                                s.weights[i] + row.begin, factor, gradient);
      if (s.to.dcentre.data != nullptr) {
        *head_rows(s.to.dcentre, at_)[first_row_ + i] += dcentre;
      }
    }
  }
}

void RowBlock::after_normaliser(const Gradients& s) {
  float* factor = scratch(Scratch::factors, stride_);
  for (int64_t i = 0; i < rows_; ++i) {
    const WeightRow& row = row_[i];
    float* weights = s.weights[i] + row.begin;
    float* gradient = s.gradient[i] + row.begin;
    if (is_tempered()) {
      gaussian_row(gaussian(i), first_slot(i), open(i), factor);
      multiply_row(weights, factor, open(i));
    }
    if (drops()) {
      keep_row(step_.dropout, element(i, first_slot(i)), open(i), factor);
      multiply_row(weights, factor, open(i));
    }
    if (s.to.dbias.data != nullptr) {
      std::copy(gradient, gradient + open(i),
                head_rows(s.to.dbias, at_)[first_row_ + i] + first_slot(i));
    }
    if (s.scale != 1) {
      scale_row(gradient, gradient, static_cast<float>(s.scale), open(i));
    }
  }
}

void RowBlock::recall(TileRows weights) const {
  constexpr int64_t widest = 16;  // a vector may reach this many floats beyond the open slots
  for (int64_t i = 0; i < rows_; ++i) {
    const WeightRow& row = row_[i];
    float* to = weights[i];
    const float* from = head_rows(step_.report.weights, at_)[first_row_ + i] + all_.begin;
    std::fill(to + std::min(row.first, row.begin / widest * widest), to + row.begin, 0.0F);
    std::copy(from + row.begin, from + row.end, to + row.begin);
    const int64_t reached = (row.end + widest - 1) / widest * widest;
    std::fill(to + row.end, to + std::max(row.last, reached), 0.0F);
  }
}

void RowBlock::gradients(const Gradients& s) {
  load_state();
  const WeightRows rows = weights(s.weights, s.scale);
  const auto* streaming = std::get_if<Streaming>(&step_.normaliser);
  if (streaming != nullptr && streaming->kind == Streaming::Kind::exp && s.means != nullptr &&
      s.scale > 0 && !drops() && !is_tempered() && step_.where.bias.data == nullptr) {
    exp_gradient(rows, s.gradient, s.means, has_weights());
    return;
  }
  if (!has_weights()) {
    reweigh(rows, step_.normaliser);
  }
  before_normaliser(s);
  weigh_gradient(rows, step_.normaliser, s.gradient, s.means);
  after_normaliser(s);
}

}  // namespace heed::cpu
