// Networks from lists of layers: numbers worked out by hand, and the two MobileNets against the
// reference numbers of their architecture.md, which need the data ($HEED_DATA/imagenet_cnn).
#include "heed/model/grid/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "heed/base/error.h"
#include "heed/nn/precision.h"
#include "heed/tensor/tape.h"
#include "tests/model/made_up_network.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::network_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Networks : public ::testing::TestWithParam<Place> {
 protected:
  /// Its result at this layer for a picture.
  Tensor at(const std::string& layer, const Tensor& x) const {
    const SafetensorsFile file = made_up_network();
    Init init(GetParam(), 1);
    Network network;
    network.build(LayerList::parse(file.metadata.at("layers"), "made up").up_to(layer), true, init);
    network.load(file, "made up");
    return network(x, Pass::serving());
  }
  Tensor picture() const {
    return Tensor::of(std::vector<double>{1, 2, 3, 4, 5, 6, 0, 1, 0, -1, 0, 2}, {1, 2, 2, 3},
                      GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Everywhere, Networks, ::testing::ValuesIn(places()), name_of_place);

TEST_P(Networks, ComputeWhatAHandDoes) {
  EXPECT_THAT(at("a", picture()).values(), ElementsAre(1, -0.5, 4, -0.5, 0, 1.5, -1, -1.5));
  EXPECT_THAT(at("d", picture()).values(), ElementsAre(2, 2, 6, 2, 0, 0, 0, 6));
  EXPECT_THAT(at("s", picture()).values(), ElementsAre(3, 1.5, 10, 1.5, 0, 1.5, -1, 4.5));
  // 1·3 + 2·10 + 3·0 − 4·1 = 19,  1·1.5 + 10·4.5 = 46.5,  −1
  EXPECT_THAT(at("b", picture()).values(), ElementsAre(64.5));
  EXPECT_THAT(at("pool", picture()).values(), ElementsAre(3, 2.25));
  const Tensor top = at("top", picture());
  EXPECT_THAT(top.values(), ElementsAre(7.75, -2.25));
  EXPECT_EQ(top.shape(), (Shape{1, 1, 1, 2}));
}

/// More pictures than are run at a time: each has the bits that it has alone, recorded or not.
TEST_P(Networks, RunManyPicturesPartByPart) {
  const Place place = GetParam();
  const SafetensorsFile file = made_up_network();
  const LayerList list = LayerList::parse(file.metadata.at("layers"), "made up");
  const Tensor x = Tensor::random({5, 300, 300, 3}, Distribution::normal, {.seed = 6}, place);
  for (const bool is_frozen : {true, false}) {
    Init init(place, 1);
    Network network;
    network.build(list.up_to("b"), is_frozen, init);
    network.load(file, "made up");
    const Tensor together = network(x, Pass::serving());
    EXPECT_EQ(together.shape(), (Shape{5, 150, 150, 1}));
    EXPECT_EQ(together.needs_gradient(), !is_frozen);
    for (int64_t b = 0; b < 5; ++b) {
      const Tensor one = x.seen_as(sliced(x.view(), 0, b, 1));
      EXPECT_TRUE(same_bits(network(one, Pass::serving()),
                            together.seen_as(sliced(together.view(), 0, b, 1))))
          << b;
    }
  }
}

std::string temporary(const std::string& name, const SafetensorsFile& file) {
  const std::string path = ::testing::TempDir() + "heed_network_" + name + ".safetensors";
  write_safetensors(path, file);
  return path;
}

std::string refusal(const std::string& name, const SafetensorsFile& file) {
  const std::string path = temporary(name, file);
  std::string said;
  try {
    read_network(path, read_layer_list(path));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::file);
    said = error.what();
  }
  std::filesystem::remove(path);
  return said;
}

TEST(NetworkFiles, AreReadStrictly) {
  EXPECT_EQ(refusal("whole", made_up_network()), "");
  SafetensorsFile file = made_up_network();
  file.metadata.erase("layers");
  EXPECT_THAT(
      refusal("no_layers", file),
      HasSubstr(
          "its metadata has no \"layers\", the network's list of layers; give a network's file"));
  file = made_up_network();
  file.metadata["padding"] = "symmetric";
  EXPECT_THAT(
      refusal("padding", file),
      HasSubstr(
          "its padding is \"symmetric\", not \"TF SAME\"; give a network that was trained so"));
  file = made_up_network();
  file.metadata["input"] = "BGR";
  EXPECT_THAT(refusal("input", file), HasSubstr("its input is \"BGR\", not \""));
  file = made_up_network();
  file.tensors.erase(file.tensors.begin() + 3);
  EXPECT_THAT(refusal("missing", file), HasSubstr("the tensor d.bias"));
  file = made_up_network();
  file.tensors[4].shape = {1, 3, 2, 3};
  EXPECT_THAT(refusal("shape", file),
              HasSubstr("b.weight has the shape [1, 3, 2, 3], not [1, 2, 3, 3]"));
}

/// A file of another program has no hash; if there is one, it must be right.
TEST(NetworkFiles, NeedNoHashOfHeeds) {
  std::string bytes = format_safetensors(made_up_network());
  const std::string key = "\"sha256\":";
  const size_t at = bytes.find(key);
  std::string other = bytes;
  other.replace(at, key.size(), "\"sha257\":");
  EXPECT_NO_THROW(parse_safetensors(other, "other", FileHash::if_there));
  EXPECT_THROW(parse_safetensors(other, "other"), Error);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  EXPECT_THROW(parse_safetensors(bytes, "damaged", FileHash::if_there), Error);
}

/// What architecture.md says of a layer; numbers that it does not say are left out of the test.
struct Reference {
  std::string layer;
  Shape shape;                     // [1, y, x, c]
  double mean = -1;                // given to 5 digits behind the point
  double most = -1;                // to 4 digits
  std::array<int64_t, 3> at = {};  // (c, y, x) of the largest
};

void expect_reference(const Tensor& y, const Reference& wanted) {
  ASSERT_EQ(y.shape(), wanted.shape);
  const std::vector<double> values = y.values();
  if (wanted.mean >= 0) {
    const double mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    EXPECT_NEAR(mean, wanted.mean, 2e-5);
  }
  if (wanted.most >= 0) {
    const auto most = std::max_element(values.begin(), values.end());
    EXPECT_NEAR(*most, wanted.most, 2e-4);
    const int64_t channels = wanted.shape[3];
    const int64_t cell = (most - values.begin()) / channels;
    EXPECT_THAT((std::array<int64_t, 3>{(most - values.begin()) % channels, cell / wanted.shape[2],
                                        cell % wanted.shape[2]}),
                ::testing::ElementsAreArray(wanted.at));
  }
}

/// The picture of architecture.md: x[c][y][x] = ((7 y + 13 x + 29 c) mod 256) / 127.5 − 1.
Tensor reference_picture(const Place& place) {
  std::vector<double> values;
  for (int y = 0; y < 160; ++y) {
    for (int x = 0; x < 160; ++x) {
      for (int c = 0; c < 3; ++c) {
        values.push_back((7 * y + 13 * x + 29 * c) % 256 / 127.5 - 1);
      }
    }
  }
  return Tensor::of(values, {1, 160, 160, 3}, place);
}

class MobileNets : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("HEED_DATA");
    if (folder == nullptr || !std::filesystem::exists(std::string(folder) + "/imagenet_cnn")) {
      GTEST_SKIP() << "HEED_DATA does not name a folder with imagenet_cnn";
    }
    folder_ = std::string(folder) + "/imagenet_cnn/";
  }
  Tensor run(const std::string& name, const std::string& layer) {
    const std::string path = folder_ + name;
    const LayerList list = read_layer_list(path).up_to(layer);
    Init init = Init::blank(place_);
    Network network;
    network.build(list, true, init);
    network.load(read_network(path, list), path);
    if (serves_) {
      serve(network, Precision::f32);
    }
    return network(reference_picture(place_), Pass::serving());
  }
  void check(const std::string& name, const std::vector<Reference>& all) {
    for (const Reference& wanted : all) {
      SCOPED_TRACE(wanted.layer);
      expect_reference(run(name, wanted.layer), wanted);
    }
  }
  void check_logits(const std::string& name, const std::vector<double>& first, int64_t best,
                    double most) {
    const std::vector<double> logits = run(name, "classifier").values();
    ASSERT_EQ(logits.size(), 1000U);
    for (size_t i = 0; i < first.size(); ++i) {
      EXPECT_NEAR(logits[i], first[i], 2e-4) << i;
    }
    const auto found = std::max_element(logits.begin(), logits.end());
    EXPECT_EQ(found - logits.begin(), best);
    EXPECT_NEAR(*found, most, 2e-4);
  }

  std::string folder_;
  bool serves_ = false;
  Place place_{&forced("cpu"), DType::f32};
};

const char* const edgetpu = "mobilenet_edgetpu_1.0_224.safetensors";
const char* const v1 = "mobilenet_v1_1.0_224.safetensors";

TEST_F(MobileNets, EdgetpuGivesItsReferenceNumbers) {
  check(edgetpu, {{"stem", {1, 80, 80, 32}, 2.27939, 33.6888, {30, 79, 25}},
                  {"block16.add", {1, 10, 10, 96}, 0.90309, 35.3635, {56, 0, 0}},
                  {"block17.expand", {1, 10, 10, 768}, 0.25466, 10.5586, {246, 9, 9}},
                  {"head", {1, 5, 5, 1280}, 0.35456, 14.6435, {1121, 2, 1}}});
  check_logits(edgetpu, {0.6097, -0.1138, -0.2769, -1.2327, -2.2336}, 807, 10.7555);
}

TEST_F(MobileNets, V1GivesItsReferenceNumbers) {
  check(v1, {{"conv0", {1, 80, 80, 32}, 1.54269},
             {"pw11", {1, 10, 10, 512}, 0.32653, 5.4830, {64, 1, 4}},
             {"pw13", {1, 5, 5, 1024}, 0.58055}});
  check_logits(v1, {-1.3493, -0.4296, -2.8977, -6.8277, -4.4678}, 905, 16.6388);
}

/// With weights that are packed once.
TEST_F(MobileNets, ServeTheSame) {
  serves_ = true;
  check(v1, {{"pw11", {1, 10, 10, 512}, 0.32653, 5.4830, {64, 1, 4}}});
  check(edgetpu, {{"block17.expand", {1, 10, 10, 768}, 0.25466, 10.5586, {246, 9, 9}}});
}

}  // namespace
}  // namespace heed::test::network_test
