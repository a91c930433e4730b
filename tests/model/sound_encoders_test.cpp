// The encoders and the front for sound: pyramid and conformer, subsample.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/config/apply.h"
#include "heed/model/encoders.h"
#include "heed/model/fronts.h"
#include "heed/nn/activations.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/convolve.h"
#include "heed/ops/lengths.h"
#include "heed/ops/reshape.h"
#include "heed/tensor/tape.h"
#include "tests/support/backends.h"
#include "tests/support/fixture.h"
#include "tests/support/tolerance.h"

namespace heed::test::sound_encoders_test {
namespace {

using ::testing::ElementsAre;

class SoundEncoders : public ::testing::TestWithParam<Place> {
 protected:
  static std::unique_ptr<Encoder> encoder(const std::string& kind, const std::string& settings,
                                          int64_t input) {
    auto made = make_part(encoders(), kind);
    apply(*made, parse_json(settings, "test"));
    Init init(GetParam(), 5);
    made->build(input, init);
    return made;
  }
  static Tensor normal(const Shape& shape, uint64_t number) {
    return Tensor::random(shape, Distribution::normal, {6, 0, number}, GetParam());
  }
  static Layout packed(const std::vector<int32_t>& lengths) {
    return Layout::packed(lengths, GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, SoundEncoders, ::testing::ValuesIn(places()), name_of_place);

/// Gives `to` the parameters of `from` whose names begin with `prefix`, without it.
void copy_layer(Module& from, const std::string& prefix, Module& to) {
  for (const NamedParameter& parameter : parameters_of(to)) {
    ASSERT_TRUE(parameter.name.starts_with("layers.0."));
    copy_values(parameter_named(from, prefix + parameter.name.substr(9)), *parameter.tensor);
  }
}

/// Rows 2j and 2j + 1 of each sequence side by side.
Tensor joined_by_hand(const Tensor& rows, const std::vector<int32_t>& lengths) {
  const std::vector<double> values = rows.values();
  const auto width = static_cast<size_t>(rows.size(1));
  std::vector<double> out;
  size_t start = 0;
  for (const int32_t length : lengths) {
    for (size_t row = 0; row < static_cast<size_t>(length + length % 2); ++row) {
      for (size_t i = 0; i < width; ++i) {
        const bool is_there = row < static_cast<size_t>(length);
        out.push_back(is_there ? values[(start + row) * width + i] : 0);
      }
    }
    start += static_cast<size_t>(length);
  }
  const auto count = static_cast<int64_t>(out.size() / (2 * width));
  return Tensor::of(out, {count, 2 * rows.size(1)}, rows.place());
}

TEST_P(SoundEncoders, APyramidIsLayersOverJoinedRows) {
  const NoGrad no_grad;
  for (const std::string cell : {"lstm", "gru"}) {
    const auto pyramid =
        encoder("pyramid", R"({"width": 3, "halvings": 2, "cell": ")" + cell + "\"}", 4);
    EXPECT_EQ(pyramid->width(), 6);
    EXPECT_EQ(pyramid->stride(), 4);
    std::vector<int32_t> lengths = {5, 1, 8};
    Tensor rows = normal({14, 4}, 1);
    Pass pass = Pass::serving();
    const Encoded out = (*pyramid)(rows, packed(lengths), pass);
    EXPECT_THAT(out.layout.lengths(), ElementsAre(2, 1, 2));
    Encoded expected;
    for (int level = 0; level < 3; ++level) {
      if (level > 0) {
        rows = joined_by_hand(rows, lengths);
        for (int32_t& length : lengths) {
          length = (length + 1) / 2;
        }
      }
      const auto layer = encoder(cell, R"({"width": 3, "direction": "both"})", rows.size(1));
      copy_layer(*pyramid, "layers." + std::to_string(level) + ".", *layer);
      expected = (*layer)(rows, packed(lengths), pass);
      rows = expected.blocks[0];
    }
    EXPECT_TRUE(close(out.blocks[0], expected.blocks[0], 64)) << cell;
    EXPECT_TRUE(close(out.summary, expected.summary, 64)) << cell;
  }
}

TEST_P(SoundEncoders, AConformerBlockAgreesWithPyTorch) {
  const auto cases = read_fixture("conformer", GetParam());
  ASSERT_EQ(cases.size(), 1U);
  const FixtureCase& c = cases[0];
  const auto conformer = encoder("conformer",
                                 R"({"width": 4, "depth": 1, "kernel": 3, "position": "none",
      "self": {"heads": 2}, "feed_forward": {"width": 6}})",
                                 4);
  size_t met = 0;
  for (const NamedParameter& parameter : parameters_of(*conformer)) {
    copy_values(reshape(c.tensor(parameter.name), parameter.tensor->shape()), *parameter.tensor);
    ++met;
  }
  EXPECT_EQ(2 * met + 5, c.tensors().size()) << "x, out, their gradients and the lengths";
  Tensor x = c.tensor("x").clone();
  x.watch();
  const Layout layout =
      Layout::padded(c.tensor("lengths").values<int32_t>(), x.size(1), GetParam());
  Pass pass = Pass::serving();
  const Encoded encoded = (*conformer)(reshape(x, {10, 4}), layout, pass);
  const Tensor inside =
      unsqueeze(mask_of_lengths(c.tensor("lengths"), x.size(1), GetParam().dtype), 2);
  const Tensor y = reshape(encoded.blocks[0], x.shape()) * inside;
  EXPECT_TRUE(close(y, c.tensor("out"), 64));
  y.backward(c.tensor("d_out"));
  const Tolerance within = scaled(tolerance(GetParam().dtype, 256), 10);
  EXPECT_TRUE(close(x.gradient(), c.tensor("d_x"), within));
  for (const NamedParameter& parameter : parameters_of(*conformer)) {
    const Tensor gradient = parameter.tensor->gradient();
    ASSERT_TRUE(gradient.defined()) << parameter.name;
    EXPECT_TRUE(close(gradient, reshape(c.tensor("d_" + parameter.name), gradient.shape()), within))
        << parameter.name;
  }
}

TEST_P(SoundEncoders, SubsamplingIsTwoStridedConvolutions) {
  const NoGrad no_grad;
  auto front = make_part(fronts(), "subsample");
  apply(*front, parse_json(R"({"normalise": false, "channels": 5, "activation": "silu"})", "test"));
  Init init(GetParam(), 5);
  front->build({RowForm::numbers(3), 4, false, nullptr}, init);
  EXPECT_EQ(front->stride(), 4);
  EXPECT_EQ(front->reads(), RowKind::numbers);
  const Tensor rows = normal({9 + 2, 3}, 2);
  Pass pass = Pass::serving();
  const FieldRows out = (*front)({rows, packed({9, 2})}, pass);
  EXPECT_THAT(out.layout.lengths(), ElementsAre(3, 1));
  Module& layers = front->layers();
  Tensor x = reshape(rows.seen_as(sliced(rows.view(), 0, 0, 9)).clone(), {1, 1, 9, 3});
  const GridWindows by_two{1, 3, 2, Padding::across(1, 1)};
  for (const std::string layer : {"convolution.0", "convolution.1"}) {
    x = activation_named("silu").of(convolve(x, parameter_named(layers, layer + ".weight"),
                                             parameter_named(layers, layer + ".bias"),
                                             {.windows = by_two}));
  }
  const Tensor weight = parameter_named(layers, "projection.weight");  // [4, 5]
  const Tensor expected = convolve(x, weight, {}, {});
  const Tensor first = out.values.seen_as(sliced(out.values.view(), 0, 0, 3));
  EXPECT_TRUE(close(first.clone(), reshape(expected, {3, 4}), 64));
}

/// Whisper's front, worked by hand: strides 1 and 2, the second layer's channels are the rows.
TEST(Subsample, StridesMayDifferAndNothingNeedBeProjected) {
  const NoGrad no_grad;
  auto front = make_part(fronts(), "subsample");
  apply(*front, parse_json(R"({"normalise": false, "strides": [1, 2], "project": false,
                               "channels": 1, "activation": "relu"})",
                           "test"));
  const Place place{&forced("reference"), DType::f64};
  Init init(place, 5);
  const FrontWidths widths{RowForm::numbers(1), 4, false, nullptr};
  EXPECT_EQ(front->width(widths), 1);
  EXPECT_EQ(front->stride(), 2);
  front->build(widths, init);
  const auto set = [&](const char* name, const std::vector<double>& values, const Shape& shape) {
    for (const NamedParameter& parameter : parameters_of(front->layers())) {
      if (parameter.name == name) {
        *parameter.tensor = Tensor::of(values, shape, place);
      }
    }
  };
  set("convolution.0.weight", {1, 10, 100}, {1, 3, 1});
  set("convolution.0.bias", {-100}, {1});
  set("convolution.1.weight", {1, 0, -1}, {1, 3, 1});
  set("convolution.1.bias", {500}, {1});
  // First: 10x_t + x_{t-1} + 100x_{t+1} − 100, of 1 2 3 4 5: 110, 221, 332, 443 and max(0, −46).
  // Then at 0, 2, 4: 500 − 221, 500 + 221 − 443, 500 + 443. Of the other sequence, 7: −30 → 0, 500.
  Pass pass = Pass::serving();
  const Tensor rows = Tensor::of(std::vector<double>{1, 2, 3, 4, 5, 7}, {6, 1}, place);
  const std::vector<int32_t> lengths = {5, 1};
  const FieldRows out = (*front)({rows, Layout::packed(lengths, place)}, pass);
  EXPECT_THAT(out.layout.lengths(), ElementsAre(3, 1));
  EXPECT_THAT(out.values.values(), ElementsAre(279, 278, 943, 500));
}

TEST(Subsample, RefusesWhatItCannotRead) {
  auto front = make_part(fronts(), "subsample");
  const Place place{&forced("reference"), DType::f32};
  Init init(place, 5);
  EXPECT_THROW(front->build({RowForm::ids(3), 4, false, nullptr}, init), Error);
  apply(*front, parse_json(R"({"kernel": 4})", "test"));
  EXPECT_THROW(front->build({RowForm::numbers(3), 4, false, nullptr}, init), Error) << "even";
  apply(*front, parse_json(R"({"kernel": 3, "strides": [1, 2, 2]})", "test"));
  EXPECT_THROW(front->build({RowForm::numbers(3), 4, false, nullptr}, init), Error) << "strides";
  EXPECT_THROW(apply(*front, parse_json(R"({"strides": [0, 2]})", "test")), Error);
}

}  // namespace
}  // namespace heed::test::sound_encoders_test
