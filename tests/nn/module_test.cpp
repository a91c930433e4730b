#include "heed/nn/module.h"

#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/nn/embedding.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/linear.h"
#include "heed/nn/norms.h"
#include "heed/nn/recurrent_stack.h"
#include "tests/nn/places.h"

namespace heed::test::module_test {
namespace {

struct Small : Module {
  std::unique_ptr<Norm> norm = make_part(norms(), "rms");
  std::vector<std::unique_ptr<Norm>> more;
  std::vector<std::unique_ptr<Linear>> layers;
  Embedding words;
  Linear out{false};

  void describe(Describer& d) override {
    d.part("norm", norm, norms(), {"of the rows"});
    d.parts("more", more, norms(), {"any number of norms"});
    d.children("layers", layers);
    d.child("words", words);
    d.child("out", out);
  }
};

class ModuleTest : public OnEveryPlace {
 protected:
  void build() {
    Init init(place(), 1);
    small.norm->build(3, init);
    for (int i = 0; i < 2; ++i) {
      small.more.push_back(make_part(norms(), "layer_norm"));
      small.more.back()->build(3, init);
      small.layers.push_back(std::make_unique<Linear>());
      small.layers.back()->build(3, 3, init);
    }
    small.words.build(5, 3, init);
    small.out.build(3, 2, init);
  }
  Small small;
};
INSTANTIATE_TEST_SUITE_P(Everywhere, ModuleTest, ::testing::ValuesIn(places()), name_of_place);

TEST_P(ModuleTest, ListsParametersByPath) {
  EXPECT_TRUE(parameters_of(small).empty());
  build();
  std::vector<std::string> names;
  for (const NamedParameter& parameter : parameters_of(small)) {
    names.push_back(parameter.name);
  }
  const std::vector<std::string> expected = {"norm.weight",   "more.0.weight",   "more.0.bias",
                                             "more.1.weight", "more.1.bias",     "layers.0.weight",
                                             "layers.0.bias", "layers.1.weight", "layers.1.bias",
                                             "words.table",   "out.weight"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(count_parameters(small), 3 + 4 * 3 + 2 * 12 + 15 + 6);
}

TEST_P(ModuleTest, PartsKnowTheirKindByItsFirstName) {
  EXPECT_EQ(small.norm->kind(), "rms_norm");
  EXPECT_EQ(Linear().kind(), "");
}

TEST_P(ModuleTest, FindsAParameterOrSuggestsOne) {
  build();
  EXPECT_EQ(parameter_named(small, "words.table").shape(), (Shape{5, 3}));
  try {
    parameter_named(small, "word.table");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"words.table\""), std::string::npos);
  }
}

TEST_P(ModuleTest, CopiesValuesIntoTheParametersMemoryFromAnyPlace) {
  build();
  const Tensor weight = parameter_named(small, "out.weight");
  const void* memory = weight.view().data;
  const Place elsewhere{&forced("reference"), DType::f64};
  copy_values(Tensor::of(std::vector<double>{1, 2, 3, 4, 5, 6}, {2, 3}, elsewhere), weight);
  EXPECT_TRUE(close(parameter_named(small, "out.weight"), {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(parameter_named(small, "out.weight").view().data, memory);
  EXPECT_TRUE(weight.needs_gradient());
  EXPECT_THROW(copy_values(Tensor::zeros({3, 2}, elsewhere), weight), Error);
}

TEST(ModuleSettingsTest, EveryModuleOfThisLayerGoesRound) {
  const auto check = [](Module& module, Module& other) {
    const Json config = config_of(module);
    apply(other, parse_json(config.write(), "test"));
    EXPECT_EQ(config_of(other), config);
    EXPECT_FALSE(explain(module).empty());
  };
  FeedForward feed_forward[2];
  check(feed_forward[0], feed_forward[1]);
  RecurrentStack recurrent[2];
  check(recurrent[0], recurrent[1]);
  Embedding embedding[2];
  check(embedding[0], embedding[1]);
}

}  // namespace
}  // namespace heed::test::module_test
