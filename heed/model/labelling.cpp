#include "heed/model/decoder.h"
#include "heed/ops/compare.h"
#include "heed/ops/select.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor Labelling::without_ends(const Tensor& words) const {
  const NoGrad no_gradients;
  const Tensor is_end = equal(words, Tensor::full({1}, specials().end(), words.place()));
  return select(is_end, Tensor::full({1}, -1, words.place()), words);
}

}  // namespace heed
