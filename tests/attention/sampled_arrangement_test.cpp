// One combination in thirteen (a prime, so that every part comes up): quick even under a sanitizer.
#include "tests/attention/arrangement_checks.h"

namespace heed::test::sampled_arrangement_test {
namespace {

INSTANTIATE_TEST_SUITE_P(Sampled, EveryArrangement, ::testing::ValuesIn(shares(13)), name_of_share);

}  // namespace
}  // namespace heed::test::sampled_arrangement_test
