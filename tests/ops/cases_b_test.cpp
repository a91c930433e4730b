#include "tests/ops/cases_b.h"

namespace heed::test::cases_b_test {
namespace {

class OpsB : public ::testing::TestWithParam<OpOnPlace> {};

TEST_P(OpsB, AgreesWithTheReference) {
  const auto& [op, place] = GetParam();
  expect_parity(op, place, Lie::row_major);
}

TEST_P(OpsB, AgreesWhereInputsAreStrided) {
  const auto& [op, place] = GetParam();
  expect_parity(op, place, Lie::strided);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, OpsB,
                         ::testing::Combine(::testing::ValuesIn(cases_b()),
                                            ::testing::ValuesIn(places())),
                         name_of_case_on);

class OpsBGradients : public ::testing::TestWithParam<OpCase> {};

TEST_P(OpsBGradients, AgreeWithFiniteDifferences) { expect_gradients(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Each, OpsBGradients, ::testing::ValuesIn(cases_b()), name_of_case);

}  // namespace
}  // namespace heed::test::cases_b_test
