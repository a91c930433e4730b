// The tree of a beam's hypotheses, by hand, and that a search keeps no more than a node a word.
#include "heed/search/hypothesis_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::test::hypothesis_tree_test {
namespace {

using testing::ElementsAre;
using Tree = HypothesisTree;

std::vector<float> copy(std::span<const float> row) { return {row.begin(), row.end()}; }

//        ┌ 5 ┬ 7 (row 1)
// root ──┤   └ 8 (row 1)        the rows 0 and 1 are shared
//        └ 6 ── 9 (row 2)
TEST(HypothesisTree, SharesWordsAndRows) {
  Tree tree;
  const int32_t first = tree.add_weights(std::vector<float>{0.25F, 0.75F});
  const int32_t five = tree.add({Tree::root, 5, first, -1});
  const int32_t six = tree.add({Tree::root, 6, first, -2});
  const int32_t second = tree.add_weights(std::vector<float>{1, 0});
  const int32_t seven = tree.add({five, 7, second, -3});
  const int32_t eight = tree.add({five, 8, second, -4});
  const int32_t third = tree.add_weights(std::vector<float>{0.5F, 0.5F});
  const int32_t nine = tree.add({six, 9, third, -5});
  EXPECT_EQ(tree.nodes(), 6);
  EXPECT_THAT(tree.words(Tree::root), ElementsAre());
  EXPECT_THAT(tree.words(seven), ElementsAre(5, 7));
  EXPECT_THAT(tree.words(eight), ElementsAre(5, 8));
  EXPECT_THAT(tree.words(nine), ElementsAre(6, 9));
  EXPECT_EQ(tree[eight].log_probability, -4);
  const auto rows = tree.weights(nine, second);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(copy(rows[0]), ElementsAre(0.25F, 0.75F));
  EXPECT_THAT(copy(rows[1]), ElementsAre(0.5F, 0.5F));
  EXPECT_THAT(copy(rows[2]), ElementsAre(1, 0));
  EXPECT_EQ(tree.weights(seven).size(), 2U);
}

TEST(HypothesisTree, HasRowsOfOneLength) {
  Tree tree;
  tree.add_weights(std::vector<float>{1, 0});
  EXPECT_THROW(tree.add_weights(std::vector<float>{1}), Error);
  EXPECT_TRUE(tree.weights(tree.add({Tree::root, 3})).empty());
}

}  // namespace
}  // namespace heed::test::hypothesis_tree_test
