// Hard attention trained by the exact sum over slots: it learns where to look.
#include <gtest/gtest.h>

#include "heed/ops/reduce.h"
#include "tests/base/scratch_directory.h"
#include "tests/train/small_run.h"

namespace heed::test::marginal_slow_test {
namespace {

TEST(Marginal, TeachesHardAttentionWhereToLook) {
  const ScratchDirectory scratch;
  const std::string model =
      R"({"decoder": {"kind": "attend_after", "input_feeding": false, "width": 32,
    "attention": {"score": "bilinear", "normaliser": "hard", "project": true}}})";
  SmallRun run(R"({"steps": 150, "validate_every": 0, "objectives": "marginal"})", model);
  run.run(scratch / "run");
  Pass pass = Pass::serving();
  const Attended seen =
      run.trained.model->teach(run.batch(40), {.distribution = true}, pass).reports.front();
  const double most = mean(max(seen.distribution, 2)).item();
  EXPECT_GT(most, 0.8);
}

}  // namespace
}  // namespace heed::test::marginal_slow_test
