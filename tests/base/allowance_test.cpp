#include "heed/base/allowance.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "heed/base/error.h"
#include "tests/support/counted_work.h"

namespace heed::allowance_test {
namespace {

TEST(Allowance, CountsWhatIsHeldAsLongAsItIs) {
  test::CountedWork work;
  const UseAllowance use(work);
  {
    HeldBytes first(100);
    const HeldBytes second(10);
    first.grow_to(50);
    EXPECT_EQ(work.held(), 110U) << "what is counted does not shrink";
    first.grow_to(150);
    HeldBytes third = std::move(first);
    EXPECT_EQ(work.held(), 160U);
    third = HeldBytes(5);
    EXPECT_EQ(work.held(), 15U);
  }
  EXPECT_EQ(work.held(), 0U);
  EXPECT_EQ(work.most(), 165U);
}

TEST(Allowance, IsThatOfItsThreadAndOfTheInnermostUse) {
  test::CountedWork outer;
  test::CountedWork inner(0);
  EXPECT_TRUE(goes_on());
  const UseAllowance use(outer);
  {
    const UseAllowance within(inner);
    EXPECT_THROW(check_goes_on(), Error);
    std::thread([] {
      EXPECT_TRUE(goes_on());
      const HeldBytes uncounted(1000);
    }).join();
  }
  EXPECT_TRUE(goes_on());
  EXPECT_EQ(outer.most() + inner.most(), 0U);
}

}  // namespace
}  // namespace heed::allowance_test
