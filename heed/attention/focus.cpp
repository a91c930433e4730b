#include "heed/attention/focus.h"

#include "heed/ops/arithmetic.h"

namespace heed {

void open_only(Where& where, const Tensor& lo, const Tensor& hi) {
  where.lo = maximum(where.lo, lo).detached();
  where.hi = minimum(where.hi, hi).detached();
}

void add_bias(Where& where, const Tensor& bias) {
  where.bias = where.bias.defined() ? where.bias + bias : bias;
}

Tensor slot_numbers(int64_t slots, const Tensor& like) {
  std::vector<float> numbers(static_cast<size_t>(slots));
  for (int64_t j = 0; j < slots; ++j) {
    numbers[j] = static_cast<float>(j);
  }
  return Tensor::of(numbers, {slots}, like.place());
}

Where where_to_look(const std::vector<std::unique_ptr<Focus>>& parts, const FocusInput& in) {
  Where where;
  where.lo = Tensor::zeros({1, 1, 1, 1}, in.query.place());
  where.hi = in.geometry.slots();
  for (const auto& part : parts) {
    part->order(where, in);
  }
  where.count = where.hi;
  for (const auto& part : parts) {
    part->narrow(where, in);
  }
  return where;
}

}  // namespace heed
