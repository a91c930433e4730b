// Normalisers that choose one slot a row.
//
//   gumbel(τ)   training:  y = softmax((e + g)/τ),   g = −log(−log u)
//                          The weights are 1 at argmax y; their gradient is y's (straight-through).
//               decoding:  1 at argmax e.
//   hard        training:  s_i ~ Multinoulli(softmax(e_i))   (Xu 2015 §4.1)
//               decoding:  argmax e, or a sample.
//                          No gradient passes through the choice: REINFORCE gets log p(s_i) and
//                          the distribution.
//               mix m:     in training, with probability m the rows of a source use softmax(e_i)
//                          itself, through which the gradient passes, and choose no slot. It is
//                          drawn once for each source, all of its rows, heads and blocks (Xu 2015
//                          §4.1: "with probability 0.5 for a given image"), or for each row.
#include <limits>

#include "heed/attention/normalisers.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/compare.h"
#include "heed/ops/gather.h"
#include "heed/ops/gumbel.h"
#include "heed/ops/permute.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/ops/softmax.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor one_hot_like(const Tensor& scores, const Tensor& index) {
  const int64_t slots = scores.size(-1);
  const int64_t rows = scores.numel() / slots;
  const Tensor hot = Tensor::zeros({rows, slots, 1}, scores.place());
  const Tensor ones = Tensor::full({rows, 1, 1}, 1, scores.place());
  const Tensor flat = reshape(index.detached(), {rows, 1});
  scores.backend().scatter_add(hot.view(), ones.view(), flat.view());
  return reshape(hot, scores.shape()) *
         less(-std::numeric_limits<double>::infinity(), scores.detached());
}

namespace {

/// Gumbel-max: argmax(e + g) is a sample of softmax(e). In a search, row r of memory m draws by its
/// own keys, [M, R, 3], so that samples depend neither on the batch nor on its longest source.
Tensor with_noise(const Tensor& scores, Pass& pass) {
  if (!pass.row_keys().defined()) {
    return scores + gumbel_like(scores, pass.draw());
  }
  const Shape& grid = scores.shape();  // [M, G, P, R, S]
  const int64_t rows = grid[0] * grid[3];
  const Tensor noise = gumbel_rows({rows, grid[1] * grid[2], grid[4]}, pass.draw().key,
                                   reshape(pass.row_keys(), {rows, 3}), scores.place());
  const Shape by_row{grid[0], grid[3], grid[1], grid[2], grid[4]};
  return scores + permute(reshape(noise, by_row), {0, 2, 3, 1, 4});
}

class GumbelNormaliser : public Normaliser {
 public:
  void describe(Describer& d) override {
    d.setting("temperature", temperature_, {.help = "τ", .least = 1e-3, .most = 1e3});
  }
  Normalised operator()(const Tensor& scores, const Tensor& /*count*/, Pass& pass) const override {
    if (!pass.trains()) {
      return {one_hot_like(scores, argmax(scores, -1)), {}, {}};
    }
    const Tensor soft = softmax(affine(with_noise(scores, pass), 1 / temperature_, 0));
    const Tensor hot = one_hot_like(scores, argmax(soft, -1));
    return {record(hot, {soft}, [](Gradients& g) { g.add(0, g.of()); }), {}, soft};
  }

 private:
  double temperature_ = 1;
};

enum class Decode { argmax, sample };
enum class MixOf { source, row };

class HardNormaliser : public Normaliser {
 public:
  void describe(Describer& d) override {
    d.setting("decode", decode_, {{"argmax", Decode::argmax}, {"sample", Decode::sample}},
              {"how a slot is chosen when decoding"});
    d.setting("mix", mix_,
              {.help = "in training, the probability that soft weights are used instead of a "
                       "sample (Xu 2015: 0.5)",
               .least = 0,
               .most = 1});
    d.setting("mix_of", mix_of_, {{"source", MixOf::source}, {"row", MixOf::row}},
              {"what draws that probability: each source once (Xu 2015), or each row"});
  }
  Normalised operator()(const Tensor& scores, const Tensor& /*count*/, Pass& pass) const override {
    const bool samples = pass.trains() || decode_ == Decode::sample;
    const Tensor chosen = argmax(samples ? with_noise(scores.detached(), pass) : scores, -1);
    const Tensor hot = one_hot_like(scores, chosen);
    // Rows that see nothing choose nothing: log p = 0.
    const Tensor log_p = sum(select(hot, log_softmax(scores), 0), {-1}, false);
    const Tensor soft = softmax(scores);
    if (!pass.trains() || mix_ == 0) {
      return {hot, log_p, soft};
    }
    const Tensor is_soft = less(chances(log_p.shape(), pass, scores.place()), mix_);
    return {select(unsqueeze(is_soft, 4), soft, hot), select(is_soft, 0, log_p), soft};
  }
  bool passes_gradient() const override { return false; }
  bool draws_when_decoding() const override { return decode_ == Decode::sample; }

 private:
  /// Uniform numbers [M, G, P, R]. Those of sources are the same whenever this pass asks for them.
  Tensor chances(const Shape& rows, Pass& pass, const Place& place) const {
    DrawKey key = pass.draw();
    if (mix_of_ == MixOf::row) {
      return Tensor::random(rows, Distribution::uniform, key, place);
    }
    key.key.stream = stream_named("mix of sources");
    const Tensor of_source = Tensor::random({rows[0], 1, 1, 1}, Distribution::uniform, key, place);
    return of_source + Tensor::zeros(rows, place);
  }

  Decode decode_ = Decode::argmax;
  MixOf mix_of_ = MixOf::source;
  double mix_ = 0;
};

}  // namespace

std::unique_ptr<Normaliser> gumbel() { return std::make_unique<GumbelNormaliser>(); }
std::unique_ptr<Normaliser> hard() { return std::make_unique<HardNormaliser>(); }

}  // namespace heed
