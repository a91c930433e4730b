// Every setting of every encoder, every decoder and of Model changes something a caller can see.
// The settings of the parts of an attention are turned where they live, in
// tests/attention/settings_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/model/pairs.h"
#include "tests/support/choices_differ.h"

namespace heed::test::settings_test {
namespace {

const Place place{&forced("cpu"), DType::f32};
constexpr int64_t width = 8;

void add(std::vector<double>& numbers, const Tensor& output) {
  const std::vector<double> values = output.values();
  numbers.insert(numbers.end(), values.begin(), values.end());
}

std::vector<Pass> passes() { return {Pass::serving(5), Pass::training(5, 1)}; }

/// Annotations of every block and the summary, serving and training.
std::vector<double> encoded(Described& module) {
  auto& encoder = dynamic_cast<Encoder&>(module);
  Init init(place, 3);
  encoder.build(6, init);
  move_parameters(encoder);
  const std::vector<int32_t> lengths = {5, 1, 4};
  const Layout layout = Layout::packed(lengths, place);
  const Tensor rows = Tensor::random({10, 6}, Distribution::normal, {7, 0, 1}, place);
  std::vector<double> numbers = {static_cast<double>(encoder.width())};
  for (Pass pass : passes()) {
    const Encoded out = encoder(rows, layout, pass);
    for (const Tensor& block : out.blocks) {
      add(numbers, block);
    }
    add(numbers, out.summary);
  }
  return numbers;
}

/// Logits and weights of every position, serving and training, over an encoder of two blocks.
std::vector<double> decoded(Described& module) {
  auto& decoder = dynamic_cast<Decoder&>(module);
  Init init(place, 3);
  decoder.set_vocabulary(SpecialTokens(decoder.needed_specials()));
  decoder.build({width, 2, target_words}, init);
  move_parameters(decoder);
  const std::vector<int32_t> lengths = {4, 2};
  const std::vector<int32_t> rows = {3, 5};
  const std::vector<int32_t> words = {2, 4, 5, 2, 8, 7, 6, 6};  // none is a mask or a blank
  const auto random = [](const Shape& shape, uint64_t number) {
    return Tensor::random(shape, Distribution::normal, {7, 0, number}, place);
  };
  const Encoded source{Layout::packed(lengths, place),
                       {random({6, width}, 1), random({6, width}, 2)},
                       random({2, width}, 3)};
  const Tensor ids = Tensor::of(words, {8}, place.with(DType::i32));
  const Layout layout = Layout::packed(rows, place);
  std::vector<double> numbers;
  for (Pass pass : passes()) {
    const Remembered memory = decoder.remember(source, pass);
    const Decoded out =
        decoder.teach(memory, {ids, layout, {.weights = true}, nullptr, &ids}, pass);
    add(numbers, out.logits);
    if (out.lengths) {
      add(numbers, out.lengths->logits);
    }
    for (const Attended& report : out.reports) {
      add(numbers, report.weights);
    }
  }
  return numbers;
}

Json says(const std::string& text) { return parse_json(text, "test"); }

/// An attention that has one plain head until it is told to project.
void one_head(TurnOptions& options, const std::string& name) {
  const auto inside = [&](const std::string& text) {
    return says("{\"" + name + "\": " + text + "}");
  };
  options.given[name + ".heads"] = inside(R"({"project": true})");
  options.given[name + ".bias"] = inside(R"({"project": true})");
  options.given[name + ".groups"] = inside(R"({"project": true, "heads": 4})");
  options.given[name + ".head_width"] = inside(R"({"project": true})");
}

/// Several heads, which must project.
void several_heads(TurnOptions& options, const std::string& name) {
  options.given[name + ".project"] = says("{\"" + name + "\": {\"heads\": 1}}");
}

TurnOptions turn_options(const std::vector<Knob>& knobs) {
  TurnOptions options;
  if (std::any_of(knobs.begin(), knobs.end(), [](const Knob& k) { return k.path == "depth"; })) {
    options.given["residual"] = says(R"({"depth": 2})");
    options.given["dropout"] = says(R"({"depth": 2})");
  }
  options.given["untied_bias"] = says(R"({"tied": false})");
  options.refused["position"] = "enter the scores of self-attention";  // cnn has none
  one_head(options, "attention");
  several_heads(options, "self");
  several_heads(options, "cross");
  return options;
}

/// Changes every setting, and checks that no two choices by name do the same. Short sequences
/// cannot distinguish the parts of an attention, so those are tested elsewhere.
size_t turn_all(const MakeDescribed& make, const Probe& probe) {
  const std::vector<Knob> knobs = knobs_of(make);
  const TurnOptions options = turn_options(knobs);
  for (const Knob& knob : knobs) {
    const std::string& owner = knob.keys.front();
    const bool is_attention = owner == "self" || owner == "cross" || owner == "attention";
    if (is_chosen_by_name(knob) && !is_attention) {
      expect_choices_differ(knob, make, probe, options);
    }
  }
  return turn_every_setting(make, probe, options);
}

class EncoderSettings : public ::testing::TestWithParam<std::string> {};

TEST_P(EncoderSettings, EachChangesSomething) {
  const MakeDescribed make = [] {
    auto encoder = make_part(encoders(), GetParam());
    apply(*encoder, Json::object().set("width", width));
    return encoder;
  };
  EXPECT_GE(turn_all(make, encoded), 1U);
}

/// `identity` has none.
std::vector<std::string> encoders_with_settings() {
  std::vector<std::string> names = encoders().names();
  std::erase_if(names, [](const std::string& name) {
    return knobs_of([&name] { return make_part(encoders(), name); }).empty();
  });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Encoders, EncoderSettings, ::testing::ValuesIn(encoders_with_settings()),
                         [](const auto& info) { return info.param; });

class DecoderSettings : public ::testing::TestWithParam<std::string> {};

TEST_P(DecoderSettings, EachChangesSomething) {
  const MakeDescribed make = [] {
    auto decoder = make_part(decoders(), GetParam());
    apply(*decoder, Json::object().set("width", width));
    for (const Knob& knob : knobs_of([] { return make_part(decoders(), GetParam()); })) {
      if (knob.path == "embedding") {
        apply(*decoder, Json::object().set("embedding", width));
      }
    }
    return decoder;
  };
  EXPECT_GE(turn_all(make, decoded), 8U);
}

/// Those that write words.
std::vector<std::string> decoders_of_words() {
  std::vector<std::string> names = autoregressive_decoders();
  names.emplace_back("mask_predict");
  return names;
}

INSTANTIATE_TEST_SUITE_P(Decoders, DecoderSettings, ::testing::ValuesIn(decoders_of_words()),
                         [](const auto& info) { return info.param; });

/// Logits of the small batch, serving and training, one vocabulary for both languages.
std::vector<double> taught(Described& module) {
  auto& model = dynamic_cast<Model&>(module);
  Init init(place, 3);
  model.build(RowForm::ids(source_words), RowForm::ids(source_words), init);
  move_parameters(model);
  const Batch batch = small_batch(place);
  std::vector<double> numbers;
  for (Pass pass : passes()) {
    add(numbers, model.teach(batch, {}, pass).logits);
  }
  return numbers;
}

TEST(ModelSettings, EachOfItsOwnChangesSomething) {
  const MakeDescribed make = [] {
    auto model = std::make_unique<Model>();
    apply(*model, says(R"({"embedding": 8, "encoder": {"kind": "gru", "width": 8},
                           "decoder": {"kind": "attend_first", "width": 8, "embedding": 8}})"));
    return model;
  };
  TurnOptions options;
  options.refused["front"] = "reads rows of numbers";
  options.tries["encoder"] = {says(R"({"kind": "lstm", "width": 8})")};
  options.tries["decoder"] = {says(R"({"kind": "fixed", "width": 8, "embedding": 8})")};
  size_t own = 0;
  for (const Knob& knob : knobs_of(make)) {
    if (knob.keys.size() == 1) {
      turn(knob, make, taught, options);
      ++own;
    }
  }
  EXPECT_GE(own, 5U);
}

/// What reaches an encoder or a decoder through the model's own tree of settings.
TEST(ModelSettings, ThoseOfItsPartsReachThem) {
  const MakeDescribed make = [] {
    auto model = std::make_unique<Model>();
    apply(*model, says(R"({"embedding": 8, "encoder": {"kind": "transformer", "width": 8},
                           "decoder": {"kind": "transformer", "width": 8}})"));
    return model;
  };
  const std::set<std::string> some = {"encoder.position.base",      "encoder.placement",
                                      "encoder.feed_forward.width", "decoder.wiring",
                                      "decoder.scaled_embedding",   "decoder.cross.normaliser"};
  size_t met = 0;
  for (const Knob& knob : knobs_of(make)) {
    if (some.contains(knob.path)) {
      turn(knob, make, taught, {});
      ++met;
    }
  }
  EXPECT_EQ(met, some.size());
}

TEST(ModelSettings, LearnedPositionsAreAsManyAsTheRecipeSays) {
  const MakeDescribed make = [] {
    auto model = std::make_unique<Model>();
    apply(*model, says(R"({"embedding": 8, "encoder": {"kind": "transformer", "width": 8},
                           "decoder": {"kind": "transformer", "width": 8,
                                       "position": {"kind": "learned", "maximum": 64}}})"));
    return model;
  };
  TurnOptions options;
  options.tries["decoder.position.maximum"] = {1};
  options.refused["decoder.position.maximum"] = "learned positions: there is no position";
  size_t met = 0;
  for (const Knob& knob : knobs_of(make)) {
    if (knob.path == "decoder.position.maximum") {
      turn(knob, make, taught, options);
      ++met;
    }
  }
  EXPECT_EQ(met, 1U);
}

TEST(ModelSettings, NoTwoPairsAreTheSameModel) {
  std::map<std::vector<double>, std::string> met;
  const Batch batch = small_batch(place);
  for (const auto& encoder : encoders()) {
    for (const std::string& decoder : autoregressive_decoders(encoder.name)) {
      const std::string name = encoder.name + " → " + decoder;
      // A bag as wide as its input is the identity.
      const auto model = small_model(encoder.name, decoder, place,
                                     encoder.name == "bag" ? R"({"encoder": {"width": 7}})" : "{}");
      Pass pass = Pass::serving();
      const auto [same, is_new] = met.emplace(model->teach(batch, {}, pass).logits.values(), name);
      EXPECT_TRUE(is_new) << name << " computes what " << same->second << " computes";
    }
  }
}

}  // namespace
}  // namespace heed::test::settings_test
