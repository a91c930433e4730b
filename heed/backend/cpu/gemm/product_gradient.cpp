// The gradient of a weight as a product, and that of its bias as a sum of the same rows.
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/primitives.h"
#include "heed/backend/cpu/scratch_buffer.h"
#include "heed/base/error.h"
#include "heed/device/kernel/product.h"

namespace heed::cpu {
namespace {

/// dw (+)= dyᵀ x with both rounded: xᵀ is packed as a weight is.
void rounded_gradient(const ProductGradient& call) {
  const View weight = transposed(call.x);
  size_t bytes = 0;
  pack(PackStep{weight, call.precision, {}, &bytes});
  thread_local ScratchBuffer memory;
  const auto size = static_cast<int64_t>(bytes);
  const View packed = dense_view(memory.of<uint8_t>(size), DType::u8, {size});
  pack(PackStep{weight, call.precision, packed});
  multiply_packed({.out = call.dweight,
                   .x = transposed(call.dy),
                   .packed = packed,
                   .adds = call.adds_to_weight});
}

void add_sum_of_rows(const View& to, const View& rows, bool adds) {
  const int64_t columns = to.shape[0];
  const View line = dense_view(to.data, to.dtype, {1, columns});
  if (!adds) {
    return sum(line, rows);
  }
  thread_local ScratchBuffer memory;
  const View own = dense_view(memory.of<float>(columns), DType::f32, {1, columns});
  sum(own, rows);
  const View both[] = {line, own};
  map(function<fn::Add>, line, both, {});
}

}  // namespace

void product_gradient(const ProductGradient& call) {
  require(call.dy.rank() == 2 && call.x.rank() == 2 && call.dy.shape[0] == call.x.shape[0],
          "product_gradient: saw dy {} and x {}, needs [M, N] and [M, K]", to_string(call.dy.shape),
          to_string(call.x.shape));
  if (call.dweight.data != nullptr && call.precision == Precision::f32) {
    matmul(call.dweight, transposed(call.dy), call.x, 1, call.adds_to_weight ? 1 : 0);
  } else if (call.dweight.data != nullptr) {
    rounded_gradient(call);
  }
  if (call.dbias.data != nullptr) {
    add_sum_of_rows(call.dbias, call.dy, call.adds_to_bias);
  }
}

}  // namespace heed::cpu
