#include "heed/ops/weight.h"

#include <algorithm>
#include <atomic>

#include "heed/ops/cast.h"
#include "heed/ops/packed.h"

namespace heed {
namespace {

/// The number of the FixedWeights that lives on this thread, 0: none.
thread_local uint64_t scope = 0;
std::atomic<uint64_t> scopes = 0;

}  // namespace

FixedWeights::FixedWeights() : before_(scope) { scope = scope == 0 ? ++scopes : scope; }
FixedWeights::~FixedWeights() { scope = before_; }

Weight::Weight(const Tensor& master, Use use) : body_(std::make_shared<Body>()) {
  body_->master = master;
  const int64_t rows = master.rank() > 0 ? master.size(0) : 1;
  body_->shape =
      master.rank() > 2 ? Shape{rows, master.numel() / std::max<int64_t>(1, rows)} : master.shape();
  body_->place = is_half(master.dtype()) ? master.place().with(DType::f32) : master.place();
  body_->is_looked_up = use == Use::looked_up_too;
}

void Weight::require_master() const {
  require(
      has_master(),
      "weight: saw one of shape {} that let its master go to serve in {}, needs the master; load "
      "the model anew",
      to_string(shape()), precision_names()[static_cast<size_t>(precision())]);
}

const Tensor& Weight::master() const {
  require_master();
  return body_->master;
}

Tensor& Weight::master() {
  require_master();
  return body_->master;
}

Tensor Weight::matrix() const {
  if (master().rank() <= 2) {
    return master().detached();
  }
  const Tensor dense = master().dense();
  return dense.seen_as(*reshaped(dense.view(), shape()));
}

void Weight::set_precision(Precision precision) {
  require(!serves(), "weight: saw a precision for one that serves already; load the model anew");
  body_->precision = precision;
}

void Weight::serve(Precision precision) {
  set_precision(precision);
  body_->serves = true;
  if (!body_->is_looked_up) {
    served_form();
    body_->master = {};
  }
}

const Tensor& Weight::served_form() const {
  std::call_once(body_->is_made, [this] {
    const Tensor from = matrix();
    if (has_packed_products(place())) {
      body_->form = packed(from.view(), place(), precision());
    } else if (precision() == Precision::bf16 && place().dtype == DType::f32) {
      body_->form = cast(from, DType::bf16);
    } else {
      body_->form = rounded(widened(from), precision());
    }
  });
  return body_->form;
}

Tensor Weight::low_form() const {
  Body& own = body();
  if (scope != 0 && own.low_since == scope) {
    return own.low;
  }
  const Tensor from = serves() ? served_form() : matrix();
  Tensor made = Tensor::empty(shape(), place().with(DType::bf16));
  made.backend().copy(made.view(), from.view());
  own.low_since = scope;
  own.low = scope != 0 ? made : Tensor();
  return made;
}

}  // namespace heed
