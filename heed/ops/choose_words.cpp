#include "heed/ops/choose_words.h"

#include <algorithm>
#include <limits>

#include "heed/device/kernel/choose_words.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/compare.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/gather.h"
#include "heed/ops/lengths.h"
#include "heed/ops/reshape.h"
#include "heed/ops/select.h"
#include "heed/ops/slice.h"
#include "heed/ops/topk.h"

namespace heed {
namespace {

constexpr double no_chance = -std::numeric_limits<double>::infinity();

/// Gives a forced row its word in the first column, and −∞ in all others.
RowWords with_forced(RowWords words, const Tensor& forced, const Tensor& log_probability) {
  const Tensor word = unsqueeze(forced, 1);                                          // [Q, 1]
  const Tensor is_forced = less(-1, word);                                           // [Q, 1]
  const Tensor is_first = less(positions(words.ids.size(1), words.ids.place()), 1);  // [k]
  const Tensor only = select(is_first, unsqueeze(log_probability, 1), no_chance);
  words.log_probability = select(is_forced, only, words.log_probability);
  words.ids = select(is_forced, word, words.ids);
  return words;
}

RowWords composed(const Tensor& logits, int64_t k, const ChooseWordsOptions& options) {
  const TopK best = topk(logits, k);
  RowWords words{best.indices, best.values, {}, {}};
  Tensor log_p = options.forced.defined() ? pick(logits, options.forced) : Tensor();
  if (options.is_as_it_is) {
    words.most = Tensor::zeros({logits.size(0), 1}, logits.place());
    words.loss = words.most;
  } else {
    const Tensor first = squeeze(slice(best.indices, 1, 0, 1), 1).dense();
    words.loss = unsqueeze(cross_entropy(logits, first), 1);
    words.most = slice(best.values, 1, 0, 1);
    words.log_probability = best.values - words.most - words.loss;
    log_p = log_p.defined() ? log_p - squeeze(words.most, 1) - squeeze(words.loss, 1) : log_p;
  }
  if (options.forced.defined()) {
    words = with_forced(std::move(words), options.forced, log_p);
  }
  words.log_probability = without_words_of_rows(words.log_probability, words.ids, options.closed);
  return words;
}

}  // namespace

RowWords choose_words(const Tensor& logits, const ChooseWordsOptions& options) {
  const int64_t k = std::min(options.most, logits.size(1));
  if (logits.numel() == 0 || k == 0 || logits.dtype() != DType::f32 ||
      !logits.backend().offers<ChooseWords>()) {
    return composed(logits, k, options);
  }
  const Place place = logits.place();
  const Shape shape{logits.size(0), k};
  const Shape column{logits.size(0), 1};
  RowWords words{Tensor::empty(shape, place.with(DType::i32)), Tensor::empty(shape, place),
                 Tensor::empty(column, place), Tensor::empty(column, place)};
  const Tensor given = logits.dense();
  const auto view_or_none = [](const Tensor& x) { return x.defined() ? x.view() : View{}; };
  const bool is_done =
      logits.backend().run_fused(ChooseWords{.ids = words.ids.view(),
                                             .log_probability = words.log_probability.view(),
                                             .most = words.most.view(),
                                             .loss = words.loss.view(),
                                             .logits = given.view(),
                                             .forced = view_or_none(options.forced),
                                             .closed = view_or_none(options.closed),
                                             .is_as_it_is = options.is_as_it_is});
  return is_done ? words : composed(logits, k, options);
}

Tensor without_words_of_rows(const Tensor& x, const Tensor& ids, const Tensor& closed) {
  Tensor open = x;
  for (int64_t c = 0; closed.defined() && c < closed.size(1); ++c) {
    open = select(equal(ids, slice(closed, 1, c, 1)), no_chance, open);
  }
  return open;
}

}  // namespace heed
