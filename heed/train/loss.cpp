#include "heed/train/loss.h"

#include "heed/data/batches.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/reduce.h"
#include "heed/tensor/tape.h"

namespace heed {

Tensor teacher_forcing_loss(const Model& model, const Batch& batch, double smoothing, Pass& pass) {
  return word_loss(model.teach(batch, {}, pass), batch, smoothing);
}

Tensor word_loss(const Decoded& decoded, const Batch& batch, double smoothing) {
  if (decoded.framed) {
    return sum(ctc_losses(decoded, batch, NoPath::skip)) /
           static_cast<double>(batch.target_tokens());
  }
  const Tensor& words = decoded.compared(batch.target_out);
  const Tensor losses = cross_entropy(decoded.logits, words, {.smoothing = smoothing});
  return sum(losses) / static_cast<double>(batch.target_tokens());
}

Tensor ctc_losses(const Decoded& decoded, const Batch& batch, NoPath no_path) {
  std::vector<int32_t> labels;
  std::vector<int32_t> lengths;
  for (size_t b = 0; b < batch.target.lengths().size(); ++b) {
    const auto words = batch.words_of(b);
    labels.insert(labels.end(), words.begin(), words.end());
    lengths.push_back(static_cast<int32_t>(words.size()));
  }
  const Framed& framed = decoded.framed.value();
  return ctc_loss(decoded.logits, framed.frames, {labels, lengths},
                  {.blank = framed.blank, .no_path = no_path});
}

double corpus_loss(const Model& model, const Corpus& corpus, std::int64_t sentences) {
  return *corpus_loss(model, corpus, sentences, [] { return true; });
}

std::optional<double> corpus_loss(const Model& model, const Corpus& corpus, std::int64_t sentences,
                                  const std::function<bool()>& goes_on) {
  const NoGrad no_gradients;
  double total = 0;
  std::int64_t tokens = 0;
  for (const auto& which : sorted_batches(corpus, {.sentences = sentences})) {
    if (!goes_on()) {
      return std::nullopt;
    }
    const Batch batch = make_batch(corpus.items(which), model.place());
    Pass pass = Pass::serving();
    const auto count = batch.target_tokens();
    total += teacher_forcing_loss(model, batch, 0, pass).item() * static_cast<double>(count);
    tokens += count;
  }
  return total / static_cast<double>(tokens);
}

}  // namespace heed
