// Products through BLIS (serial; the thread pool hands it tiles). BLIS wants one of the strides to
// be 1 and rows or columns that do not overlap: other operands are copied first.
#include <blis.h>

#include <mutex>
#include <vector>

#include "heed/backend/cpu/gemm/product.h"

namespace heed::cpu {
namespace {

bool is_plain(int64_t rows, int64_t columns, int64_t row, int64_t column) {
  return (column == 1 && row >= columns) || (row == 1 && column >= rows);
}

/// The matrix itself where BLIS can read it, else a dense copy in `storage`.
Matrix plain(Matrix x, int64_t rows, int64_t columns, std::vector<float>& storage) {
  x.row = rows == 1 ? columns * (x.column == 1 ? 1 : x.column) : x.row;
  x.column = columns == 1 ? 1 : x.column;
  if (is_plain(rows, columns, x.row, x.column)) {
    return x;
  }
  storage.resize(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      storage[static_cast<size_t>(i * columns + j)] = x.data[i * x.row + j * x.column];
    }
  }
  return {storage.data(), columns, 1};
}

/// BLIS takes pointers to its operands without const, and only writes to the result.
float* unconst(const float* x) { return const_cast<float*>(x); }

void gemm(const Product& p) {
  static std::once_flag once;
  std::call_once(once, [] {
    bli_init();
    bli_error_checking_level_set(BLIS_NO_ERROR_CHECKING);  // it would abort; strides are made plain
  });
  float alpha = p.alpha;
  float beta = p.beta;
  bli_sgemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, p.m, p.n, p.k, &alpha, unconst(p.a.data), p.a.row,
            p.a.column, unconst(p.b.data), p.b.row, p.b.column, &beta, p.out, p.out_row,
            p.out_column);
}

}  // namespace

void multiply_blocked(const Product& product) {
  Product p = product;
  std::vector<float> a_copy;
  std::vector<float> b_copy;
  p.a = plain(p.a, p.m, p.k, a_copy);
  p.b = plain(p.b, p.k, p.n, b_copy);
  if (is_plain(p.m, p.n, p.out_row, p.out_column)) {
    return gemm(p);
  }
  std::vector<float> out(static_cast<size_t>(p.m * p.n));
  p.out = out.data();
  p.out_row = p.n;
  p.out_column = 1;
  p.beta = 0;
  gemm(p);
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      float& to = product.out[i * product.out_row + j * product.out_column];
      const float sum = out[static_cast<size_t>(i * p.n + j)];
      to = product.beta == 0 ? sum : sum + product.beta * to;
    }
  }
}

}  // namespace heed::cpu
