// Independent samples by the Gumbel-max trick:
//
//   q_i ∝ p_i^(1/T)       T: temperature
//   kept: the k largest q_i, and among these the fewest that together reach probability p (Holtzman
//         2020), with all words as likely as the last of them
//   word = argmax over the kept words of ln q_i + g_i,    g_i = −ln(−ln u_i)
//
// u is keyed by (seed, sentence, sample, position) and the word, so it depends neither on the batch
// nor on threads.
#include <limits>

#include "heed/config/limits.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/compare.h"
#include "heed/ops/gather.h"
#include "heed/ops/gumbel.h"
#include "heed/ops/lengths.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/ops/softmax.h"
#include "heed/ops/topk.h"
#include "heed/search/sentence_settings.h"
#include "heed/search/strategies.h"

namespace heed {
namespace {

constexpr double closed = -std::numeric_limits<double>::infinity();

/// The least probability in the nucleus, [Q, 1], by bisection to 2⁻³⁰: the words that are at least
/// as likely reach `share` together, the likelier ones alone do not.
Tensor nucleus_bound(const Tensor& p, double share) {
  Tensor low = Tensor::zeros({p.size(0), 1}, p.place());
  Tensor high = max(p, 1, true);
  for (int halving = 0; halving < 30; ++halving) {
    const Tensor middle = affine(low + high, 0.5);
    const Tensor reached = sum(select(less(p, middle), 0, p), {1}, true);
    const Tensor falls_short = less(reached, share);
    low = select(falls_short, low, middle);
    high = select(falls_short, middle, high);
  }
  return low;
}

class Sampling : public Strategy {
 public:
  void describe(Describer& d) override {
    d.setting("temperature", temperature_,
              {.help = "for --sample: below 1 prefers likely words, above 1 gives more variety",
               .least = 1e-6,
               .most = most_factor});
    d.setting("top_k", top_k_,
              {.help = "for --sample: draw from the k likeliest words; 0: from all",
               .least = 0,
               .most = most_words});
    d.setting("top_p", top_p_,
              {.help = "for --sample: draw from the fewest words that together reach probability p",
               .least = 1e-6,
               .most = 1});
  }
  std::unique_ptr<Strategy> copy() const override { return std::make_unique<Sampling>(*this); }
  void prepare(const SentenceSettings& settings) override { samples_ = settings.n_best; }
  std::vector<double> likeness() const override {
    return {temperature_, static_cast<double>(top_k_), top_p_, static_cast<double>(samples_)};
  }
  bool draws() const override { return true; }
  int64_t beams() const override { return samples_; }
  int64_t width() const override { return 1; }
  int64_t words_per_row() const override { return 1; }

  Chosen choose(const StepScores& scores) override {
    Tensor id = drawn(scores);  // [Q]
    if (scores.forced.defined()) {
      id = select(less(-1, scores.forced), scores.forced, id);
    }
    const Tensor logit = unsqueeze(pick(scores.logits, id), 1);
    // A closed word is drawn only where all are closed.
    const Tensor log_p = without_words_of_rows(logit - scores.words.most - scores.words.loss,
                                               unsqueeze(id, 1), scores.closed);
    const auto by_beam = [&](const Tensor& x) {
      return squeeze(scores.frontier.by_beam(x), 1);  // [F, 1]
    };
    const Tensor ids = by_beam(unsqueeze(id, 1));
    const Tensor words = by_beam(log_p);
    return {ids, {}, words, words, 1};
  }

 private:
  Tensor drawn(const StepScores& scores) const {
    const Tensor& logits = scores.logits;
    const int64_t rows = logits.size(0);
    const int64_t words = logits.size(1);
    const Tensor noise =
        reshape(gumbel_rows({rows, 1, words}, {}, scores.keys, logits.place()), {rows, words});
    const Tensor id = positions(words, logits.place().with(DType::i32));
    const Tensor tempered = without_words_of_rows(
        affine(logits, 1 / temperature_) + closing(words, suppressed(), logits.place()),
        unsqueeze(id, 0), scores.closed);
    if (top_k_ == 0 || top_k_ >= words) {
      return argmax(nucleus(tempered) + noise, 1);
    }
    const TopK best = topk(tempered, top_k_);
    const Tensor theirs = squeeze(gather_rows(unsqueeze(noise, 2), best.indices), 2);
    return pick(best.indices, argmax(nucleus(best.values) + theirs, 1));
  }
  /// Scores [Q, n] with −∞ outside the nucleus.
  Tensor nucleus(const Tensor& x) const {
    if (top_p_ == 1) {
      return x;
    }
    const Tensor p = softmax(x);
    return select(less(p, nucleus_bound(p, top_p_)), closed, x);
  }

  double temperature_ = 1;  // q_i ∝ p_i^(1/temperature),
  int64_t top_k_ = 0;       // among the k likeliest words (0: all),
  double top_p_ = 1;        // among the fewest that together reach this probability
  int64_t samples_ = 1;
};

}  // namespace

std::unique_ptr<Strategy> sample_strategy() { return std::make_unique<Sampling>(); }

}  // namespace heed
