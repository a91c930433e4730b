#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "heed/base/inline_function.h"
#include "heed/base/inline_vector.h"

namespace heed::inline_test {
namespace {

using Function = InlineFunction<int(int), 32>;

TEST(InlineFunction, CallsWhatItHolds) {
  int base = 10;
  Function add = [&base](int x) { return base + x; };
  EXPECT_EQ(add(1), 11);
  base = 20;
  EXPECT_EQ(add(1), 21);
  EXPECT_FALSE(Function());
  add = nullptr;
  EXPECT_FALSE(add);
}

TEST(InlineFunction, HoldsWhatIsTooLargeToo) {
  std::array<int, 100> many{};
  many[99] = 5;
  Function last = [many](int x) { return many[99] + x; };
  Function moved = std::move(last);
  EXPECT_FALSE(last);  // NOLINT: moved from on purpose
  EXPECT_EQ(moved(1), 6);
}

TEST(InlineFunction, LetsGoOfWhatItHeldOnce) {
  const auto held = std::make_shared<int>(3);
  {
    Function small = [held](int x) { return *held + x; };
    Function large = [held, room = std::array<char, 200>()](int x) { return *held + x + room[0]; };
    EXPECT_EQ(held.use_count(), 3);
    Function moved = std::move(small);
    EXPECT_EQ(moved(1) + large(1), 8);
    EXPECT_EQ(held.use_count(), 3);
    moved = std::move(large);
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(InlineFunction, MayHoldWhatOnlyMoves) {
  Function f = [box = std::make_unique<int>(4)](int x) { return *box * x; };
  Function g = std::move(f);
  EXPECT_EQ(g(3), 12);
}

TEST(InlineVector, GrowsOutOfItself) {
  InlineVector<std::string, 2> words;
  EXPECT_TRUE(words.empty());
  for (int i = 0; i < 9; ++i) {
    words.push_back("a word that is longer than a string holds inside " + std::to_string(i));
  }
  ASSERT_EQ(words.size(), 9U);
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(words[i].back(), static_cast<char>('0' + i));
  }
  words.clear();
  EXPECT_TRUE(words.empty());
  words.push_back("again");
  EXPECT_EQ(*words.begin(), "again");
}

TEST(InlineVector, DestroysEveryElementOnce) {
  const auto held = std::make_shared<int>(0);
  {
    InlineVector<std::shared_ptr<int>, 3> many;
    for (int i = 0; i < 7; ++i) {
      many.push_back(held);
    }
    EXPECT_EQ(held.use_count(), 8);
    many.clear();
    EXPECT_EQ(held.use_count(), 1);
    many.reserve(10);
    many.push_back(held);
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace heed::inline_test
