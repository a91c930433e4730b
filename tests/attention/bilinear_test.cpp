// W of the bilinear score: given in a file, frozen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/attention/scores.h"
#include "heed/base/atomic_file.h"
#include "heed/base/error.h"
#include "heed/base/json.h"
#include "heed/config/apply.h"
#include "tests/base/scratch_directory.h"
#include "tests/support/backends.h"

namespace heed::test::bilinear_test {
namespace {

using ::testing::HasSubstr;

const Place place{&forced("reference"), DType::f64};

std::unique_ptr<Score> score_with(const std::string& path, bool is_frozen) {
  auto score = make_part(scores(), "bilinear");
  Json settings = Json::object();
  settings.set("given", path).set("frozen", is_frozen);
  apply(*score, settings);
  return score;
}

std::string refusal(const std::string& path, const ScoreWidths& widths) {
  try {
    Init init(place, 3);
    score_with(path, false)->build(widths, init);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    return error.what();
  }
  return "";
}

TEST(BilinearScore, TakesWFromAFile) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "w", "1 0 2\n-1 0.5 1e1\n");
  Init init(place, 3);
  const auto score = score_with(scratch / "w", false);
  score->build({2, 3, 1, 1}, init);
  const Tensor q = Tensor::of(std::vector<double>{3, 2}, {1, 1, 1, 1, 2}, place);
  const Tensor k = Tensor::of(std::vector<double>{1, 4, 7, 0, -2, 1}, {1, 1, 2, 3}, place);
  const Tensor e = (*score)(score->prepare_query(q, nullptr), score->prepare(k), {});
  // qᵀW = (3 − 2, 2 · 0.5, 6 + 20) = (1, 1, 26)
  EXPECT_EQ(e.values(), (std::vector<double>{1 + 4 + 26 * 7, -2 + 26}));
  EXPECT_EQ(trained_parameters_of(*score).size(), 1U);
}

TEST(BilinearScore, AllHeadsHaveTheGivenW) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "w", "1 2 3 4");
  Init init(place, 3);
  const auto score = score_with(scratch / "w", true);
  score->build({2, 2, 2, 1}, init);
  EXPECT_EQ(parameter_named(*score, "weight").values(),
            (std::vector<double>{1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_TRUE(trained_parameters_of(*score).empty());
  EXPECT_EQ(parameters_of(*score).size(), 1U);  // still saved
}

TEST(BilinearScore, FrozenWithoutAFileIsAsDrawn) {
  Init one(place, 3);
  Init other(place, 3);
  const auto frozen = score_with("", true);
  const auto learnt = score_with("", false);
  frozen->build({2, 3, 1, 1}, one);
  learnt->build({2, 3, 1, 1}, other);
  EXPECT_EQ(parameter_named(*frozen, "weight").values(),
            parameter_named(*learnt, "weight").values());
  EXPECT_TRUE(trained_parameters_of(*frozen).empty());
}

TEST(BilinearScore, NeedsAsManyNumbersAsChannels) {
  const ScratchDirectory scratch;
  write_atomically(scratch / "few", "1 2 3");
  write_atomically(scratch / "word", "1 2 3 four");
  write_atomically(scratch / "infinite", "1 2 3 inf");
  EXPECT_THAT(refusal(scratch / "few", {2, 2, 1, 1}),
              HasSubstr("there are 3 numbers, not 2 rows of 2"));
  EXPECT_THAT(refusal(scratch / "word", {2, 2, 1, 1}), HasSubstr("after 3 numbers is no number"));
  EXPECT_THAT(refusal(scratch / "infinite", {2, 2, 1, 1}),
              HasSubstr("after 3 numbers is no number"));
  EXPECT_THAT(refusal(scratch / "none", {2, 2, 1, 1}), HasSubstr("none"));
  Init blank = Init::blank(place);  // a model file has W, so that the file is not needed again
  score_with(scratch / "none", false)->build({2, 2, 1, 1}, blank);
}

}  // namespace
}  // namespace heed::test::bilinear_test
