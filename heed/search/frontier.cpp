#include "heed/search/frontier.h"

#include <algorithm>
#include <limits>

#include "heed/base/inline_vector.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/compare.h"
#include "heed/ops/copies.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/gather.h"
#include "heed/ops/lengths.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/ops/slice.h"
#include "heed/ops/topk.h"

namespace heed {
namespace {

constexpr double lowest = -std::numeric_limits<double>::infinity();

/// x [F, n] at `index` [F, C] → [F, C].
Tensor columns(const Tensor& x, const Tensor& index) {
  return squeeze(gather_rows(unsqueeze(x, 2), index), 2);
}

}  // namespace

Tensor without_words(const Tensor& x, const Tensor& ids, std::span<const TokenId> closed) {
  Tensor open = x;
  for (const TokenId id : closed) {
    open = select(equal(ids, id), lowest, open);
  }
  return open;
}

Tensor closing(int64_t words, std::span<const TokenId> closed, const Place& place) {
  return without_words(Tensor::zeros({words}, place), positions(words, place), closed);
}

Chosen best_of(const Candidates& candidates, const Tensor& merit, int64_t count) {
  const TopK best = topk(merit, std::min(count, merit.size(1)));
  return {columns(candidates.ids, best.indices), best.indices,
          columns(candidates.log_probability, best.indices),
          columns(candidates.total, best.indices), candidates.words_per_row};
}

Tensor Chosen::packed() const {
  Tensor out = Tensor::empty({3, ids.size(0), ids.size(1)}, log_probability.place());
  InlineVector<CopyPair, 3> copies;
  InlineVector<Tensor, 3> dense;
  int64_t row = 0;
  for (const Tensor* part : {&ids, &number, &log_probability}) {
    const View to = sliced(out.view(), 0, row++, 1);
    if (part->defined()) {
      copies.push_back({to, *reshaped(dense.push_back(part->dense()).view(), to.shape)});
    } else {
      out.backend().fill(to, 0);
    }
  }
  copy_all(out.backend(), {copies.begin(), copies.size()});
  return out;
}

Frontier::Frontier(int64_t width, std::vector<TokenId> last, const Place& place)
    : width_(width), last_(std::move(last)), place_(place) {}

void Frontier::arrange(std::span<const int32_t> rows, std::span<const float> scores) {
  const auto cells = static_cast<int64_t>(rows.size());
  is_full_ = true;
  for (size_t cell = 0; cell < rows.size(); ++cell) {
    is_full_ = is_full_ && rows[cell] == static_cast<int32_t>(cell);
  }
  rows_ = Tensor::of(rows, {cells}, place_.with(DType::i32));
  rescore(scores);
}

void Frontier::rescore(std::span<const float> scores) {
  scores_ = Tensor::of(scores, {static_cast<int64_t>(scores.size()) / width_, width_}, place_);
}

Tensor Frontier::by_beam(const Tensor& x) const {
  return reshape(is_full_ ? x : gather_rows(x, rows_), {beams(), width_, x.size(1)});
}

Candidates Frontier::candidates(const RowWords& words) const {
  const int64_t k = words.ids.size(1);
  const Shape flat{beams(), width_ * k};
  const Tensor log_p = by_beam(words.log_probability);
  return {reshape(by_beam(words.ids), flat), reshape(log_p, flat),
          reshape(unsqueeze(scores_, 2) + log_p, flat), k};
}

Chosen Frontier::in_order(const RowWords& words) const {
  const int64_t k = words.ids.size(1);
  const Tensor log_p = reshape(by_beam(words.log_probability), {beams(), k});
  return {reshape(by_beam(words.ids), {beams(), k}), {}, log_p, log_p, k};
}

Frontier::Continuing Frontier::go_on(const Chosen& chosen) {
  // Picks the first `width_` continuations that do not end, in the order in which they were chosen.
  const Tensor rank = positions(chosen.ids.size(1), place_);
  const Tensor open = select(less(lowest, chosen.total), -rank, lowest);
  const TopK best = topk(without_words(open, chosen.ids, last_), width_);
  const Tensor beam = unsqueeze(positions(beams(), place_), 1);
  Tensor row = affine(beam, static_cast<double>(width_));  // the beam's first row
  if (chosen.number.defined()) {
    const Tensor number = cast(columns(chosen.number, best.indices), place_.dtype);
    const double k = static_cast<double>(chosen.words_per_row);
    // ⌊number / k⌋; the added half keeps rounding errors from reaching the wrong whole number.
    row = row + floor(affine(number, 1 / k, 0.5 / k));
  }
  const Tensor total =
      select(less(lowest, best.values), columns(chosen.total, best.indices), lowest);
  scores_ = total - slice(total, 1, 0, 1);
  const int64_t rows = beams() * width_;
  return {reshape(columns(chosen.ids, best.indices), {rows}),
          reshape(cast(row, DType::i32), {rows})};
}

}  // namespace heed
