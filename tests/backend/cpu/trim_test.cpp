// What the backend holds beyond tensors in use goes back to the system on request.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/backend/cpu/scratch_buffer.h"
#include "heed/base/thread_pool.h"
#include "heed/device/kernel/norm.h"
#include "heed/tensor/tensor.h"

namespace heed::trim_test {
namespace {

/// Bytes of this process that are in memory.
int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0;
  file >> pages >> pages;
  return pages * 4096;
}

std::atomic<size_t> room_bytes = 0;

size_t bytes_in_rooms() {
  room_bytes = 0;
  thread_pool().run_on_every_thread([] { room_bytes += cpu::ScratchBuffer::bytes_of_thread(); });
  return room_bytes;
}

TEST(Trim, EmptiesTheRoomsOfEveryThread) {
  ThreadPool pool(3);
  const UsePool use(pool);
  const std::unique_ptr<Backend> backend = cpu_backend();
  const Place place{backend.get(), DType::f32};
  const auto product = [&] {
    const Tensor a = Tensor::random({300, 200}, Distribution::normal, {1, 0, 1}, place);
    const Tensor b = Tensor::random({200, 400}, Distribution::normal, {1, 0, 2}, place);
    const Tensor c = Tensor::empty({300, 400}, place);
    backend->matmul(c.view(), a.view(), b.view(), 1, 0);
    return c.values<float>();
  };
  const auto before = product();
  EXPECT_GT(bytes_in_rooms(), 10000U);
  backend->trim();
  EXPECT_EQ(bytes_in_rooms(), 0U);
  EXPECT_EQ(product(), before) << "buffers grow again";
}

TEST(Trim, EmptiesWhatNormsKeep) {
  ThreadPool pool(1);
  const UsePool use(pool);
  const std::unique_ptr<Backend> backend = cpu_backend();
  const Place place{backend.get(), DType::f32};
  const auto tensor = [&](const Shape& shape) { return Tensor::full(shape, 0.5, place); };
  const Tensor x = tensor({200, 3000});
  const Tensor y = tensor({200, 3000});
  const Tensor mean = tensor({200, 1});
  const Tensor scale = tensor({200, 1});
  const Tensor dweight = tensor({3000});
  const auto run = [&] {
    RowNorm norm;
    norm.y = y.view();
    norm.mean = mean.view();
    norm.scale = scale.view();
    norm.x = x.view();
    backend->run_fused(norm);
    RowNormGradient gradient;
    gradient.dweight = dweight.view();
    gradient.dy = y.view();
    gradient.x = x.view();
    gradient.mean = mean.view();
    gradient.scale = scale.view();
    backend->run_fused(gradient);
    return y.values<float>();
  };
  backend->trim();
  EXPECT_EQ(bytes_in_rooms(), 0U);
  const auto before = run();
  EXPECT_GE(bytes_in_rooms(), 3000 * (2 * sizeof(float) + 2 * sizeof(float) + sizeof(double)));
  backend->trim();
  EXPECT_EQ(bytes_in_rooms(), 0U);
  EXPECT_EQ(run(), before);
}

TEST(Trim, GivesMemoryBackToTheSystem) {
  const std::unique_ptr<Backend> backend = cpu_backend();
  const Place place{backend.get(), DType::f32};
  constexpr int64_t count = 200;
  const int64_t before = resident_bytes();
  {
    std::vector<Tensor> many;  // blocks that the heap would keep for itself
    for (int64_t i = 0; i < count; ++i) {
      many.push_back(Tensor::zeros({1 << 18}, place));
    }
  }
  const AllocatorStatistics full = backend->allocator().statistics();
  EXPECT_EQ(full.live_bytes, 0);
  EXPECT_GE(full.cached_bytes, count << 20);
  const int64_t kept = resident_bytes();
  EXPECT_GT(kept - before, 150 << 20);
  backend->trim();
  EXPECT_EQ(backend->allocator().statistics().cached_bytes, 0);
  EXPECT_LT(resident_bytes() - before, 50 << 20) << "of " << kept - before;
}

}  // namespace
}  // namespace heed::trim_test
