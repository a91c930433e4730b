// Vectors in a request: what is taken, and what is not.
#include "heed/serve/vectors_setting.h"

#include <gtest/gtest.h>

#include <limits>

namespace heed::test::vectors_setting_test {
namespace {

bool takes(const std::string& text, Vectors& vectors) {
  VectorsSetting setting(vectors, {"vectors"});
  return setting.assign(parse_json(text, "the request"));
}

TEST(VectorsOfARequest, AreRowsOfOneWidth) {
  Vectors vectors;
  EXPECT_TRUE(takes("[[1, 0.5], [-2e3, 0], [3, 4]]", vectors));
  EXPECT_EQ(vectors.rows, 3);
  EXPECT_EQ(vectors.width, 2);
  EXPECT_EQ(vectors.values, (std::vector<float>{1, 0.5F, -2000, 0, 3, 4}));
  EXPECT_EQ(VectorsSetting(vectors, {"vectors"}).value().write(),
            "[[1.0,0.5],[-2000.0,0.0],[3.0,4.0]]");
}

TEST(VectorsOfARequest, AreLeftAsTheyAreByWhatIsNone) {
  Vectors vectors;
  ASSERT_TRUE(takes("[[7]]", vectors));
  for (const char* const wrong :
       {"[]", "[[]]", "[[1], [1, 2]]", "[[1, 2], [1]]", "[1, 2]", "[[\"1\"]]", "[[null]]",
        "[[1], 2]", "{}", "3", "[[1e7]]", "[[[1]]]"}) {
    EXPECT_FALSE(takes(wrong, vectors)) << wrong;
  }
  std::string many = "[[1]";
  for (std::size_t i = 1; i < Vectors::most_rows; ++i) {
    many += ",[1]";
  }
  EXPECT_FALSE(takes(many + ",[1]]", vectors));
  EXPECT_EQ(vectors.values, std::vector<float>{7});
  EXPECT_TRUE(takes(many + "]", vectors));
}

TEST(VectorsOfARequest, AreWrittenWithoutWhatIsNoNumber) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(written_vectors({1, -infinity, 0.25F, 2}, 2).write(), "[[1.0,null],[0.25,2.0]]");
}

}  // namespace
}  // namespace heed::test::vectors_setting_test
