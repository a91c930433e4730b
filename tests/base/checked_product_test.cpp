#include "heed/base/checked_product.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace heed::checked_product_test {
namespace {

__extension__ typedef __int128 Wide;  // NOLINT: `using` knows no __extension__

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(CheckedProduct, EqualsTheProductOrSaysThatItIsTooLarge) {
  // Compared with the product in 128 bits, around every power of two.
  std::vector<std::int64_t> numbers = {0, largest, largest - 1};
  for (int bit = 0; bit < 63; ++bit) {
    for (const std::int64_t more : {-1, 0, 1}) {
      numbers.push_back((std::int64_t{1} << bit) + more);
    }
  }
  for (const std::int64_t a : numbers) {
    for (const std::int64_t b : numbers) {
      for (const std::int64_t most : {most_elements, largest, std::int64_t{0}}) {
        const Wide exact = static_cast<Wide>(a) * b;
        ASSERT_EQ(product_up_to(most, a, b), exact <= most ? static_cast<std::int64_t>(exact) : -1)
            << a << " " << b << " " << most;
      }
    }
  }
}

TEST(CheckedProduct, RefusesNegativeNumbers) {
  for (const std::int64_t other : {std::int64_t{0}, std::int64_t{1}, largest, std::int64_t{-1}}) {
    EXPECT_EQ(product_up_to(most_elements, -1, other), -1);
    EXPECT_EQ(product_up_to(most_elements, other, std::numeric_limits<std::int64_t>::min()), -1);
  }
}

}  // namespace
}  // namespace heed::checked_product_test
