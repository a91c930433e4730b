// Answers have the same bits in any batch on every target of this CPU and in every precision.
#include "tests/backend/cpu/each_target.h"
#include "tests/engine/any_batch.h"

namespace heed::batch_independence_test {
namespace {

using test::expect_same_in_any_batch;
using test::part;
using test::served;

/// Products of few rows and of many are different kernels, which must round alike on every CPU.
TEST(Batches, ChangeNoBitOnOtherTargetsAndInOtherPrecisions) {
  test::on_each_target([] {
    for (const Precision precision : {Precision::f32, Precision::bf16, Precision::int8}) {
      for (const std::string decoder : {"attend_first", "transformer", "ctc"}) {
        SCOPED_TRACE(decoder);
        expect_same_in_any_batch(served(
            {decoder, "{" + part("encoder", "transformer") + ", " + part("decoder", decoder) + "}"},
            precision));
      }
    }
  });
}

}  // namespace
}  // namespace heed::batch_independence_test
