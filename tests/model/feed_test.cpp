// Which words a decoder is fed when it is taught.
#include "heed/model/feed.h"

#include <gtest/gtest.h>

#include "heed/ops/reduce.h"
#include "heed/ops/slice.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/support/tolerance.h"

namespace heed::test::feed_test {
namespace {

class Feeds : public ::testing::TestWithParam<std::string> {
 protected:
  Place place_{&forced("reference"), DType::f64};
  std::unique_ptr<Model> model_ = small_model("gru", GetParam(), place_);
  Batch batch_ = small_batch(place_);

  Tensor logits(const Feed* feed, Pass pass = Pass::serving()) const {
    const NoGrad no_gradients;
    return model_->teach(batch_, {}, pass, feed).logits;
  }
};
INSTANTIATE_TEST_SUITE_P(Decoders, Feeds, ::testing::ValuesIn(autoregressive_decoders()));

class RightWords : public Feed {
 public:
  Tensor operator()(const Question& question, Pass& /*pass*/) const override {
    return question.right;
  }
};

TEST_P(Feeds, TheRightWordsAreTeacherForcingBitForBit) {
  const RightWords right;
  EXPECT_EQ(logits(&right).values(), logits(nullptr).values());
}

class SameWord : public Feed {
 public:
  Tensor operator()(const Question& question, Pass& /*pass*/) const override {
    EXPECT_EQ(question.words, target_words);
    return Tensor::full(question.right.shape(), 5, question.right.place());
  }
};

/// The result is as if the batch's targets were these words, except for the start token.
TEST_P(Feeds, OtherWordsAreFedInTheirStead) {
  const SameWord same;
  std::vector<int32_t> ids;
  for (const int32_t length : batch_.target.lengths()) {
    ids.push_back(batch_.target_in.values<int32_t>().front());
    ids.insert(ids.end(), static_cast<size_t>(length - 1), 5);
  }
  const Tensor other = logits(&same);
  EXPECT_NE(other.values(), logits(nullptr).values());
  batch_.target_in = Tensor::of(ids, {static_cast<int64_t>(ids.size())}, place_.with(DType::i32));
  EXPECT_TRUE(close(other, logits(nullptr)));
}

/// What the model itself thinks most likely there.
class OwnWords : public Feed {
 public:
  Tensor operator()(const Question& question, Pass& /*pass*/) const override {
    const Tensor said = question.logits();
    EXPECT_FALSE(said.needs_gradient());
    words_.push_back(argmax(said, -1));
    return words_.back();
  }
  mutable std::vector<Tensor> words_;
};

TEST_P(Feeds, AModelsOwnWordsAreThoseItSaidBefore) {
  const OwnWords own;
  const Tensor taught = logits(&own);
  std::vector<int32_t> fed;  // the row before says what is fed, but for the start
  const std::vector<int32_t> right = batch_.target_in.values<int32_t>();
  const bool in_two_passes = GetParam() == "transformer";
  const Tensor said = in_two_passes ? logits(nullptr) : taught;
  const std::vector<int32_t> best = argmax(said, -1).values<int32_t>();
  for (size_t b = 0; b < batch_.target.lengths().size(); ++b) {
    const auto start = static_cast<size_t>(batch_.target.starts()[b]);
    fed.push_back(right[start]);
    for (size_t t = 1; t < static_cast<size_t>(batch_.target.lengths()[b]); ++t) {
      fed.push_back(best[start + t - 1]);
    }
  }
  EXPECT_NE(fed, right);
  batch_.target_in = Tensor::of(fed, {static_cast<int64_t>(fed.size())}, place_.with(DType::i32));
  EXPECT_TRUE(close(taught, logits(nullptr)));
  EXPECT_EQ(own.words_.size(), in_two_passes ? 1U : static_cast<size_t>(batch_.target.width() - 1));
}

}  // namespace
}  // namespace heed::test::feed_test
