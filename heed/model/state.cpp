#include "heed/model/state.h"

#include <algorithm>

#include "heed/attention/cache.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/gather.h"
#include "heed/ops/reshape.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// x [Q, …] → row q is x's row parent[q].
Tensor chosen_rows(const Tensor& x, const Tensor& parent) {
  const int64_t width = x.numel() / std::max<int64_t>(x.size(0), 1);
  const Tensor rows = gather_rows(reshape(x, {x.size(0), width}), parent);
  return reshape(rows, x.shape().with(0, parent.size(0)));
}

Tensor index_of(std::span<const int32_t> numbers, const Place& place) {
  return Tensor::of(numbers, {static_cast<int64_t>(numbers.size())}, place.with(DType::i32));
}

}  // namespace

State::State(std::shared_ptr<const Remembered> memory, std::span<const int32_t> memory_of,
             const Place& place)
    : memory_(std::move(memory)), place_(place) {
  position_ = Tensor::zeros({static_cast<int64_t>(memory_of.size())}, place.with(DType::i32));
  look_across(memory_of);
}

void State::look_across(std::span<const int32_t> memory_of) {
  memory_of_ = index_of(memory_of, place_);
  const std::vector<int32_t> ones(memory_of.size(), 1);
  across_ = Geometry({.queries = Layout::packed(ones, place_),
                      .memory_lengths = memory_->lengths,
                      .memory_of = memory_of,
                      .place = place_});
}

void State::advance() {
  position_ = affine(position_, 1, 1);
  ++words_;
}

void State::move_rows(const Tensor& parent) {
  for (Tensor& tensor : carried) {
    tensor = tensor.defined() ? chosen_rows(tensor, parent) : tensor;
  }
  for (Memory& cache : caches) {
    if (cache.defined()) {
      reorder_cache(cache, parent, words_);
    }
  }
}

void State::reorder(const Tensor& parent) {
  const NoGrad no_grad;
  require(parent.size(0) == hypotheses(), "state: saw {} parents of {} hypotheses", parent.size(0),
          hypotheses());
  move_rows(parent);
  position_ = chosen_rows(position_, parent);
}

void State::select(std::span<const int32_t> rows) {
  const NoGrad no_grad;
  std::vector<int32_t> memory_of;
  for (const int32_t row : rows) {
    require(row >= 0 && row < hypotheses(), "state: saw parent {} of {} hypotheses", row,
            hypotheses());
    memory_of.push_back(across_.memory_of()[static_cast<size_t>(row)]);
  }
  const Tensor parent = index_of(rows, place_);
  move_rows(parent);
  position_ = chosen_rows(position_, parent);
  look_across(memory_of);
}

}  // namespace heed
