// bf16 by rounding: a primitive computes with f32 copies of its views, and its result is rounded.
#pragma once

#include <vector>

#include "heed/backend/reference/primitives.h"

namespace heed::reference {

/// A view in f32 if it is in bf16; otherwise itself.
class Widened {
 public:
  explicit Widened(const View& given) : given_(given), view_(given) {
    if (given.dtype == DType::bf16) {
      values_.resize(static_cast<size_t>(given.numel()));
      view_ = dense_view(values_.data(), DType::f32, given.shape);
      copy(view_, given);
    }
  }
  Widened(const Widened&) = delete;
  Widened& operator=(const Widened&) = delete;
  Widened(Widened&&) = default;

  const View& view() const { return view_; }
  /// Rounds what was written.
  void write() const {
    if (given_.dtype == DType::bf16) {
      copy(given_, view_);
    }
  }

 private:
  View given_;
  View view_;
  std::vector<float> values_;
};

/// body(views…) with every view in f32; the first is what it writes.
template <class Body, class... Views>
void in_f32(const Body& body, const View& out, const Views&... in) {
  const Widened wide(out);
  body(wide.view(), Widened(in).view()...);
  wide.write();
}

}  // namespace heed::reference
