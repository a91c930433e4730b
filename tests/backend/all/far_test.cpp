// The far backend itself: what it is to find, it finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "heed/tensor/arriving.h"
#include "tests/support/backends.h"
#include "tests/support/far_backend.h"
#include "tests/support/tolerance.h"

namespace heed::test::far_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Place far() { return {&forced("far"), DType::f32}; }

TEST(FarDeathTest, TheHostCannotTouchATensor) {
  const Tensor x = Tensor::zeros({4}, far());
  auto* memory = x.view().as<volatile float>();
  EXPECT_DEATH(memory[1] = 1, "");
  EXPECT_DEATH((void)memory[1], "");
}

TEST(Far, AnUploadsSourceMayBeOverwritten) {
  for (const Place& place : places()) {
    const Tensor x = Tensor::empty({3}, place.with(DType::i32));
    std::vector<int32_t> source = {1, 2, 3};
    place.backend->upload(x.view(), source.data());
    source = {7, 7, 7};
    EXPECT_EQ(x.values<int32_t>(), (std::vector<int32_t>{1, 2, 3})) << to_string(place);
  }
}

/// A buffer that was freed is handed out again at once; its calls still run in their order.
TEST(Far, CallsRunInTheirOrder) {
  Tensor sum = Tensor::zeros({8}, far());
  for (int i = 1; i <= 5000; ++i) {
    const Tensor one = Tensor::full({8}, i, far());
    const View in[] = {sum.view(), one.view()};
    far().backend->map(function<fn::Add>, sum.view(), in, {});
  }
  EXPECT_EQ(sum.values(), std::vector<double>(8, 5000 * 5001 / 2.0));
}

/// So the host reads a step while the device runs the next one.
TEST(Far, ADownloadThatBeganWaitsForNoLaterCall) {
  for (const Place& place : places()) {
    Tensor x = Tensor::of(std::vector<int32_t>{1, 2, 3}, {3}, place.with(DType::i32));
    Arriving arriving(x);
    const Tensor table = Tensor::zeros({1, 2, 4}, place);
    const Tensor wrong = Tensor::of(std::vector<int32_t>{7}, {1, 1}, place.with(DType::i32));
    const Tensor rows = Tensor::empty({1, 1, 4}, place);
    place.backend->gather(rows.view(), table.view(), wrong.view());
    EXPECT_EQ(arriving.values<int32_t>(), (std::vector<int32_t>{1, 2, 3})) << to_string(place);
    EXPECT_EQ(arriving.values<float>(), (std::vector<float>{1, 2, 3})) << "as often as one likes";
    EXPECT_THROW(rows.values(), Error) << "which the wrong index is told to";
  }
}

TEST(Far, ADownloadThatBeganMayBeForgotten) {
  const Arriving forgotten(Tensor::full({1 << 16}, 2, far()));
  const Arriving moved(Arriving(Tensor::zeros({3}, far())));
  EXPECT_EQ(moved.size(0), 3);
  EXPECT_FALSE(Arriving().defined());
}

TEST(Far, ComputesWhatTheCpuDoesWithoutKernels) {
  const std::unique_ptr<Backend> near = far_backend(Distance::near);
  EXPECT_FALSE(near->offers<SoftmaxRows>());
  const auto product = [](Backend& backend) {
    const Place place{&backend, DType::f32};
    const Tensor a = Tensor::random({33, 70}, Distribution::normal, {1, 0, 1}, place);
    const Tensor b = Tensor::random({70, 21}, Distribution::normal, {1, 0, 2}, place);
    const Tensor c = Tensor::empty({33, 21}, place);
    backend.matmul(c.view(), a.view(), b.view(), 1, 0);
    return c.values<float>();
  };
  EXPECT_EQ(product(*far().backend), product(*near));
}

TEST(Far, KnowsItsMemory) {
  const Tensor x = Tensor::zeros({4}, far());
  const Tensor y = Tensor::zeros({4}, {&forced("cpu"), DType::f32});
  EXPECT_THAT([&] { far().backend->copy(x.view(), y.view()); },
              ThrowsMessage<Error>(HasSubstr("memory of another backend")));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(x.view().data) % 256, 0U);
}

TEST(Far, ServesSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<double> last(4);
  for (size_t t = 0; t < last.size(); ++t) {
    threads.emplace_back([&last, t] {
      for (int i = 0; i < 50; ++i) {
        last[t] += Tensor::full({1}, static_cast<double>(t), far()).item();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(last, (std::vector<double>{0, 50, 100, 150}));
}

}  // namespace
}  // namespace heed::test::far_test
