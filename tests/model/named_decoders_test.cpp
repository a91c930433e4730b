// Several decoders read one memory: each under its name, each taught, saved and found again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/config/explain.h"
#include "heed/data/learn_fields.h"
#include "heed/model/file/model_file.h"
#include "heed/ops/arithmetic.h"
#include "heed/tensor/tape.h"
#include "tests/model/pairs.h"

namespace heed::test::named_decoders_test {
namespace {

using ::testing::HasSubstr;

const Place place{&forced("far"), DType::f32};
const char* const two = R"({"decoders": {
  "second": {"kind": "attend_after", "width": 8, "embedding": 8},
  "third": {"kind": "transformer", "width": 8, "depth": 1}}})";

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

double size_of(const Tensor& gradient) {
  double size = 0;
  for (const double value : gradient.defined() ? gradient.values() : std::vector<double>()) {
    size += std::abs(value);
  }
  return size;
}

Tensor loss_of(const Model& model, const std::string& decoder, const Batch& batch, Pass& pass) {
  const Encoded encoded = model.encode(batch.source, pass);
  const Decoded said = Model::teach(model.decoder(decoder), encoded, batch, {}, pass);
  return mean(cross_entropy(said.logits, batch.target_out, {}));
}

TEST(NamedDecoders, EachTeachesTheEncoderAndNoneTheOthers) {
  const Batch batch = small_batch(place);
  for (const std::string taught : {"main", "second", "third"}) {
    const auto model = small_model("gru", "attend_first", place, two);
    EXPECT_THAT(model->decoder_names(), ::testing::ElementsAre("main", "second", "third"));
    Pass pass = Pass::training(1, 1);
    loss_of(*model, taught, batch, pass).backward();
    const std::string own = taught == "main" ? "decoder." : "decoders." + taught + ".";
    for (const NamedParameter& parameter : distinct_parameters_of(*model)) {
      const bool is_decoders = parameter.name.starts_with("decoder");
      const bool learns = !is_decoders || parameter.name.starts_with(own);
      const bool is_key_bias = parameter.name.ends_with("key.bias");
      EXPECT_TRUE(is_key_bias || (size_of(parameter.tensor->gradient()) > 0) == learns)
          << taught << " and " << parameter.name;
    }
  }
}

TEST(NamedDecoders, LeaveTheMainOneAsItIs) {
  const NoGrad no_grad;
  const Batch batch = small_batch(place);
  const auto alone = small_model("gru", "attend_first", place);
  const auto among = small_model("gru", "attend_first", place, two);
  Pass pass = Pass::serving();
  EXPECT_EQ(among->teach(batch, {}, pass).logits.values<float>(),
            alone->teach(batch, {}, pass).logits.values<float>());
}

TEST(NamedDecoders, AreInTheModelFileAndComeBack) {
  const NoGrad no_grad;
  const std::vector<Example> texts = {{"a b c", "c b a"}, {"b d", "d b"}};
  TrainedModel trained;
  trained.fields = learn_fields(texts, {});
  trained.model = std::make_unique<Model>();
  apply(*trained.model, parse_json(two, "test"));
  Init init(place, 3);
  trained.model->build(trained.fields, init);
  const std::string bytes = format_safetensors(model_contents(trained));
  const TrainedModel loaded = model_from(parse_safetensors(bytes, "test"), place, "test");
  EXPECT_EQ(config_of(*loaded.model), config_of(*trained.model));
  EXPECT_EQ(format_safetensors(model_contents(loaded)), bytes);
  EXPECT_NE(bytes.find("decoders.second.attention."), std::string::npos);
  const Batch batch = batch_of_ids({{3, 4}}, {{3, 4, 5}}, place);
  for (const std::string& name : trained.model->decoder_names()) {
    Pass pass = Pass::serving();
    const auto said = [&](const Model& model) {
      const Encoded encoded = model.encode(batch.source, pass);
      return Model::teach(model.decoder(name), encoded, batch, {}, pass).logits.values<float>();
    };
    EXPECT_EQ(said(*loaded.model), said(*trained.model)) << name;
  }
}

TEST(NamedDecoders, HaveNames) {
  const auto model = small_model("gru", "attend_first", place, two);
  EXPECT_THAT(
      refusal([&] { model->decoder("secnd"); }),
      ::testing::AllOf(HasSubstr("choose one of main, second, third"), HasSubstr("second")));
  EXPECT_THAT(
      refusal([] { small_model("gru", "fixed", place, R"({"decoders": {"main": "labels"}})"); }),
      HasSubstr("decoders: main is the name of model.decoder"));
  EXPECT_THAT(
      refusal([] { small_model("none", "fixed", place, R"({"decoders": {"tags": "labels"}})"); }),
      HasSubstr("labels looks at a source, and the encoder none reads nothing; choose one of"));
}

}  // namespace
}  // namespace heed::test::named_decoders_test
