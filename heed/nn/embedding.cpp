#include "heed/nn/embedding.h"

#include <cmath>

#include "heed/ops/arithmetic.h"
#include "heed/ops/embedding.h"
#include "heed/ops/matmul.h"

namespace heed {

void Embedding::build(int64_t words, int64_t width, Init& init) {
  require(words > 0 && width > 0, "embedding: saw {} words of width {}, needs both above 0", words,
          width);
  rows_ = init.place().dtype;
  table_ = Weight(init.normal({words, width}, 1 / std::sqrt(static_cast<double>(width))),
                  Weight::Use::looked_up_too);
}

void Embedding::tie(const Embedding& owner) {
  require(owner.table_.defined(), "embedding: saw no table to tie to, needs a built one");
  table_ = owner.table_;
  rows_ = owner.rows_;
}

void Embedding::describe(Describer& d) {
  d.setting("scale", is_scaled_, {"multiply embeddings by the square root of their width"});
  d.weight("table", table_);
}

Tensor Embedding::operator()(const Tensor& ids) const {
  const Tensor rows = embedding(table_.master(), ids, rows_);
  return is_scaled_ ? rows * std::sqrt(static_cast<double>(width())) : rows;
}

Tensor Embedding::logits(const Tensor& x, const Pass& pass, const Tensor& bias) const {
  return linear(x, table_, bias, {.products = pass.products()});
}

}  // namespace heed
