// The dropout kernel against the draws of base/philox.h, one element at a time.
#include "heed/device/kernel/dropout.h"

#include <gtest/gtest.h>

#include "tests/backend/cpu/each_target.h"
#include "tests/support/backends.h"
#include "tests/support/tolerance.h"

namespace heed::test::dropout_test {
namespace {

Place cpu() { return {&forced("cpu"), DType::f32}; }

TEST(DropoutKernel, DrawsForEveryElementByItsPlace) {
  const RanOn guard(forced("cpu"));
  on_each_target([] {
    for (const int64_t count : {1, 3, 255, 256, 257, 4099, 70001}) {
      for (const double rate : {0.0, 0.1, 0.5, 0.999}) {
        const RandomKey key{.seed = 5, .step = uint64_t{1} << 40, .stream = 7};
        const Tensor x = Tensor::random({count}, Distribution::normal, {1, 2, 3}, cpu());
        const Tensor y = Tensor::empty({count}, cpu());
        cpu().backend->run_fused(DropoutStep{y.view(), x.view(), rate, key});
        const Draws draws(key);
        std::vector<double> expected = x.values();
        for (size_t i = 0; i < expected.size(); ++i) {
          const double uniform = (static_cast<double>(draws.bits(i) >> 9) + 0.5) * 0x1p-23;
          expected[i] *=
              uniform >= static_cast<double>(static_cast<float>(rate)) ? 1 / (1 - rate) : 0;
        }
        ASSERT_TRUE(close(y, expected)) << count << " at " << rate;
      }
    }
  });
}

TEST(DropoutKernel, EqualsUniformNumbersKeptAndMultiplied) {
  constexpr double rate = 0.3;
  const RandomKey key{.seed = 9};
  const Tensor x = Tensor::random({77, 129}, Distribution::normal, {1, 2, 3}, cpu());
  const Tensor y = Tensor::empty(x.shape(), cpu());
  cpu().backend->run_fused(DropoutStep{y.view(), x.view(), rate, key});
  const Tensor mask = Tensor::random(x.shape(), Distribution::uniform, key, cpu());
  const View one[] = {mask.view()};
  cpu().backend->map(function<fn::Keep>, mask.view(), one, {rate, 1 / (1 - rate)});
  const View two[] = {mask.view(), x.view()};
  cpu().backend->map(function<fn::Multiply>, mask.view(), two, {});
  EXPECT_TRUE(same_bits(y, mask));
}

TEST(DropoutKernel, RefusesGaps) {
  const Tensor x = Tensor::zeros({2, 3}, cpu());
  const Tensor y = Tensor::zeros({3, 2}, cpu());
  EXPECT_THROW(cpu().backend->run_fused(DropoutStep{y.view(), transposed(x.view()), 0.5, {}}),
               Error);
}

}  // namespace
}  // namespace heed::test::dropout_test
