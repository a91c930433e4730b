#include "heed/tensor/layout.h"

#include <gtest/gtest.h>

#include "tests/support/backends.h"

namespace heed::layout_test {
namespace {

TEST(Layout, RemembersGrids) {
  const std::vector<int32_t> lengths = {6, 4};
  const Layout plain = Layout::packed(lengths, {&test::forced("reference"), DType::f32});
  EXPECT_TRUE(plain.grids().empty());
  const Layout grids = plain.with_grids({{2, 3}, {4, 1}});
  ASSERT_EQ(grids.grids().size(), 2U);
  EXPECT_EQ(grids.grids()[1], (GridExtent{4, 1}));
  EXPECT_EQ(grids.lengths(), lengths);
  EXPECT_TRUE(plain.grids().empty()) << "the layout it was made from is as it was";
  EXPECT_THROW(plain.with_grids({{2, 3}}), Error);
  EXPECT_THROW(plain.with_grids({{2, 3}, {2, 3}}), Error);
}

}  // namespace
}  // namespace heed::layout_test
