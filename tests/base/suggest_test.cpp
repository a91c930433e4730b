#include "heed/base/suggest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heed/base/edit_distance.h"
#include "heed/base/philox.h"

namespace heed::suggest_test {
namespace {

/// The recursion as the papers write it, exponential, for short strings.
std::size_t distance_by_definition(std::string_view a, std::string_view b, Swaps swaps) {
  if (a.empty() || b.empty()) {
    return a.size() + b.size();
  }
  const std::string_view a1 = a.substr(0, a.size() - 1);
  const std::string_view b1 = b.substr(0, b.size() - 1);
  std::size_t least =
      std::min(distance_by_definition(a1, b, swaps) + 1, distance_by_definition(a, b1, swaps) + 1);
  least = std::min(least, distance_by_definition(a1, b1, swaps) + (a.back() == b.back() ? 0 : 1));
  if (swaps == Swaps::yes && !a1.empty() && !b1.empty() && a.back() == b1.back() &&
      a1.back() == b.back()) {
    least = std::min(least, distance_by_definition(a1.substr(0, a1.size() - 1),
                                                   b1.substr(0, b1.size() - 1), swaps) +
                                1);
  }
  return least;
}

TEST(EditDistance, KnownPairs) {
  EXPECT_EQ(edit_distance(std::string("kitten"), std::string("sitting")), 3U);
  EXPECT_EQ(edit_distance(std::string(""), std::string("abc")), 3U);
  EXPECT_EQ(edit_distance(std::string("ab"), std::string("ba")), 2U);
  EXPECT_EQ(edit_distance(std::string("ab"), std::string("ba"), Swaps::yes), 1U);
  EXPECT_EQ(edit_distance(std::vector<int>{1, 2, 3}, std::vector<int>{1, 3}), 1U);
}

TEST(EditDistance, EqualsItsDefinition) {
  const Draws draws(RandomKey{1, 1, 1});
  std::uint64_t element = 0;
  auto word = [&] {
    std::string text(draws.below(element++, 6), 'a');
    for (char& letter : text) {
      letter = static_cast<char>('a' + draws.below(element++, 3));
    }
    return text;
  };
  for (int trial = 0; trial < 300; ++trial) {
    const std::string a = word();
    const std::string b = word();
    for (const Swaps swaps : {Swaps::no, Swaps::yes}) {
      ASSERT_EQ(edit_distance(a, b, swaps), distance_by_definition(a, b, swaps)) << a << " " << b;
    }
  }
}

TEST(Suggest, FindsTheNearest) {
  const std::vector<std::string> names{"dot", "additive", "scaled_dot", "bilinear", "cosine"};
  EXPECT_EQ(closest("aditive", names), "additive");
  EXPECT_EQ(closest("Scaled-Dot", names), "scaled_dot");
  EXPECT_EQ(closest("dto", names), "dot");
  EXPECT_EQ(closest("bliinear", names), "bilinear");
  EXPECT_EQ(closest("zzzzzzzz", names), std::nullopt);
  EXPECT_EQ(closest("", names), std::nullopt);
  EXPECT_EQ(closest("dot", {}), std::nullopt);
  EXPECT_EQ(closest(std::string(100000, 'x'), names), std::nullopt);
}

TEST(Suggest, AllowsTwoEditsOrAThirdOfTheLength) {
  const std::vector<std::string> names{"abcdefghijkl"};
  EXPECT_EQ(closest("abcdefghXXXX", names), names[0]);      // four of twelve
  EXPECT_EQ(closest("abcdefgXXXXX", names), std::nullopt);  // five of twelve
  const std::vector<std::string> brief{"abcd", "xy"};
  EXPECT_EQ(closest("abXX", brief), "abcd");
  EXPECT_EQ(closest("XbcX", brief), std::nullopt);
  EXPECT_EQ(closest("aXXX", brief), std::nullopt);
  EXPECT_EQ(closest("tcsh", std::vector<std::string>{"bash"}), std::nullopt);  // another shell
  EXPECT_EQ(closest("ab", std::vector<std::string>{"xy"}), std::nullopt);      // nothing in common
}

TEST(Suggest, TakesBeginningsButNoStranger) {
  const std::vector<std::string> verbs{"train", "translate", "evaluate"};
  EXPECT_EQ(closest("eval", verbs), "evaluate");
  EXPECT_EQ(closest("trian", verbs), "train");
  const std::vector<std::string> options{"--beam", "--batch", "--svg", "--max-length",
                                         "--max-length-margin"};
  EXPECT_EQ(closest("--beam-size", options), "--beam");
  EXPECT_EQ(closest("--beam_size", options), "--beam");
  EXPECT_EQ(closest("--max-len", options), "--max-length");
  EXPECT_EQ(closest("--src", options), std::nullopt);  // two of three letters are others
  EXPECT_EQ(closest("--sgv", options), "--svg");
  EXPECT_EQ(closest("en-z", std::vector<std::string>{"en-zh", "shapes"}), "en-zh");
}

TEST(Suggest, EndsAMessage) {
  const std::vector<std::string> names{"learning_rate"};
  EXPECT_EQ(did_you_mean("learning_rte", names), "; did you mean \"learning_rate\"?");
  EXPECT_EQ(did_you_mean("q", names), "");
}

}  // namespace
}  // namespace heed::suggest_test
