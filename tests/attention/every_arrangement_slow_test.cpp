// Every combination of score, normaliser, focus and heads.
#include "tests/attention/arrangement_checks.h"

namespace heed::test::every_arrangement_slow_test {
namespace {

INSTANTIATE_TEST_SUITE_P(All, EveryArrangement, ::testing::ValuesIn(shares(1)), name_of_share);

}  // namespace
}  // namespace heed::test::every_arrangement_slow_test
