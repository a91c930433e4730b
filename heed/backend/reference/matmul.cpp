// out_ij ← alpha Σ_k a_ik b_kj + beta out_ij; the sum is in double. With beta = 0, out is not read.
#include "heed/backend/reference/primitives.h"
#include "heed/backend/reference/walk.h"

namespace heed::reference {

void matmul(const View& out, const View& a, const View& b, double alpha, double beta) {
  const int row = out.rank() - 2;
  const int column = out.rank() - 1;
  // The walk goes over the batch and the two axes of out; a stays in its row, b in its column.
  Strides a_strides = a.strides;
  Strides b_strides = b.strides;
  a_strides[column] = 0;
  b_strides[row] = 0;
  with_type(out.dtype, [&](auto element) {
    using T = decltype(element);
    walk<3>(out.shape, {out.strides, a_strides, b_strides}, [&](const Offsets<3>& at) {
      const T* x = a.as<T>() + at[1];
      const T* y = b.as<T>() + at[2];
      double total = 0;
      for (int64_t k = 0; k < a.shape[column]; ++k) {
        total += static_cast<double>(x[k * a.strides[column]]) *
                 static_cast<double>(y[k * b.strides[row]]);
      }
      T& to = out.as<T>()[at[0]];
      to = static_cast<T>(beta == 0 ? alpha * total
                                    : alpha * total + beta * static_cast<double>(to));
    });
  });
}

}  // namespace heed::reference
