// Which decoders of a model a search asks, and that asking several is an ensemble of them.
#include "heed/search/scorers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/search/search.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"

namespace heed::test::scorers_test {
namespace {

using ::testing::HasSubstr;

const Place place{&forced("cpu"), DType::f32};

std::unique_ptr<Model> model_with_three() {
  return small_model("gru", "attend_first", place, R"({"decoders": {
    "second": {"kind": "attend_after", "width": 8, "embedding": 8}, "tags": "labels"}})");
}

std::string refusal(const Model& model, const std::string& combine) {
  try {
    scorers_of(model, {combine});
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    return error.what();
  }
  return "nothing was refused";
}

TEST(Scorers, AreTheMainDecoderAndThoseThatAreNamed) {
  const auto model = model_with_three();
  const std::vector<Scorer> alone = scorers_of(*model, {});
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_EQ(alone[0].decoder, &model->decoder());
  EXPECT_EQ(alone[0].weight, 1);
  const std::vector<Scorer> both = scorers_of(*model, {"second=0.25", "main=0.75"});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].weight, 0.75);
  EXPECT_EQ(both[1].decoder, &model->decoder("second"));
  EXPECT_EQ(both[1].weight, 0.25);
  EXPECT_EQ(scorers_of(*model, {"second"})[1].weight, 1);
  EXPECT_THAT(refusal(*model, "secnd"), HasSubstr("choose one of main, second, tags"));
  EXPECT_THAT(refusal(*model, "tags"), HasSubstr("tags is a decoder of the kind labels"));
  for (const char* wrong :
       {"second=", "second=x", "second=0", "second=-1", "second=1x", "second=inf", "second=nan"}) {
    EXPECT_THAT(refusal(*model, wrong), HasSubstr("NAME=WEIGHT")) << wrong;
  }
}

TEST(Scorers, OfOneModelSpeakAsMembersOfASearch) {
  const NoGrad no_grad;
  const auto model = model_with_three();
  const Batch batch = small_batch(place);
  SearchOptions options;
  options.beam = options.n_best = 5;
  options.max_length = 6;
  options.ensemble = "log_probability";
  Pass pass = Pass::serving();
  const Encoded encoded = model->encode(batch.source, pass);
  std::vector<Scorer> members;
  for (const char* name : {"main", "second"}) {
    const auto& decoder = *as<Autoregressive>(model->decoder(name));
    members.push_back(
        {.decoder = &decoder,
         .weight = members.empty() ? 1.0 : 0.5,
         .memory = std::make_shared<const Remembered>(decoder.remember(encoded, pass))});
  }
  const auto expected = search(members, {}, place, options);
  const auto alone = search(*model, batch, options);
  options.combine = {"second=0.5"};
  const auto found = search(*model, batch, options);
  ASSERT_EQ(found.size(), expected.size());
  bool differs = false;
  for (size_t s = 0; s < found.size(); ++s) {
    EXPECT_EQ(found[s].front().ids, expected[s].front().ids);
    EXPECT_EQ(found[s].front().log_probability, expected[s].front().log_probability);
    differs = differs || found[s].front().log_probability != alone[s].front().log_probability;
  }
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace heed::test::scorers_test
