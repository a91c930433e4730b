#include "heed/ops/packed.h"

#include <algorithm>

#include "heed/base/catalogue.h"
#include "heed/ops/mapped.h"

namespace heed {

bool has_packed_products(const Place& place) {
  return place.dtype == DType::f32 && place.backend->offers<PackStep>() &&
         place.backend->offers<PackedProduct>();
}

Tensor packed(const View& matrix, const Place& place, Precision precision) {
  if (matrix.dtype != DType::f32) {
    const Tensor wide = Tensor::empty(matrix.shape, place);
    place.backend->copy(wide.view(), matrix);
    return packed(wide.view(), place, precision);
  }
  size_t bytes = 0;
  place.backend->run_fused(PackStep{matrix, precision, {}, &bytes});
  Tensor memory = Tensor::empty({static_cast<int64_t>(bytes)}, place.with(DType::u8));
  place.backend->run_fused(PackStep{matrix, precision, memory.view()});
  return memory;
}

Tensor rounded(const Tensor& x, Precision precision) {
  return precision == Precision::bf16   ? rounded_to_bf16(x)
         : precision == Precision::int8 ? rounded_to_int8(x)
                                        : x;
}

const std::vector<std::string>& precision_names() {
  static const std::vector<std::string> names = {"f32", "bf16", "int8"};
  return names;
}

Precision precision_named(const std::string& name) {
  const auto& names = precision_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    fail_unknown_name("precision", name, names, {});
  }
  return static_cast<Precision>(found - names.begin());
}

// Veltkamp's splitting: c = (2ˢ + 1) x,  c − (c − x) has s bits fewer than x.
Tensor rounded_to_bf16(const Tensor& x) {
  const double lift = x.dtype() == DType::f64 ? 0x1p45 : 0x1p16;
  const Tensor lifted = mapped(function<fn::Affine>, {x}, {lift + 1, 0});
  const Tensor rest = mapped(function<fn::Subtract>, {lifted, x});
  return mapped(function<fn::Subtract>, {lifted, rest});
}

// q = ⌊x / s + ½⌋,  s = max |x| / 127 of the row
Tensor rounded_to_int8(const Tensor& rows) {
  const Tensor size = mapped(function<fn::Abs>, {rows});
  const Tensor most = Tensor::empty({rows.size(0), 1}, rows.place());
  rows.backend().reduce(Reduction::max, most.view(), size.view());
  const Tensor scale = mapped(function<fn::Affine>, {most}, {1.0 / 127, 0});
  const Tensor floor_of_scale = Tensor::full({1, 1}, 1e-37, rows.place());
  const Tensor divisor = mapped(function<fn::Maximum>, {scale, floor_of_scale});
  const Tensor steps = mapped(function<fn::Divide>, {rows, divisor});
  const Tensor whole =
      mapped(function<fn::Floor>, {mapped(function<fn::Affine>, {steps}, {1, 0.5})});
  return mapped(function<fn::Multiply>, {whole, scale});
}

}  // namespace heed
