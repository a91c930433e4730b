// Operators on tensors over memory that somebody else made, and that must not be written.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "heed/ops/arithmetic.h"
#include "heed/ops/elementwise.h"
#include "tests/support/backends.h"

namespace heed::test::foreign_memory_test {
namespace {

/// A mapped file is read only: a result that reused its memory would end the process.
TEST(ForeignMemory, OfAMappedFileIsReadAndNeverReused) {
  constexpr size_t count = 1024;
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  std::vector<float> written(count);
  for (size_t i = 0; i < count; ++i) {
    written[i] = static_cast<float>(i) - 500;
  }
  std::fwrite(written.data(), sizeof(float), count, file);
  std::fflush(file);
  void* mapped = ::mmap(nullptr, count * sizeof(float), PROT_READ, MAP_PRIVATE, ::fileno(file), 0);
  std::fclose(file);
  ASSERT_NE(mapped, MAP_FAILED);
  for (const char* name : {"cpu", "reference"}) {
    const auto make = [&] {
      return Tensor::over(dense_view(mapped, DType::f32, {static_cast<int64_t>(count)}),
                          forced(name), [] {});
    };
    const std::vector<float> doubled = (make() + make()).values<float>();
    const std::vector<float> squashed = relu(make()).values<float>();
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(doubled[i], 2 * written[i]);
      ASSERT_EQ(squashed[i], std::max(0.0F, written[i]));
    }
  }
  bool is_unmapped = false;
  {
    const Tensor x =
        Tensor::over(dense_view(mapped, DType::f32, {static_cast<int64_t>(count)}), forced("cpu"),
                     [&] { is_unmapped = ::munmap(mapped, count * sizeof(float)) == 0; });
    EXPECT_EQ(x.values<float>(), written);
  }
  EXPECT_TRUE(is_unmapped);
}

}  // namespace
}  // namespace heed::test::foreign_memory_test
