// convolutional: a front that runs a network which was trained before, and keeps what it computed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "heed/config/explain.h"
#include "heed/model/file/file_tensor.h"
#include "heed/model/file/model_file.h"
#include "heed/model/grid/cached_grids.h"
#include "heed/model/grid/layer_list.h"
#include "heed/ops/reduce.h"
#include "heed/tensor/tape.h"
#include "tests/model/made_pictures.h"
#include "tests/model/made_up_network.h"
#include "tests/support/gradients_reach.h"
#include "tests/support/turn_settings.h"

namespace heed::test::convolutional_front_test {
namespace {

using namespace made_pictures;
using ::testing::HasSubstr;

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
  HostRows made{HostArray({8, 3}, cpu().with(DType::u8)), {4, 4}, {{2, 2}, {2, 2}}};
  for (const int64_t at : {0, 12}) {
    made.values.write(at, first.host->as<uint8_t>());
  }
  const FieldRows twice = std::move(made).uploaded(cpu());
  const FieldRows again = cached_grids(twice, cpu(), count, cache);
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(again.values.values(), joined(same.values.values(), same.values.values()));
  std::filesystem::remove_all(folder);
  FeatureCache other(folder, std::string(64, 'b'), 1 << 20);
  cached_grids(twice, cpu(), count, other);
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
              HasSubstr("choose a layer before it"));
  EXPECT_THAT(said_by([&] { made(R"(, "layer": "q")")->width(widths()); }),
              HasSubstr("there is no layer \"q\" among the"));
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
}  // namespace heed::test::convolutional_front_test
