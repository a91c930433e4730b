// Products packed on the way, every f32 kernel this CPU has and every SIMD target that packs for it
// forced in turn, against loops in double.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "heed/backend/cpu/gemm/product.h"
#include "heed/backend/cpu/gemm/tile.h"
#include "tests/backend/cpu/each_target.h"

namespace heed::test::tiled_test {
namespace {

using cpu::Matrix;
using cpu::Product;
using cpu::TileKernel;

enum class Lies { rows, columns, apart };  // dense by rows, by columns, or neither

struct Stored {
  std::vector<float> data;
  Matrix matrix;

  Stored(int64_t rows, int64_t columns, Lies lies, std::mt19937& random) {
    const int64_t row = lies == Lies::rows ? columns + 3 : lies == Lies::columns ? 1 : 2;
    const int64_t column = lies == Lies::rows ? 1 : lies == Lies::columns ? rows : 2 * rows + 1;
    data.resize(static_cast<size_t>((rows - 1) * row + (columns - 1) * column + 1));
    std::normal_distribution<float> normal;
    for (float& x : data) {
      x = normal(random);
    }
    matrix = {data.data(), row, column};
  }
  double at(int64_t i, int64_t j) const {
    return data[static_cast<size_t>(i * matrix.row + j * matrix.column)];
  }
};

struct Case {
  int64_t m, n, k;
  Lies a = Lies::rows;
  Lies b = Lies::columns;
  Lies out = Lies::rows;
  float alpha = 1;
  float beta = 0;
};

void expect_product(const Case& c, const TileKernel& kernel) {
  std::mt19937 random(7);
  const Stored a(c.m, c.k, c.a, random);
  const Stored b(c.k, c.n, c.b, random);
  const Stored before(c.m, c.n, c.out, random);
  Stored out = before;
  out.matrix.data = out.data.data();
  if (c.beta == 0) {
    out.data.assign(out.data.size(), std::nanf(""));  // must not be read
  }
  cpu::multiply_tiled({c.m, c.n, c.k, a.matrix, b.matrix, out.data.data(), out.matrix.row,
                       out.matrix.column, c.alpha, c.beta},
                      kernel);
  for (int64_t i = 0; i < c.m; ++i) {
    for (int64_t j = 0; j < c.n; ++j) {
      double sum = 0;
      double size = 0;
      for (int64_t k = 0; k < c.k; ++k) {
        sum += a.at(i, k) * b.at(k, j);
        size += std::abs(a.at(i, k) * b.at(k, j));
      }
      const double kept = c.beta == 0 ? 0 : c.beta * before.at(i, j);
      ASSERT_NEAR(out.at(i, j), c.alpha * sum + kept, 1e-6 * (size + std::abs(kept) + 1))
          << i << ", " << j << " of " << c.m << " × " << c.n << " × " << c.k;
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int64_t m : {1, 2, 3, 5, 13, 37, 131}) {
    for (const int64_t n : {1, 7, 31, 33, 97}) {
      for (const int64_t k : {1, 3, 17, 64}) {
        all.push_back({m, n, k});
      }
    }
  }
  for (const Lies a : {Lies::rows, Lies::columns, Lies::apart}) {
    for (const Lies b : {Lies::rows, Lies::columns, Lies::apart}) {
      for (const Lies out : {Lies::rows, Lies::columns, Lies::apart}) {
        all.push_back({29, 67, 23, a, b, out, 0.5F, 1});
        all.push_back({70, 12, 19, a, b, out, 1, 0.25F});
      }
    }
  }
  all.push_back({67, 41, 1031});                                               // three blocks of k
  all.push_back({1029, 5, 9});                                                 // two of rows
  all.push_back({5, 2051, 9, Lies::rows, Lies::rows});                         // two of columns
  all.push_back({130, 70, 600, Lies::columns, Lies::rows, Lies::rows, 1, 1});  // of both, added
  return all;
}

TEST(Tiled, EveryKernelMultiplies) {
  for (const TileKernel* kernel : cpu::tile_kernels()) {
    if (kernel->precision != Precision::f32 || !kernel->is_available()) {
      continue;
    }
    SCOPED_TRACE(kernel->name);
    on_each_target([kernel] {
      for (const Case& each : cases()) {
        expect_product(each, *kernel);
        if (::testing::Test::HasFatalFailure()) {
          return;
        }
      }
    });
  }
}

}  // namespace
}  // namespace heed::test::tiled_test
