#include "heed/attention/focus.h"

#include "heed/ops/arithmetic.h"
#include "heed/ops/lengths.h"

namespace heed {

void open_only(Where& where, const Tensor& lo, const Tensor& hi) {
  const auto is_same = [](const Tensor& a, const Tensor& b) {
    return a.view().data == b.view().data;
  };
  where.lo = is_same(where.lo, lo) ? where.lo : maximum(where.lo, lo).detached();
  where.hi = is_same(where.hi, hi) ? where.hi : minimum(where.hi, hi).detached();
}

void add_bias(Where& where, const Tensor& bias) {
  where.bias = where.bias.defined() ? where.bias + bias : bias;
}

Tensor slot_numbers(int64_t slots, const Tensor& like) {
  return positions(slots, like.place().exact());
}

namespace {

using Parts = std::vector<std::unique_ptr<Focus>>;

/// The joined keys of the parts; empty if some part depends on more than the geometry.
std::string key_of(const Parts& parts, int64_t slots) {
  std::string key = std::to_string(slots);
  for (const auto& part : parts) {
    const std::string own = part->geometric_key();
    if (own.empty()) {
      return {};
    }
    key += '|' + own;
  }
  return key;
}

Where agreed(const Parts& parts, const FocusInput& in) {
  Where where;
  where.lo = in.geometry.first_slot();
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

}  // namespace

Where where_to_look(const Parts& parts, const FocusInput& in) {
  const std::string key = key_of(parts, in.slots);
  return key.empty() ? agreed(parts, in)
                     : in.geometry.shared().where.at(key, [&] { return agreed(parts, in); });
}

}  // namespace heed
