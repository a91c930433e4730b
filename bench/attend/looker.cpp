#include "bench/attend/looker.h"

#include <limits>
#include <optional>

#include "heed/attention/fused.h"
#include "heed/backend/all/backends.h"
#include "heed/nn/pass.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/compare.h"
#include "heed/ops/matmul.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// Windows of 64 slots to either side.
class Wide : public Describer {
 public:
  void setting(const char* /*name*/, Setting& setting) override {
    if (std::string_view(setting.type()) == "int") {
      setting.assign(64);
    }
  }
};

}  // namespace

Looker::Looker(const Asked& asked)
    : asked_(asked),
      place_{&find_backend("cpu"), DType::f32},
      score_(make_part(scores(), asked.score)),
      normaliser_(make_part(normalisers(), asked.normaliser)),
      query_(normal({asked.b, asked.h, 1, asked.t, asked.d}, 1)),
      keys_(normal({asked.b, asked.h, asked.s, asked.d}, 2)),
      values_(normal({asked.b, asked.h, asked.s, asked.d}, 3)),
      seed_(normal({asked.b, asked.h, 1, asked.t, asked.d}, 4)) {
  Init init(place_, 7);
  score_->build({asked.d, asked.d, asked.h, 1}, init);
  const std::vector<int32_t> rows(static_cast<size_t>(asked.b), static_cast<int32_t>(asked.t));
  const std::vector<int32_t> slots(static_cast<size_t>(asked.b), static_cast<int32_t>(asked.s));
  geometry_ =
      Geometry({.queries = Layout::packed(rows, place_), .memory_lengths = slots, .place = place_});
  focus_.push_back(make_part(focuses(), asked.focus));
  Wide wide;
  focus_[0]->describe(wide);
  focus_[0]->build({asked.d, asked.h, 1}, init);
  if (!asked.trains) {
    const NoGrad no_grad;
    prepared_ = score_->prepare(keys_);
    kernel_keys_ = score_->kernel_keys(prepared_);
  }
  for (Tensor* leaf : {&query_, &keys_, &values_}) {
    leaf->watch();
  }
}

bool Looker::has_kernel() const {
  const auto normaliser = normaliser_->lower();
  const auto score = score_->lower(score_->prepare_query(query_, nullptr), keys_);
  return normaliser && score && plan_fused(*score, *normaliser, Where(), values_);
}

void Looker::look() {
  std::optional<NoGrad> quiet;
  if (!asked_.trains) {
    quiet.emplace();
  }
  const Where where = where_to_look(focus_, {geometry_, query_, Tensor(), asked_.s, asked_.trains});
  const Tensor prepared = asked_.trains ? score_->prepare(keys_) : prepared_;
  const Tensor contexts =
      asked_.way == "fused" ? fused(where, prepared) : composed(where, prepared);
  if (asked_.trains) {
    contexts.backward(seed_);
    for (Tensor* leaf : {&query_, &keys_, &values_}) {
      leaf->clear_gradient();
    }
  }
}

Tensor Looker::normal(const Shape& shape, uint64_t number) const {
  return Tensor::random(shape, Distribution::normal, {1, 0, number}, place_);
}

Tensor Looker::fused(const Where& where, const Tensor& prepared) const {
  auto score = *score_->lower(score_->prepare_query(query_, nullptr), prepared);
  if (auto* additive = std::get_if<Additive>(&score)) {
    additive->kernel_keys = kernel_keys_;
  }
  const LoweredNormaliser normaliser = *normaliser_->lower();
  return attend_fused({.score = score,
                       .normaliser = normaliser,
                       .where = where,
                       .values = values_,
                       .plan = *plan_fused(score, normaliser, where, values_),
                       .dropout = {},
                       .precision = asked_.precision,
                       .wants_weights = asked_.report == "weights",
                       .wants_argmax = asked_.report == "argmax",
                       .wants_entropy = asked_.report == "entropy"})
      .contexts;
}

/// As attention/attend.cpp composes it.
Tensor Looker::composed(const Where& where, const Tensor& prepared) const {
  const Tensor slot = slot_numbers(asked_.s, query_);
  const Tensor open = within(slot, unsqueeze(where.lo, 4), unsqueeze(where.hi, 4));
  const Tensor closed = Tensor::full({1}, -std::numeric_limits<double>::infinity(), place_);
  const Tensor scores = select(open, (*score_)(query_, prepared, Tensor()), closed);
  Pass pass = Pass::serving();
  const Tensor weights = (*normaliser_)(scores, unsqueeze(where.count, 4), pass).weights;
  return matmul(weights, unsqueeze(values_, 2));
}

}  // namespace heed
