// Copies that belong together are one call where the backend has a kernel for that.
#include "heed/ops/copies.h"

#include <gtest/gtest.h>

#include "heed/ops/concat.h"
#include "tests/support/backends.h"
#include "tests/support/recording_backend.h"
#include "tests/support/tolerance.h"

namespace heed::test::copies_test {
namespace {

Tensor normal(const Shape& shape, uint64_t number, const Place& place) {
  return Tensor::random(shape, Distribution::normal, {6, 0, number}, place);
}

TEST(Copies, JoinTensorsInOneCall) {
  for (const int axis : {0, 1}) {
    std::vector<Tensor> joined;
    for (const bool is_composed : {false, true}) {
      RecordingBackend backend(forced("cpu"));
      const Place place{&backend, DType::f32};
      if (is_composed) {
        backend.hide<Copies>();
      }
      const Tensor parts[] = {normal({5, 5}, 1, place), normal({5, 5}, 2, place),
                              normal({5, 5}, 3, place)};
      backend.take();
      const Tensor all = concat(parts, axis);
      EXPECT_EQ(backend.take().calls.size(), is_composed ? 3 : 1);
      joined.push_back(Tensor::of(all.values(), all.shape(), {&forced("cpu"), DType::f32}));
    }
    EXPECT_TRUE(same_bits(joined[0], joined[1])) << "axis " << axis;
  }
}

TEST(Copies, CastAndFollowStrides) {
  const Place place{&forced("cpu"), DType::f32};
  const Tensor whole = Tensor::of(std::vector<int32_t>{1, 2, 3, 4}, {2, 2}, place.with(DType::i32));
  const Tensor real = normal({2, 2}, 4, place);
  const Tensor to = Tensor::zeros({4, 2}, place);
  const CopyPair pairs[] = {{sliced(to.view(), 0, 0, 2), transposed(whole.view())},
                            {sliced(to.view(), 0, 2, 2), real.view()}};
  copy_all(*place.backend, pairs);
  std::vector<double> expected = {1, 3, 2, 4};
  for (const double value : real.values()) {
    expected.push_back(value);
  }
  EXPECT_EQ(to.values(), expected);
}

}  // namespace
}  // namespace heed::test::copies_test
