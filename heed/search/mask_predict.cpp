#include "heed/search/mask_predict.h"

#include <algorithm>
#include <numeric>

#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"
#include "heed/ops/softmax.h"
#include "heed/search/chosen_weights.h"
#include "heed/search/frontier.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// A target of one length for one sentence: its words, their probabilities, and those to fill next.
struct Attempt {
  int32_t sentence = 0;
  double length_log_probability = 0;
  Hypothesis said;
  std::vector<double> log_probability;  // of each word
  std::vector<size_t> masked;           // to be filled in the next round
};

/// A possible length of a target.
struct Length {
  int64_t words = 0;
  double log_probability = 0;
};

/// The likeliest lengths of one sentence, likeliest first. If no length is allowed, the allowed one that
/// is nearest to the likeliest.
std::vector<Length> likeliest_lengths(std::span<const double> log_p, int32_t first,
                                      const SearchOptions& options) {
  std::vector<size_t> order(log_p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&log_p](size_t a, size_t b) { return log_p[a] > log_p[b]; });
  std::vector<Length> lengths;
  for (const size_t column : order) {
    const int64_t words = first + static_cast<int64_t>(column);
    const bool is_allowed = words >= 1 && words <= options.max_length;
    if (is_allowed && static_cast<int64_t>(lengths.size()) < options.length_beam) {
      lengths.push_back({words, log_p[column]});
    }
  }
  if (lengths.empty()) {
    const int64_t words = first + static_cast<int64_t>(order.front());
    lengths.push_back({std::clamp<int64_t>(words, 1, options.max_length), log_p[order.front()]});
  }
  return lengths;
}

std::vector<Attempt> attempts_of(const LengthScores& scores, const SearchOptions& options) {
  const std::vector<double> all = log_softmax(scores.logits).values();
  const auto columns = static_cast<size_t>(scores.logits.size(1));
  std::vector<Attempt> attempts;
  for (size_t b = 0; b < scores.first.size(); ++b) {
    const std::span<const double> own(all.data() + b * columns, columns);
    for (const Length& length : likeliest_lengths(own, scores.first[b], options)) {
      const auto words = static_cast<size_t>(length.words);
      Attempt one;
      one.length_log_probability = length.log_probability;
      one.sentence = static_cast<int32_t>(b);
      one.said.ids.resize(words);
      one.log_probability.resize(words);
      one.masked.resize(words);
      std::iota(one.masked.begin(), one.masked.end(), 0);
      attempts.push_back(std::move(one));
    }
  }
  return attempts;
}

/// Fills the masked words of all attempts together.
class Filler {
 public:
  Filler(const Parallel& decoder, const Remembered& memory, const Place& place,
         std::span<const Attempt> attempts)
      : decoder_(decoder), memory_(memory), place_(place) {
    std::vector<int32_t> rows;
    for (const Attempt& one : attempts) {
      rows.push_back(static_cast<int32_t>(one.said.ids.size()) + 1);
      memory_of_.push_back(one.sentence);
    }
    layout_ = Layout::packed(rows, place);
  }

  void operator()(std::vector<Attempt>& attempts, const SearchOptions& options,
                  bool hands_out_weights) {
    Pass pass = Pass::serving();
    const Tensor seen = words_of(attempts);
    const Decoded filled =
        decoder_.fill(memory_, {seen, layout_, memory_of_, {.weights = hands_out_weights}}, pass);
    const Tensor log_p = log_softmax(filled.logits);  // [N, V]
    const Tensor open = log_p + closed(log_p);
    const std::vector<int32_t> best = argmax(open, -1).values<int32_t>();
    const std::vector<double> reached = max(open, -1).values();
    for (size_t c = 0; c < attempts.size(); ++c) {
      const auto first = static_cast<size_t>(layout_.starts()[c]);
      for (const size_t i : attempts[c].masked) {
        attempts[c].said.ids[i] = best[first + i];
        attempts[c].log_probability[i] = reached[first + i];
      }
    }
    if (hands_out_weights) {
      note_weights(attempts, chosen_weights(filled.reports, options.block, options.head));
    }
  }

 private:
  Tensor words_of(std::span<const Attempt> attempts) const {
    std::vector<int32_t> ids;
    for (const Attempt& one : attempts) {
      const size_t first = ids.size();
      ids.insert(ids.end(), one.said.ids.begin(), one.said.ids.end());
      for (const size_t i : one.masked) {
        ids[first + i] = decoder_.specials().at(Special::mask);
      }
      ids.push_back(decoder_.specials().end());
    }
    return Tensor::of(ids, {static_cast<int64_t>(ids.size())}, place_.with(DType::i32));
  }
  /// [V]: −∞ at special tokens, which fill no position, except unknown; 0 elsewhere.
  Tensor closed(const Tensor& log_p) const {
    std::vector<TokenId> ids = decoder_.specials().unsaid();
    ids.push_back(decoder_.specials().end());
    const Tensor id = Tensor::empty({log_p.size(1)}, log_p.place());
    id.backend().iota(id.view());
    return without_words(Tensor::zeros({log_p.size(1)}, log_p.place()), id, ids);
  }
  void note_weights(std::vector<Attempt>& attempts, const Tensor& weights) const {
    if (!weights.defined()) {
      return;
    }
    const std::vector<float> all = weights.values<float>();
    const int64_t slots = weights.size(1);
    for (size_t c = 0; c < attempts.size(); ++c) {
      const int32_t length = memory_.lengths[static_cast<size_t>(attempts[c].sentence)];
      for (int32_t row = 0; row < layout_.lengths()[c]; ++row) {
        const auto first = all.begin() + (layout_.starts()[c] + row) * slots;
        attempts[c].said.weights.emplace_back(first, first + length);
      }
    }
  }

  const Parallel& decoder_;
  const Remembered& memory_;
  Place place_;
  Layout layout_;
  std::vector<int32_t> memory_of_;
};

std::vector<std::vector<Hypothesis>> ranked(std::vector<Attempt> attempts, size_t sentences,
                                            int64_t n_best) {
  std::vector<std::vector<Hypothesis>> all(sentences);
  for (Attempt& one : attempts) {
    Hypothesis& said = one.said;
    said.ended = true;
    said.log_probability = std::accumulate(one.log_probability.begin(), one.log_probability.end(),
                                           one.length_log_probability);
    said.score = said.log_probability / static_cast<double>(said.ids.size());
    all[static_cast<size_t>(one.sentence)].push_back(std::move(said));
  }
  for (std::vector<Hypothesis>& own : all) {
    std::stable_sort(own.begin(), own.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    own.resize(std::min(own.size(), static_cast<size_t>(n_best)));
  }
  return all;
}

}  // namespace

int64_t masked_in_round(int64_t words, int64_t round, int64_t rounds) {
  return words * (rounds - round) / rounds;
}

std::vector<size_t> least_sure(std::span<const double> log_probability, int64_t count) {
  std::vector<size_t> order(log_probability.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return log_probability[a] < log_probability[b]; });
  order.resize(static_cast<size_t>(count));
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<std::vector<Hypothesis>> mask_predict(const Model& model, const Batch& batch,
                                                  const SearchOptions& options) {
  const NoGrad no_gradients;
  Pass pass = Pass::serving();
  const Parallel& decoder = model.parallel();
  const Remembered memory = model.remember(batch.source, pass);
  std::vector<Attempt> attempts = attempts_of(decoder.lengths(memory, pass), options);
  Filler fill(decoder, memory, model.place(), attempts);
  for (int64_t round = 0; round < options.rounds; ++round) {
    for (Attempt& one : attempts) {
      const auto words = static_cast<int64_t>(one.said.ids.size());
      const int64_t count = masked_in_round(words, round, options.rounds);
      one.masked = least_sure(one.log_probability, count);
    }
    fill(attempts, options, options.weights && round + 1 == options.rounds);
  }
  return ranked(std::move(attempts), memory.lengths.size(), options.n_best);
}

}  // namespace heed
