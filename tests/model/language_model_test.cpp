// A model without an encoder: decoders that can do without a source, and the refusal of those that
// cannot. That teaching equals stepping, and that gradients are right, is tested where every encoder is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/data/fields.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"
#include "tests/support/tolerance.h"

namespace heed::test::language_model_test {
namespace {

using ::testing::HasSubstr;

const Place place{&forced("far"), DType::f32};

TEST(LanguageModel, DoesNotDependOnASource) {
  const NoGrad no_grad;
  for (const std::string& decoder : autoregressive_decoders("none")) {
    const auto model = small_model("none", decoder, place);
    const SmallPairs pairs;
    IdSequences others = pairs.source;
    std::swap(others[0], others[2]);
    Pass pass = Pass::serving();
    const auto logits = [&](const IdSequences& source) {
      const Batch batch = batch_of_ids(source, pairs.target, place);
      return model->teach(batch, {}, pass).logits.values<float>();
    };
    EXPECT_EQ(logits(pairs.source), logits(others)) << decoder;
    EXPECT_FALSE(model->reads_source());
    EXPECT_EQ(model->decoder().reporting_blocks(), 0) << decoder;
    for (const NamedParameter& parameter : parameters_of(*model)) {
      EXPECT_TRUE(parameter.name.starts_with("decoder.")) << parameter.name;
      EXPECT_THAT(parameter.name, ::testing::Not(HasSubstr("cross"))) << decoder;
    }
  }
}

TEST(LanguageModel, IsNotForDecodersThatLookAtASource) {
  size_t refused = 0;
  for (const auto& entry : decoders()) {
    if (!entry.make()->needs_source()) {
      continue;
    }
    Model model;
    apply(model, Json::object().set("encoder", "none").set("decoder", entry.name));
    Init init(place, 1);
    try {
      model.build(RowForm::numbers(0), RowForm::ids(target_words), init);
      ADD_FAILURE() << entry.name << " was built";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(entry.name + " looks at a source"));
      EXPECT_THAT(error.what(), HasSubstr("choose one of fixed, transformer,"));
      ++refused;
    }
  }
  EXPECT_GE(refused, 3U);
  EXPECT_THROW(small_model("none", "transformer", place, R"({"decoder": {"wiring": "mixed"}})"),
               Error);
  EXPECT_THROW(small_model("none", "fixed", place, R"({"share_embeddings": true})"), Error);
}

TEST(LanguageModel, AndItsDataAgreeThatThereIsNoSource) {
  const auto refusal = [](const std::string& encoder, const std::string& source) {
    FieldChoice choice;
    apply(choice, Json::object().set("source", source));
    Model model;
    apply(model, Json::object().set("encoder", encoder));
    try {
      model.check_source(choice.source());
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("none", "none"), "");
  EXPECT_EQ(refusal("gru", "text"), "");
  EXPECT_THAT(refusal("gru", "none"),
              HasSubstr("gru reads a source, and data.source = \"none\" has none; set data.source, "
                        "or model.encoder = \"none\" for a language model"));
  EXPECT_THAT(refusal("none", "text"), HasSubstr("but data.source = \"text\""));
}

}  // namespace
}  // namespace heed::test::language_model_test
