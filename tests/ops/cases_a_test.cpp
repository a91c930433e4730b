#include "tests/ops/cases_a.h"

namespace heed::test::cases_a_test {
namespace {

class OpsA : public ::testing::TestWithParam<OpOnPlace> {};

TEST_P(OpsA, AgreesWithTheReference) {
  const auto& [op, place] = GetParam();
  expect_parity(op, place, Lie::row_major);
}

TEST_P(OpsA, AgreesWhereInputsAreStrided) {
  const auto& [op, place] = GetParam();
  expect_parity(op, place, Lie::strided);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, OpsA,
                         ::testing::Combine(::testing::ValuesIn(cases_a()),
                                            ::testing::ValuesIn(places())),
                         name_of_case_on);

class OpsAGradients : public ::testing::TestWithParam<OpCase> {};

TEST_P(OpsAGradients, AgreeWithFiniteDifferences) { expect_gradients(GetParam()); }

std::vector<OpCase> differentiable() {
  std::vector<OpCase> some;
  for (const OpCase& op : cases_a()) {
    if (op.name != "argmax") {
      some.push_back(op);
    }
  }
  return some;
}

INSTANTIATE_TEST_SUITE_P(Each, OpsAGradients, ::testing::ValuesIn(differentiable()), name_of_case);

}  // namespace
}  // namespace heed::test::cases_a_test
