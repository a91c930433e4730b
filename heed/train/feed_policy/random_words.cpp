// random_words: with probability p each fed word is replaced by one drawn uniformly from all words
// of the vocabulary except special tokens. A model that has seen wrong words in training copes
// better with its own mistakes (exposure bias).
#include "heed/ops/arithmetic.h"
#include "heed/ops/cast.h"
#include "heed/ops/compare.h"
#include "heed/ops/elementwise.h"
#include "heed/ops/select.h"
#include "heed/tensor/tape.h"
#include "heed/train/feed_policies.h"
#include "heed/train/schedules.h"

namespace heed {
namespace {

class RandomFeed : public Feed {
 public:
  explicit RandomFeed(double rate) : rate_(rate) {}

  Tensor operator()(const Question& question, Pass& pass) const override {
    const NoGrad no_gradients;
    const Shape& shape = question.right.shape();
    const Place place = question.right.place().with(DType::f32);
    const Tensor chance = Tensor::random(shape, Distribution::uniform, pass.draw(), place);
    const Tensor even = Tensor::random(shape, Distribution::uniform, pass.draw(), place);
    const std::vector<TokenId> special = question.specials.ids();
    const auto count = static_cast<double>(question.words) - static_cast<double>(special.size());
    // Rounding may give the count, which is not a word.
    Tensor other = cast(clamp(floor(affine(even, count)), 0, count - 1), DType::i32);
    for (const TokenId id :
         special) {  // ascending: a word's number among all is past those before it
      other = select(less(other, id), other, affine(other, 1, 1));
    }
    return select(less(chance, rate_), other, question.right);
  }

 private:
  double rate_;
};

class RandomWords : public FeedPolicy {
 public:
  RandomWords() : schedule_(make_part(schedules(), "constant")) {}
  void describe(Describer& d) override {
    d.setting("rate", rate_, {.help = "largest p; the schedule scales it", .least = 0, .most = 1});
    d.part("schedule", schedule_, schedules(), {"how p changes"});
  }
  void check(const Model& model) const override {
    require_fed_words(model);
    require_goes_by_step(*schedule_, "training.feed", "the rate of " + kind());
  }
  std::unique_ptr<Feed> at(const RunProgress& progress) const override {
    const double rate = rate_ * schedule_->factor(progress);
    return rate > 0 ? std::make_unique<RandomFeed>(rate) : nullptr;
  }

 private:
  double rate_ = 0.1;
  std::unique_ptr<Schedule> schedule_;
};

}  // namespace

std::unique_ptr<FeedPolicy> random_words() { return std::make_unique<RandomWords>(); }

}  // namespace heed
