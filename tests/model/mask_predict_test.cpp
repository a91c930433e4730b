// A decoder that fills all positions at once: what it is taught is what it fills, and masks are drawn by
// key.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "heed/ops/arithmetic.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/nn/leaves.h"
#include "tests/support/directional.h"
#include "tests/support/tolerance.h"

namespace heed::test::mask_predict_test {
namespace {

using ::testing::HasSubstr;

const Place here{&forced("reference"), DType::f64};
constexpr std::array<Special, 1> mask_too = {Special::mask};

std::unique_ptr<Model> filling_model(const std::string& more = "{}") {
  auto model = std::make_unique<Model>();
  apply(*model, parse_json(R"({"embedding": 8, "encoder": {"kind": "gru", "width": 8},
    "decoder": {"kind": "mask_predict", "width": 8, "depth": 2, "length_range": 4,
                "feed_forward": {"width": 8}}})",
                           "test"));
  apply(*model, parse_json(more, "test"));
  Init init(here, 21);
  model->build(RowForm::ids(source_words), RowForm::ids(target_words, SpecialTokens(mask_too)),
               init);
  move_parameters(*model);
  return model;
}

/// As small_batch, but word 3 is the mask.
Batch words_batch() {
  return batch_of_ids({{3, 4, 5, 6}, {7, 3}, {10, 9, 8, 3, 4}}, {{4, 4, 5}, {8, 7, 6, 6, 4}, {6}},
                      here);
}

Tensor filled(const Model& model, const Batch& batch, const std::vector<int32_t>& seen) {
  Pass pass = Pass::serving();
  const Remembered memory = model.remember(batch.source, pass);
  const Tensor ids = Tensor::of(seen, {static_cast<int64_t>(seen.size())}, here.with(DType::i32));
  return model.parallel().fill(memory, {ids, batch.target}, pass).logits;
}

TEST(MaskPredict, TeachesWhatItFills) {
  const NoGrad no_grad;
  const auto model = filling_model();
  const Batch batch = words_batch();
  const std::vector<int32_t> right = batch.target_out.values<int32_t>();
  size_t hidden_in_training = 0;
  for (uint64_t step = 0; step <= 20; ++step) {
    Pass pass = step == 0 ? Pass::serving() : Pass::training(5, step);
    const Decoded taught = model->teach(batch, {}, pass);
    const std::vector<int32_t> targets = taught.targets.values<int32_t>();
    std::vector<int32_t> seen;
    size_t hidden = 0;
    for (size_t n = 0; n < right.size(); ++n) {
      seen.push_back(targets[n] < 0 ? right[n] : 3);
      hidden += targets[n] < 0 ? 0 : 1;
      EXPECT_TRUE(targets[n] < 0 || targets[n] == right[n]);
      EXPECT_TRUE(right[n] != 0 || targets[n] < 0) << "an end is never hidden";
    }
    EXPECT_TRUE(close(taught.logits, filled(*model, batch, seen), 16));
    EXPECT_TRUE(pass.trains() || hidden == 9) << "all words are hidden when it serves";
    hidden_in_training += pass.trains() ? hidden : 0;
  }
  EXPECT_GT(hidden_in_training, 45U);  // of 20 × 9 words about half
  EXPECT_LT(hidden_in_training, 135U);
}

TEST(MaskPredict, SeesWordsBeforeAndBehind) {
  const NoGrad no_grad;
  const auto model = filling_model();
  const Batch batch = batch_of_ids({{3, 4, 5}}, {{4, 5, 6}}, here);
  const std::vector<double> a = filled(*model, batch, {4, 3, 6, 0}).values();
  const std::vector<double> b = filled(*model, batch, {5, 3, 6, 0}).values();
  const std::vector<double> c = filled(*model, batch, {4, 3, 7, 0}).values();
  const size_t at = target_words;  // the masked position in the middle
  EXPECT_NE(a[at], b[at]);
  EXPECT_NE(a[at], c[at]);
}

/// The share that is hidden is drawn evenly, so 0, 1, 2 and 3 of 3 words are equally likely.
TEST(MaskPredict, HidesAnyNumberOfWordsEquallyOften) {
  const NoGrad no_grad;
  const auto model = filling_model();
  constexpr size_t sentences = 2000;
  const Batch batch =
      batch_of_ids(IdSequences(sentences, {3, 4, 5}), IdSequences(sentences, {4, 5, 6}), here);
  Pass pass = Pass::training(1, 1);
  const std::vector<int32_t> targets = model->teach(batch, {}, pass).targets.values<int32_t>();
  std::array<int, 4> times{};
  std::array<int, 3> each{};
  for (size_t b = 0; b < sentences; ++b) {
    size_t hidden = 0;
    for (size_t i = 0; i < 3; ++i) {
      const bool is_hidden = targets[4 * b + i] >= 0;
      hidden += is_hidden ? 1 : 0;
      each[i] += is_hidden ? 1 : 0;
    }
    ++times[hidden];
  }
  for (const int count : times) {
    EXPECT_NEAR(count, 500, 100);  // a deviation of 19
  }
  for (const int count : each) {
    EXPECT_NEAR(count, 1000, 110);
  }
  Pass again = Pass::training(1, 1);
  EXPECT_EQ(model->teach(batch, {}, again).targets.values<int32_t>(), targets);
  Pass other = Pass::training(1, 2);
  EXPECT_NE(model->teach(batch, {}, other).targets.values<int32_t>(), targets);
}

TEST(MaskPredict, LengthsCountFromTheSource) {
  const NoGrad no_grad;
  const auto model = filling_model();
  const Batch batch = words_batch();
  Pass pass = Pass::serving();
  const LengthScores scores = model->parallel().lengths(model->remember(batch.source, pass), pass);
  EXPECT_EQ(scores.logits.shape(), (Shape{3, 9}));
  EXPECT_THAT(scores.first, ::testing::ElementsAre(4 - 4, 2 - 4, 5 - 4));
}

TEST(MaskPredict, GradientsAgreeWithFiniteDifferences) {
  const auto model = filling_model();
  const Batch batch = words_batch();
  const std::vector<Tensor> leaves = leaves_of(*model);
  EXPECT_TRUE(gradient_agrees(
      leaves,
      [&] {
        Pass pass = Pass::serving();
        const Decoded said = model->teach(batch, {}, pass);
        const std::vector<int32_t> columns = {3, 7, 0};
        const Tensor wanted = Tensor::of(columns, {3}, here.with(DType::i32));
        return sum(cross_entropy(said.logits, said.targets)) +
               sum(cross_entropy(said.lengths->logits, wanted));
      },
      2, 1e-5));
}

TEST(MaskPredict, NeedsAMask) {
  Model model;
  apply(model, parse_json(R"({"decoder": "mask_predict"})", "test"));
  EXPECT_THAT(model.needed_specials(), ::testing::ElementsAre(Special::mask));
  Init init(here, 1);
  try {
    model.build(RowForm::ids(source_words), RowForm::ids(target_words), init);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("lacks mask, the special token that mask_predict needs"));
  }
}

}  // namespace
}  // namespace heed::test::mask_predict_test
