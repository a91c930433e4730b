// scheduled_sampling: with probability p each fed word is the model's own instead of the right one
// (Bengio 2015), so that in training it meets the mistakes that it will make.
//
//   p = last + (first − last) ε,     ε the schedule, which falls from 1 towards 0
//
// The model's own word is drawn from its prediction, by the Gumbel-max trick, or is its likeliest
// one. A recurrent decoder predicts it in the step before, so that its own words may follow each
// other. A Transformer computes all positions at once: a first pass sees the right words only, and
// its words are mixed in for the second pass, which is trained (Mihaylova and Martins 2019). No
// gradient flows through the choice.
//
// Tokens that no output contains are never fed. Nothing follows an end token when a model serves,
// so that where the own word is the end, the right one is fed.
#include "heed/ops/arithmetic.h"
#include "heed/ops/compare.h"
#include "heed/ops/gumbel.h"
#include "heed/ops/lengths.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/search/frontier.h"
#include "heed/tensor/tape.h"
#include "heed/train/feed_policies.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

enum class OwnWord { sample, argmax };

/// Gumbel noise [n, words]. Where rows have keys of their own, it is the noise of a search that
/// samples.
Tensor word_noise(const Tensor& logits, Pass& pass) {
  if (!pass.row_keys().defined()) {
    return gumbel_like(logits, pass.draw());
  }
  const int64_t rows = logits.size(0);
  const int64_t words = logits.size(1);
  return reshape(gumbel_rows({rows, 1, words}, {}, pass.row_keys(), logits.place()), {rows, words});
}

class OwnWords : public Feed {
 public:
  OwnWords(double probability, OwnWord which) : probability_(probability), which_(which) {}

  Tensor operator()(const Question& question, Pass& pass) const override {
    const NoGrad no_gradients;
    const Tensor& right = question.right;
    const Place place = right.place().with(DType::f32);
    const Tensor chance = Tensor::random(right.shape(), Distribution::uniform, pass.draw(), place);
    const Tensor logits = question.logits();
    const Tensor ids = positions(logits.size(1), logits.place());
    const Tensor open = without_words(logits, ids, question.specials.suppressed());
    const Tensor own = argmax(which_ == OwnWord::sample ? open + word_noise(open, pass) : open, 1);
    const Tensor goes_on = select(equal(own, question.specials.end()), right, own);
    return select(less(chance, probability_), goes_on, right);
  }

 private:
  double probability_;
  OwnWord which_;
};

class ScheduledSampling : public FeedPolicy {
 public:
  ScheduledSampling() : schedule_(make_part(schedules(), "linear")) {}

  void describe(Describer& d) override {
    d.setting("first", first_,
              {.help = "p where the schedule is at its largest, 1", .least = 0, .most = 1});
    d.setting("last", last_, {.help = "p where the schedule is at 0", .least = 0, .most = 1});
    d.part("schedule", schedule_, schedules(), {"how p goes from first to last"});
    d.setting("word", which_, {{"sample", OwnWord::sample}, {"argmax", OwnWord::argmax}},
              {"the model's own word: drawn from its prediction, or its likeliest one"});
  }
  void check(const Model& model) const override {
    require_fed_words(model);
    require_goes_by_step(*schedule_, "training.feed", "the rate of " + kind());
  }
  std::unique_ptr<Feed> at(const RunProgress& progress) const override {
    const double p = last_ + (first_ - last_) * schedule_->factor(progress);
    return p > 0 ? std::make_unique<OwnWords>(p, which_) : nullptr;
  }

 private:
  double first_ = 0;
  double last_ = 0.25;
  OwnWord which_ = OwnWord::sample;
  std::unique_ptr<Schedule> schedule_;
};

}  // namespace

std::unique_ptr<FeedPolicy> scheduled_sampling() { return std::make_unique<ScheduledSampling>(); }

}  // namespace heed
