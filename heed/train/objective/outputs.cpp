#include "heed/train/objective/outputs.h"

#include "heed/ops/arithmetic.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/gather.h"
#include "heed/ops/grid.h"
#include "heed/ops/reduce.h"
#include "heed/search/frontier.h"
#include "heed/search/search.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

Tensor on(const Place& place, const std::vector<int32_t>& numbers) {
  return Tensor::of(numbers, {static_cast<int64_t>(numbers.size())}, place.with(DType::i32));
}

/// What was encoded of each output's sentence, once for each output.
Encoded repeated(const Encoded& encoded, const std::vector<TaughtOutput>& outputs) {
  const Layout& from = encoded.layout;
  const Place place = encoded.summary.place();
  std::vector<int32_t> rows;
  std::vector<int32_t> lengths;
  std::vector<int32_t> sentences;
  std::vector<GridExtent> grids;
  for (const TaughtOutput& output : outputs) {
    const auto b = static_cast<size_t>(output.sentence);
    sentences.push_back(output.sentence);
    lengths.push_back(from.lengths()[b]);
    for (int32_t r = 0; r < from.lengths()[b]; ++r) {
      rows.push_back(from.starts()[b] + r);
    }
    if (!from.grids().empty()) {
      grids.push_back(from.grids()[b]);
    }
  }
  Encoded out;
  out.layout = Layout::packed(lengths, place);
  if (!grids.empty()) {
    out.layout = out.layout.with_grids(std::move(grids));
  }
  const Tensor chosen = on(place, rows);
  for (const Tensor& block : encoded.blocks) {
    out.blocks.push_back(gather_rows(block, chosen));
  }
  out.summary = gather_rows(encoded.summary, on(place, sentences));
  return out;
}

/// Unknown words may be drawn: gradients are those of the model's own distribution.
SearchOptions with_unknown_words(SearchOptions options) {
  options.allow_unk = true;
  return options;
}

}  // namespace

std::vector<TaughtOutput> right_outputs(const Batch& batch) {
  std::vector<TaughtOutput> outputs;
  for (size_t b = 0; b < batch.target.lengths().size(); ++b) {
    const auto words = batch.words_of(b);
    outputs.push_back({static_cast<int32_t>(b), {words.begin(), words.end()}, true});
  }
  return outputs;
}

std::vector<TaughtOutput> found_outputs(const Model& model, const Autoregressive& decoder,
                                        const Encoded& encoded, const Batch& batch,
                                        SearchOptions options) {
  const NoGrad no_gradients;
  constexpr double any_length = 1e6;
  options = with_unknown_words(std::move(options));
  options.max_length_factor = any_length;
  options.max_length = 2 * batch.target.width() + 10;
  Pass pass = Pass::serving();
  const std::vector<Scorer> scorers = {
      {.decoder = &decoder,
       .memory = std::make_shared<const Remembered>(decoder.remember(encoded, pass))}};
  std::vector<TaughtOutput> outputs;
  int32_t sentence = 0;
  for (auto& found : search(scorers, {}, model.place(), options)) {
    for (Hypothesis& one : found) {
      outputs.push_back({sentence, std::move(one.ids), one.ended});
    }
    ++sentence;
  }
  return outputs;
}

std::vector<TokenId> never_drawn(const SpecialTokens& specials) {
  return suppressed_words(specials, with_unknown_words({}));
}

Tensor log_probabilities(const Autoregressive& decoder, const Encoded& encoded,
                         const std::vector<TaughtOutput>& outputs, double temperature, Pass& pass) {
  constexpr int32_t uncounted = -1;
  std::vector<int32_t> lengths;
  std::vector<int32_t> fed;
  std::vector<int32_t> said;
  for (const TaughtOutput& output : outputs) {
    lengths.push_back(static_cast<int32_t>(output.ids.size()) + 1);
    fed.push_back(decoder.specials().start());
    fed.insert(fed.end(), output.ids.begin(), output.ids.end());
    said.insert(said.end(), output.ids.begin(), output.ids.end());
    said.push_back(output.ended ? decoder.specials().end() : uncounted);
  }
  const Encoded sources = repeated(encoded, outputs);
  const Place place = encoded.summary.place();
  const Layout layout = Layout::packed(lengths, place);
  const Tensor words = on(place, said);
  const Decoded decoded =
      decoder.teach(decoder.remember(sources, pass), {on(place, fed), layout}, pass);
  const Tensor tempered =
      temperature == 1 ? decoded.logits : affine(decoded.logits, 1 / temperature);
  const Tensor logits =
      tempered + closing(tempered.size(1), never_drawn(decoder.specials()), tempered.place());
  return -sum(to_grid(cross_entropy(logits, words), layout), {1});
}

}  // namespace heed
