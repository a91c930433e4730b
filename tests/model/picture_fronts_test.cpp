// The fronts that read pictures. Their rows are made by hand: u8 pixels with grids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "heed/base/error.h"
#include "heed/config/apply.h"
#include "heed/config/explain.h"
#include "heed/model/cached_grids.h"
#include "heed/model/file_tensor.h"
#include "heed/model/fronts.h"
#include "heed/model/layer_list.h"
#include "heed/model/model_file.h"
#include "heed/ops/reduce.h"
#include "heed/tensor/tape.h"
#include "tests/model/made_up_network.h"
#include "tests/support/backends.h"
#include "tests/support/gradients_reach.h"
#include "tests/support/tolerance.h"
#include "tests/support/turn_settings.h"

namespace heed::test::picture_fronts_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Place cpu() { return {&forced("cpu"), DType::f32}; }
Place exact() { return {&forced("reference"), DType::f64}; }

/// Pictures whose pixels count 0, 7, 14, … (mod 256).
FieldRows pictures(const std::vector<GridExtent>& extents, const Place& place, int first = 0) {
  std::vector<int32_t> pixels;
  std::vector<int32_t> lengths;
  for (const GridExtent& extent : extents) {
    lengths.push_back(extent.height * extent.width);
    for (int32_t i = 0; i < lengths.back() * 3; ++i) {
      pixels.push_back((first + i * 7) % 256);
    }
    first += 13;
  }
  const auto rows = static_cast<int64_t>(pixels.size()) / 3;
  return {Tensor::of(pixels, {rows, 3}, place.with(DType::u8)),
          Layout::packed(lengths, place).with_grids(extents)};
}

double normalised(int pixel) { return pixel / 127.5 - 1; }

std::unique_ptr<Front> front(const std::string& kind, const std::string& settings) {
  auto made = make_part(fronts(), kind);
  apply(*made, parse_json(settings, "test"));
  return made;
}

FrontWidths widths(int64_t width = 8) { return {RowForm::numbers(3), width, false, nullptr}; }

FieldRows run(const Front& part, const FieldRows& source) {
  Pass pass = Pass::serving();
  return part(source, pass);
}

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::string said_by(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// W of the first patch, summed by hand; grids of ⌈n / size⌉ cells.
TEST(Patches, AreProductsOfTheirPixels) {
  const auto part = front("patches", R"({"size": 2, "position": "none"})");
  Init init(exact(), 3);
  part->build(widths(4), init);
  const FieldRows rows = run(*part, pictures({{4, 6}, {3, 2}}, exact()));
  EXPECT_EQ(rows.layout.grids(), (std::vector<GridExtent>{{2, 3}, {2, 1}}));
  EXPECT_THAT(rows.layout.lengths(), ElementsAre(6, 2));
  ASSERT_EQ(rows.values.shape(), (Shape{8, 4}));
  const std::vector<double> w = parameter_named(part->layers(), "projection.weight").values();
  double expected = 0;  // channel 1 of patch (1, 2): rows 2 and 3, columns 4 and 5
  for (int u = 0; u < 2; ++u) {
    for (int v = 0; v < 2; ++v) {
      for (int c = 0; c < 3; ++c) {
        const int pixel = (((2 + u) * 6 + 4 + v) * 3 + c) * 7 % 256;
        expected += w[static_cast<size_t>(12 + (u * 2 + v) * 3 + c)] * normalised(pixel);
      }
    }
  }
  EXPECT_NEAR(rows.values.values()[5 * 4 + 1], expected, 1e-12);
}

TEST(Patches, AddPositionsOfRowAndColumn) {
  Init init(exact(), 3);
  const auto plain = front("patches", R"({"size": 2, "position": "none"})");
  plain->build(widths(4), init);
  const auto placed =
      front("patches", R"({"size": 2, "position": {"kind": "learned", "maximum": 5}})");
  placed->build(widths(4), init);
  for (const char* name : {"projection.weight", "projection.bias"}) {
    copy_values(parameter_named(plain->layers(), name), parameter_named(placed->layers(), name));
  }
  const FieldRows source = pictures({{4, 6}}, exact());
  const std::vector<double> before = run(*plain, source).values.values();
  const std::vector<double> after = run(*placed, source).values.values();
  const auto rows = parameter_named(placed->layers(), "position.rows.table").values();  // [5, 2]
  const auto columns = parameter_named(placed->layers(), "position.columns.table").values();
  for (size_t cell = 0; cell < 6; ++cell) {
    for (size_t c = 0; c < 4; ++c) {
      const double added = c < 2 ? rows[cell / 3 * 2 + c] : columns[cell % 3 * 2 + c - 2];
      EXPECT_NEAR(after[cell * 4 + c] - before[cell * 4 + c], added, 1e-12);
    }
  }
  EXPECT_THAT(said_by([&] {
                run(*placed, pictures({{12, 2}}, exact()));
              }),
              HasSubstr("raise the setting maximum"));
}

/// The numbers less their mean, divided by their deviation.
std::vector<double> normed(std::vector<double> numbers) {
  const auto count = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  double square = 0;
  for (double& number : numbers) {
    number -= mean;
    square += number * number;
  }
  for (double& number : numbers) {
    number /= std::sqrt(square / count + 1e-5);
  }
  return numbers;
}

/// One convolution that sees one pixel of four: normed over the whole picture, and not over a cell.
TEST(Stages, NormTheWholePicture) {
  const auto part =
      front("stages", R"({"channels": [4], "depth": 1, "kernel": 1, "norm_rows": false,
                          "position": "none"})");
  Init init(exact(), 3);
  part->build(widths(4), init);
  const FieldRows rows = run(*part, pictures({{4, 6}}, exact()));
  EXPECT_EQ(rows.layout.grids(), (std::vector<GridExtent>{{2, 3}}));
  const std::vector<double> w =
      parameter_named(part->layers(), "convolution.0.convolution.weight").values();  // [4, 3]
  std::vector<double> products;
  for (int cell = 0; cell < 6; ++cell) {
    const int pixel = cell / 3 * 12 + cell % 3 * 2;
    for (size_t o = 0; o < 4; ++o) {
      double sum = 0;
      for (int c = 0; c < 3; ++c) {
        sum += w[3 * o + static_cast<size_t>(c)] * normalised((pixel * 3 + c) * 7 % 256);
      }
      products.push_back(sum);
    }
  }
  std::vector<double> expected = normed(products);
  for (double& number : expected) {
    number = std::max(number, 0.0);
  }
  const std::vector<double> values = rows.values.values();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], 1e-12) << i;
  }
}

/// The same rows, each normed by itself.
TEST(Stages, NormTheRows) {
  const std::string settings = R"("channels": [6, 8], "position": "none")";
  std::vector<std::vector<double>> values;
  for (const char* norm : {"false", "true"}) {
    const auto part = front("stages", "{" + settings + R"(, "norm_rows": )" + norm + "}");
    Init init(exact(), 3);
    part->build(widths(8), init);
    values.push_back(run(*part, pictures({{8, 8}}, exact())).values.values());
  }
  ASSERT_EQ(values[0].size(), 4U * 8U);
  for (size_t row = 0; row < 4; ++row) {
    const auto first = static_cast<std::ptrdiff_t>(8 * row);
    const std::vector<double> expected =
        normed({values[0].begin() + first, values[0].begin() + first + 8});
    for (size_t c = 0; c < 8; ++c) {
      EXPECT_NEAR(values[1][8 * row + c], expected[c], 1e-9);
    }
  }
}

/// A picture's rows do not depend on the others of its batch, nor on their sizes.
TEST(PictureFronts, APictureIsTheSameInEveryBatch) {
  const std::string settings[] = {R"({"size": 4, "position": {"kind": "sinusoidal"}})",
                                  R"({"channels": [5, 8]})"};
  const std::string kinds[] = {"patches", "stages"};
  for (size_t k = 0; k < 2; ++k) {
    const auto part = front(kinds[k], settings[k]);
    Init init(cpu(), 3);
    part->build(widths(8), init);
    const FieldRows together = run(*part, pictures({{9, 6}, {9, 6}, {5, 8}, {9, 6}}, cpu()));
    std::vector<double> apart;
    int first = 0;
    for (const GridExtent extent : {GridExtent{9, 6}, {9, 6}, {5, 8}, {9, 6}}) {
      apart = joined(apart, run(*part, pictures({extent}, cpu(), first)).values.values());
      first += 13;
    }
    EXPECT_EQ(together.values.values(), apart) << kinds[k];
    EXPECT_EQ(together.layout.grids()[2], (GridExtent{2, 2}));
    EXPECT_EQ(together.layout.grids()[0], (GridExtent{3, 2}));
    EXPECT_EQ(part->stride(), 4);
  }
}

TEST(PictureFronts, GradientsReachEveryParameter) {
  const FieldRows source = pictures({{8, 8}, {8, 12}}, cpu());
  for (const char* kind : {"patches", "stages"}) {
    const auto part = front(kind, R"({"position": {"kind": "learned", "maximum": 4}})");
    apply(*part,
          parse_json(std::string(kind) == "stages" ? R"({"channels": [6, 8]})" : R"({"size": 3})",
                     "test"));
    Init init(cpu(), 3);
    part->build(widths(8), init);
    EXPECT_TRUE(gradients_reach(part->layers(), [&]() -> std::vector<Tensor> {
      return {run(*part, source).values};
    })) << kind;
  }
}

std::vector<double> seen_by(Described& described) {
  auto& part = dynamic_cast<Front&>(described);
  Init init(cpu(), 3);
  std::vector<double> numbers = {static_cast<double>(part.width(widths(8)))};
  part.build(widths(8), init);
  return joined(numbers, run(part, pictures({{9, 6}}, cpu())).values.values());
}

TEST(PictureFronts, EverySettingChangesSomething) {
  TurnOptions options;
  options.given["position.base"] = parse_json(R"({"position": "sinusoidal"})", "test");
  options.tries["position.maximum"] = {1};
  options.refused["position.maximum"] = "learned positions: saw position";
  options.tries["channels"] = {parse_json("[6, 10]", "test")};
  const auto stages = [] { return front("stages", R"({"channels": [6, 8]})"); };
  EXPECT_GE(turn_every_setting(stages, seen_by, options), 6U);
  const auto patches = [] { return front("patches", R"({"size": 3})"); };
  EXPECT_GE(turn_every_setting(patches, seen_by, options), 3U);
}

/// No weight depends on the size of a picture, but memory and time do.
TEST(PictureFronts, APictureHasAtMost4096Cells) {
  const auto build = [](const GridExtent& grid) {
    Model model;
    apply(model, parse_json(R"({"embedding": 2, "front": {"kind": "patches", "size": 8},
                                "encoder": "identity", "decoder": {"kind": "attend_first",
                                "width": 2, "embedding": 2}})",
                            "test"));
    Init init(cpu(), 3);
    model.build(RowForm::pixels(grid), RowForm::ids(5), init);
  };
  EXPECT_NO_THROW(build({512, 512}));
  EXPECT_THAT(
      [&] {
        build({520, 512});
      },
      ::testing::ThrowsMessage<Error>(::testing::HasSubstr("a grid of 65 × 64 cells")));
}

TEST(PictureFronts, RefuseWhatTheyCannotRead) {
  const auto part = front("patches", "{}");
  Init init(cpu(), 3);
  EXPECT_THAT(said_by([&] {
                part->build({RowForm::numbers(40), 8, false, nullptr}, init);
              }),
              HasSubstr("needs pictures"));
  EXPECT_THAT(
      said_by([&] { front("patches", R"({"position": "rotary"})")->build(widths(), init); }),
      HasSubstr("enters the scores"));
  EXPECT_THAT(said_by([&] { front("patches", "{}")->build(widths(7), init); }),
              HasSubstr("needs an even number"));
  EXPECT_THAT(said_by([&] { front("stages", R"({"channels": []})")->build(widths(), init); }),
              HasSubstr("needs 1 to 12"));
  part->build(widths(), init);
  const FieldRows good = pictures({{4, 4}}, cpu());
  EXPECT_THAT(said_by([&] {
                run(*part, {good.values, Layout::packed(good.layout.lengths(), cpu())});
              }),
              HasSubstr("without height and width"));
  EXPECT_THAT(said_by([&] {
                run(*part, {Tensor::zeros({16, 2}, cpu()), good.layout});
              }),
              HasSubstr("needs pixels [N, 3]"));
}

// ---- convolutional

class ConvolutionalFronts : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "heed_front_network.safetensors";
    write_safetensors(path_, made_up_network());
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::unique_ptr<Front> made(const std::string& more) const {
    return front("convolutional", "{\"network\": \"" + path_ + "\"" + more + "}");
  }
  std::string path_;
};

/// Channel 0 of the layer s is a_0 + relu6(2 a_0), with a_0 the red pixel.
TEST_F(ConvolutionalFronts, GiveTheCellsOfALayer) {
  const auto part = made(R"(, "layer": "s", "normalise": false)");
  EXPECT_EQ(part->width(widths()), 2);
  Init init(exact(), 3);
  part->build(widths(), init);
  const FieldRows rows = run(*part, pictures({{2, 3}, {3, 1}}, exact()));
  EXPECT_EQ(rows.layout.grids(), (std::vector<GridExtent>{{2, 3}, {3, 1}}));
  ASSERT_EQ(rows.values.shape(), (Shape{9, 2}));
  for (int cell = 0; cell < 9; ++cell) {
    const int first = cell < 6 ? cell * 21 : 13 + (cell - 6) * 21;
    const double red = normalised(first % 256);
    EXPECT_NEAR(rows.values.values()[static_cast<size_t>(cell) * 2],
                red + std::clamp(2 * red, 0.0, 6.0), 1e-6);
  }
  const auto last = made("");  // the last grid, b, of one channel
  EXPECT_EQ(last->width(widths()), 1);
  last->build(widths(), init);
  EXPECT_EQ(run(*last, pictures({{2, 3}}, exact())).layout.grids()[0], (GridExtent{1, 2}));
  EXPECT_EQ(last->stride(), 2);
  EXPECT_EQ(part->stride(), 1);
  const auto normed = made(R"(, "layer": "s")");
  normed->build(widths(), init);
  const std::vector<double> cells = run(*normed, pictures({{2, 3}}, exact())).values.values();
  for (size_t cell = 0; cell < 6; ++cell) {
    EXPECT_NEAR(cells[cell * 2], -cells[cell * 2 + 1], 1e-9);  // mean 0 over two channels
  }
}

TEST_F(ConvolutionalFronts, FrozenNetworksAreNotTrained) {
  const FieldRows source = pictures({{5, 4}}, cpu());
  for (const bool is_frozen : {true, false}) {
    const auto part = made(std::string(R"(, "layer": "s", "position": "learned", "frozen": )") +
                           (is_frozen ? "true" : "false"));
    Init init(cpu(), 3);
    part->build(widths(), init);
    const auto trained = trained_parameters_of(part->layers());
    EXPECT_EQ(distinct_parameters_of(part->layers()).size(), 8U);
    EXPECT_EQ(trained.size(), is_frozen ? 4U : 8U);
    const Tensor rows = run(*part, source).values;
    weighted_sum({rows}).backward();
    EXPECT_EQ(parameter_named(part->layers(), "network.a.weight").gradient().defined(), !is_frozen);
    for (const NamedParameter& parameter : trained) {
      EXPECT_TRUE(parameter.tensor->gradient().defined()) << parameter.name;
    }
  }
}

/// Features from the cache are those of the network, bit for bit, and a file of another network is not
/// believed.
TEST_F(ConvolutionalFronts, KeepWhatAFrozenNetworkComputed) {
  const std::string folder = path_ + ".kept";
  std::filesystem::remove_all(folder);
  const auto place_of = [](const std::string& name) { return name; };
  const FieldRows source = pictures({{5, 4}, {3, 3}, {5, 4}}, cpu());
  const auto seen = [&](const std::string& more, const std::string& kept) {
    const auto part = made(R"(, "layer": "s")" + more);
    part->use_files({place_of, kept});
    Init init(cpu(), 3);
    part->build(widths(), init);
    const FieldRows once = run(*part, source);
    const FieldRows twice = run(*part, source);
    EXPECT_EQ(once.values.values(), twice.values.values());
    EXPECT_EQ(once.layout.grids(), source.layout.grids());
    return once.values.values();
  };
  const std::vector<double> plain = seen("", "");
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_EQ(seen("", folder), plain);
  const std::string file = folder + "/features.cache";
  const auto size = std::filesystem::file_size(file);
  EXPECT_EQ(size, 16U + 64U + 3 * 76U + (20U + 9U + 20U) * 2 * sizeof(float));
  EXPECT_EQ(seen("", folder), plain);  // another run of the same network reads it
  EXPECT_EQ(std::filesystem::file_size(file), size);
  SafetensorsFile changed = made_up_network();
  changed.tensors[1] = numbers_in_file("a.bias", {2}, {0, 0.75F});
  write_safetensors(path_, changed);
  EXPECT_NE(seen("", folder), plain);  // another network begins anew
  EXPECT_EQ(std::filesystem::file_size(file), size);
  std::filesystem::remove_all(folder);
  EXPECT_NE(seen(R"(, "frozen": false)", folder), plain);
  EXPECT_FALSE(std::filesystem::exists(file));
}

/// What the cache holds is given instead of the network's result.
TEST_F(ConvolutionalFronts, AskTheNetworkOnceForAPicture) {
  const std::string folder = path_ + ".kept";
  std::filesystem::remove_all(folder);
  FeatureCache cache(folder, std::string(64, 'a'), 1 << 20);
  int64_t asked = 0;
  const OverPictures count = [&](const Tensor& x) {
    asked += x.size(0);
    return x;
  };
  const FieldRows first = pictures({{2, 2}}, cpu());
  const FieldRows same = cached_grids(first, cpu(), count, cache);
  EXPECT_EQ(asked, 1);
  const Tensor twice = Tensor::empty({8, 3}, cpu().with(DType::u8));
  for (const int64_t at : {0, 4}) {
    cpu().backend->copy(sliced(twice.view(), 0, at, 4), first.values.view());
  }
  const std::vector<int32_t> lengths = {4, 4};
  const Layout layout = Layout::packed(lengths, cpu()).with_grids({{2, 2}, {2, 2}});
  const FieldRows again = cached_grids({twice, layout}, cpu(), count, cache);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(again.values.values(), joined(same.values.values(), same.values.values()));
  std::filesystem::remove_all(folder);
  FeatureCache other(folder, std::string(64, 'b'), 1 << 20);
  cached_grids({twice, layout}, cpu(), count, other);
  EXPECT_EQ(asked, 2);  // twice in the batch, once through the network
  std::filesystem::remove_all(folder);
}

/// A model's file has the list of layers among its settings, and needs no other file.
TEST_F(ConvolutionalFronts, AModelContainsItsNetwork) {
  Model model;
  apply(model,
        parse_json(R"({"front": {"kind": "convolutional", "layer": "s", "network": ")" + path_ +
                       R"("}, "encoder": "identity",
                              "decoder": {"kind": "attend_first", "width": 4, "embedding": 4}})",
                   "test"));
  Init init(cpu(), 1);
  model.build(RowForm::numbers(3), RowForm::ids(5), init);
  SafetensorsFile file;
  file.metadata["aliases"] = "{}";
  for (const NamedParameter& parameter : distinct_parameters_of(model)) {
    file.tensors.push_back(file_tensor(parameter.name, *parameter.tensor));
  }
  const Json config = config_of(model);
  std::filesystem::remove(path_);
  Model again;
  apply(again, config);
  Init blank = Init::blank(cpu());
  again.build(RowForm::numbers(3), RowForm::ids(5), blank);
  fill_weights(again, file, "test");
  EXPECT_EQ(config_of(again), config);
  const FieldRows source = pictures({{6, 5}, {2, 2}}, cpu());
  Pass pass = Pass::serving();
  const Encoded encoded = again.encode(source, pass);
  EXPECT_EQ(encoded.blocks[0].values(), model.encode(source, pass).blocks[0].values());
  EXPECT_EQ(encoded.layout.grids(), (std::vector<GridExtent>{{6, 5}, {2, 2}}));
}

TEST_F(ConvolutionalFronts, EverySettingChangesSomething) {
  TurnOptions options;
  const std::string other = path_ + ".other";
  SafetensorsFile file = made_up_network();
  file.tensors[1] = numbers_in_file("a.bias", {2}, {0, 0.75F});
  write_safetensors(other, file);
  options.tries["network"] = {other};
  options.tries["layer"] = {"a"};
  options.tries["layers"] = {LayerList::parse(file.metadata["layers"], "test").up_to("d").write()};
  options.given["position.base"] = parse_json(R"({"position": "sinusoidal"})", "test");
  const std::string folder = path_ + ".kept";
  const Probe probe = [&](Described& described) {
    std::filesystem::remove_all(folder);
    auto& part = dynamic_cast<Front&>(described);
    part.use_files({[](const std::string& name) { return name; }, folder});
    const std::vector<double> seen = seen_by(part);
    const auto trained = trained_parameters_of(part.layers());
    return joined({static_cast<double>(trained.size()),
                   std::filesystem::exists(folder + "/features.cache") ? 1.0 : 0.0},
                  seen);
  };
  options.tries["cache"] = {0};
  const auto make = [this] { return made(R"(, "layer": "s")"); };
  EXPECT_GE(turn_every_setting(make, probe, options), 7U);
  std::filesystem::remove(other);
  std::filesystem::remove_all(folder);
}

TEST_F(ConvolutionalFronts, SayWhatIsMissing) {
  EXPECT_THAT(said_by([] { front("convolutional", "{}")->width(widths()); }),
              HasSubstr("set model.front.network"));
  EXPECT_THAT(said_by([&] { made(R"(, "layer": "pool")")->width(widths()); }),
              HasSubstr("needs a layer before it"));
  EXPECT_THAT(said_by([&] { made(R"(, "layer": "q")")->width(widths()); }),
              HasSubstr("saw the layer \"q\""));
  EXPECT_THAT(
      said_by([] { front("convolutional", R"({"network": "/no/such"})")->width(widths()); }),
      HasSubstr("/no/such"));
}

/// $HEED_DATA at the beginning of the path stands for the data's folder; the setting stays as it is.
TEST_F(ConvolutionalFronts, FindTheirNetworkWhereTheDataLies) {
  const auto part = front("convolutional", R"({"network": "$HEED_DATA/x"})");
  std::string asked;
  const auto located = [&](const std::string& file) {
    asked = file;
    return path_;
  };
  part->use_files({located});
  EXPECT_EQ(asked, "$HEED_DATA/x");
  Init init(cpu(), 3);
  EXPECT_NO_THROW(part->build(widths(), init));
  EXPECT_THAT(config_of(*part).write(), HasSubstr("$HEED_DATA/x"));
}

}  // namespace
}  // namespace heed::test::picture_fronts_test
