#include "heed/ops/packed.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "heed/ops/mapped.h"

namespace heed {
namespace {

/// The precision of a weight, and its packed forms.
class PackedForms : public Storage::Beside {
 public:
  PackedForms(const View& whole, Precision precision) : precision(precision), whole_(whole) {}

  /// The form of the present weight (or its transpose).
  Tensor form(const Tensor& weight, bool is_turned) {
    const std::lock_guard lock(guard_);
    Form& kept = forms_[is_turned ? 1 : 0];
    const int64_t version = weight.body()->storage->version();
    if (!kept.memory.defined() || kept.version != version) {
      kept.memory =
          packed(weight, is_turned ? transposed(weight.view()) : weight.view(), precision);
      kept.version = version;
    }
    return kept.memory;
  }
  bool is_of(const View& view) const {
    return view.data == whole_.data && view.shape == whole_.shape &&
           std::equal(view.strides.begin(), view.strides.begin() + view.rank(),
                      whole_.strides.begin());
  }

  const Precision precision;

 private:
  struct Form {
    Tensor memory;
    int64_t version = 0;
  };

  View whole_;
  std::mutex guard_;
  std::array<Form, 2> forms_;
};

PackedForms* forms_of(const Tensor& weight) {
  auto* forms = dynamic_cast<PackedForms*>(weight.body()->storage->beside.get());
  return forms != nullptr && forms->is_of(weight.view()) ? forms : nullptr;
}

}  // namespace

void set_precision(const Tensor& weight, Precision precision) {
  require(weight.rank() == 2, "precision: saw a weight of shape {}, needs a matrix",
          to_string(weight.shape()));
  weight.body()->storage->beside = std::make_shared<PackedForms>(weight.view(), precision);
}

Precision precision_of(const Tensor& weight) {
  const PackedForms* forms = forms_of(weight);
  return forms == nullptr ? Precision::f32 : forms->precision;
}

bool has_packed_form(const Tensor& weight) { return forms_of(weight) != nullptr; }

Tensor packed_form(const Tensor& weight, bool is_turned) {
  return forms_of(weight)->form(weight, is_turned);
}

bool has_packed_products(const Tensor& weight) {
  return weight.dtype() == DType::f32 && weight.backend().offers<PackStep>() &&
         weight.backend().offers<PackedProduct>();
}

Tensor packed(const Tensor& from, const View& matrix, Precision precision) {
  size_t bytes = 0;
  from.backend().run_fused(PackStep{matrix, precision, {}, &bytes});
  Tensor memory =
      Tensor::empty({static_cast<int64_t>(bytes + 3) / 4}, from.place().with(DType::i32));
  from.backend().run_fused(PackStep{matrix, precision, memory.view()});
  return memory;
}

const std::vector<std::string>& precision_names() {
  static const std::vector<std::string> names = {"f32", "bf16", "int8"};
  return names;
}

Precision precision_named(const std::string& name) {
  const auto& names = precision_names();
  const auto found = std::find(names.begin(), names.end(), name);
  require(found != names.end(), "precision: saw \"{}\", needs f32, bf16 or int8", name);
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
