// topk(k): softmax over the k largest scores, ties to the lower index; the other slots get 0.
#include "heed/ops/topk.h"

#include <limits>

#include "heed/attention/normalisers.h"
#include "heed/config/limits.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/ops/softmax.h"

namespace heed {
namespace {

/// 1 at the k largest of the last axis.
Tensor largest(const Tensor& scores, int64_t k) {
  const int64_t slots = scores.size(-1);
  const int64_t kept = std::min(k, slots);
  const int64_t rows = scores.numel() / slots;
  const Tensor index = reshape(topk(scores.detached(), kept).indices, {rows, kept});
  const Tensor mask = Tensor::zeros({rows, slots, 1}, scores.place());
  const Tensor ones = Tensor::full({rows, kept, 1}, 1, scores.place());
  scores.backend().scatter_add(mask.view(), ones.view(), index.view());
  return reshape(mask, scores.shape());
}

class TopkNormaliser : public Normaliser {
 public:
  void describe(Describer& d) override {
    d.setting("k", k_, {.help = "how many slots share the weight", .least = 1, .most = most_slots});
  }
  Normalised operator()(const Tensor& scores, const Tensor& /*count*/,
                        Pass& /*pass*/) const override {
    const double closed = -std::numeric_limits<double>::infinity();
    return {softmax(select(largest(scores, k_), scores, closed)), {}, {}};
  }
  std::optional<LoweredNormaliser> lower() const override { return Threshold{.k = k_}; }

 private:
  int64_t k_ = 4;
};

}  // namespace

std::unique_ptr<Normaliser> topk_normaliser() { return std::make_unique<TopkNormaliser>(); }

}  // namespace heed
