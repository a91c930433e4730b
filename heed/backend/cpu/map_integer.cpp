#include "heed/backend/cpu/map.h"

namespace heed::cpu {
namespace {

template <class F>
using OnIntegers = std::bool_constant<works_on_integers(function<F>)>;

}  // namespace

DenseLoop<int32_t> integer_loop(Function f) {
  static constexpr auto loops =
      loop_table<int32_t, OnIntegers>(static_cast<fn::Functions*>(nullptr));
  return loops[static_cast<size_t>(f)];
}

}  // namespace heed::cpu
