// A Transformer block's dropout: on every residual branch, in training only.
#include "heed/model/transformer_block.h"

#include <gtest/gtest.h>

#include "tests/model/pairs.h"
#include "tests/support/tolerance.h"

namespace heed::test::transformer_block_test {
namespace {

const Place place{&forced("cpu"), DType::f32};

/// A block with that dropout over two sequences; decoders look at memories of 2 and 3 slots.
struct Block {
  Block(bool is_decoder, double dropout) {
    TransformerDesign design(is_decoder, is_decoder);
    design.width = 8;
    design.dropout = dropout;
    Init init(place, 3);
    block.build(design, 8, init);
    move_parameters(block);
  }
  Tensor operator()(Pass& pass) const {
    const std::vector<int32_t> lengths = {4, 1};
    const std::vector<int32_t> slots = {2, 3};
    const Layout rows = Layout::packed(lengths, place);
    const Layout memory = Layout::packed(slots, place);
    const auto normal = [](uint64_t number) {
      return Tensor::random({5, 8}, Distribution::normal, {4, 0, number}, place);
    };
    const Geometry within({.queries = rows, .memory_lengths = lengths, .place = place});
    const Geometry across({.queries = rows, .memory_lengths = slots, .place = place});
    Attended reported;
    ResidualRows x(normal(1));
    if (block.cross().width() == 0) {
      block(x, {.self_geometry = within, .layout = &rows}, reported, pass);
      return x.rows();
    }
    const Memory kept = block.cross().remember(normal(2), memory);
    block(x,
          {.self_geometry = within,
           .layout = &rows,
           .cross_geometry = &across,
           .cross_memory = &kept},
          reported, pass);
    return x.rows();
  }
  TransformerBlock block;
};

TEST(TransformerBlock, DropsEveryBranchInTrainingOnly) {
  for (const bool is_decoder : {false, true}) {
    const Block plain(is_decoder, 0);
    const Block dropping(is_decoder, 0.5);
    Pass serving = Pass::serving();
    const Tensor expected = plain(serving);
    EXPECT_TRUE(same_bits(dropping(serving), expected));
    EXPECT_EQ(serving.draw().key.stream, 0U);
    Pass training = Pass::training(1, 1);
    EXPECT_FALSE(same_bits(dropping(training), expected));
    EXPECT_EQ(training.draw().key.stream, is_decoder ? 3U : 2U) << "one draw for each branch";
    Pass dry = Pass::training(1, 1);
    EXPECT_TRUE(same_bits(plain(dry), expected));
  }
}

}  // namespace
}  // namespace heed::test::transformer_block_test
