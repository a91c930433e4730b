// Maps as a file: what a reader of safetensors finds in it.
#include "heed/serve/map_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "heed/base/error.h"
#include "heed/model/file/safetensors.h"

namespace heed::test::map_file_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two blocks of two heads each; the maps are [2, 3].
AttentionMaps small_maps() {
  AttentionMaps maps;
  maps.of = AttentionOf::cross;
  maps.rows = {"我", "</s>"};
  maps.columns = {"▁I", "\"", "</s>"};
  for (int block = 0; block < 2; ++block) {
    maps.blocks.push_back({{{1, 0, 0, 0, 1, 0}, {0.5F, 0.25F, 0.25F, 0, 0.1F, 0.9F}}});
  }
  return maps;
}

SafetensorsFile read(const MapFileOptions& options) {
  return parse_safetensors(written_map_file(small_maps(), options), "maps");
}

std::vector<int> bytes_of_tensor(const FileTensor& tensor) {
  std::vector<int> bytes;
  for (const char byte : tensor.bytes.text()) {
    bytes.push_back(static_cast<unsigned char>(byte));
  }
  return bytes;
}

std::string refusal(const MapFileOptions& options) {
  try {
    written_map_file(small_maps(), options);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    return error.what();
  }
  return "";
}

TEST(MapFile, HasATensorABlock) {
  const SafetensorsFile file = read({.most_bytes = 24});
  ASSERT_EQ(file.tensors.size(), 2);
  EXPECT_EQ(file.tensors[0].name, "block.0");
  EXPECT_EQ(file.tensors[1].name, "block.1");
  EXPECT_EQ(file.tensors[1].type, DType::u8);
  EXPECT_THAT(file.tensors[1].shape, ElementsAre(2, 2, 3));
  EXPECT_THAT(bytes_of_tensor(file.tensors[1]),
              ElementsAre(255, 0, 0, 0, 255, 0, 128, 64, 64, 0, 26, 230));
  EXPECT_EQ(file.metadata.at("of"), "cross");
  EXPECT_EQ(file.metadata.at("rows"), R"(["我","</s>"])");
  EXPECT_EQ(file.metadata.at("columns"), R"(["▁I","\"","</s>"])");
  EXPECT_EQ(file.metadata.at("first_head"), "0");
  EXPECT_FALSE(file.metadata.contains("grid"));
}

TEST(MapFile, HasTheWeightsAsTheyAre) {
  const SafetensorsFile file = read({.block = 1, .head = 1, .is_exact = true, .most_bytes = 24});
  ASSERT_EQ(file.tensors.size(), 1);
  EXPECT_EQ(file.tensors[0].name, "block.1");
  EXPECT_EQ(file.tensors[0].type, DType::f32);
  EXPECT_THAT(file.tensors[0].shape, ElementsAre(1, 2, 3));
  EXPECT_EQ(file.metadata.at("first_head"), "1");
  std::vector<float> weights(6);
  file.tensors[0].bytes.read(0, reinterpret_cast<char*>(weights.data()), 24);
  EXPECT_EQ(weights, small_maps().blocks[1].heads[1]);
}

TEST(MapFile, IsRefusedWithWhatToAskFor) {
  EXPECT_EQ(refusal({.most_bytes = 23}),
            "attention: the maps have 24 bytes, and this server sends 23 at most; ask for one "
            "`block` or one `head`, for the `form` u8 or thumbnails");
  EXPECT_EQ(refusal({.head = 1, .is_exact = true, .most_bytes = 48}), "");
  EXPECT_THAT(refusal({.head = 1, .is_exact = true, .most_bytes = 47}), HasSubstr("48 bytes"));
  EXPECT_THAT(refusal({.block = 2, .most_bytes = 100}), HasSubstr("there is no block 2"));
  EXPECT_THAT(refusal({.head = 2, .most_bytes = 100}), HasSubstr("there is no head 2"));
}

}  // namespace
}  // namespace heed::test::map_file_test
