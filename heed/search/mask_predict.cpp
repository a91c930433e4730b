#include "heed/search/mask_predict.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "heed/attention/chosen_weights.h"
#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"
#include "heed/ops/softmax.h"
#include "heed/search/frontier.h"
#include "heed/search/searches.h"
#include "heed/tensor/tape.h"

namespace heed {
namespace {

/// A target of one length for one sentence: its words, their probabilities, and those to fill next.
struct Attempt {
  Attempt(size_t of, int64_t words, double length_log_p)
      : sentence(static_cast<int32_t>(of)),
        length_log_probability(length_log_p),
        rows(words + 1),
        log_probability(static_cast<size_t>(words)),
        masked(static_cast<size_t>(words)) {
    said.ids.resize(static_cast<size_t>(words));
    std::iota(masked.begin(), masked.end(), 0);
  }

  int32_t sentence;
  double length_log_probability;
  int64_t rows;  // the words and end tokens behind them
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
    if (is_allowed && static_cast<int64_t>(lengths.size()) < options.parallel.length_beam) {
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
      attempts.emplace_back(b, length.words, length.log_probability);
    }
  }
  return attempts;
}

/// One attempt a sentence: of the length that is given, or on the whole canvas.
std::vector<Attempt> attempts_on_canvases(const Parallel& decoder, const Remembered& memory,
                                          const SearchOptions& options) {
  std::vector<Attempt> attempts;
  for (size_t b = 0; b < memory.lengths.size(); ++b) {
    const int64_t canvas = decoder.predicts_length() ? 0 : decoder.canvas(memory.lengths[b]);
    if (options.parallel.length > 0) {
      attempts.emplace_back(b, options.parallel.length, 0.0);
      attempts.back().rows = std::max(attempts.back().rows, canvas);
    } else {
      attempts.emplace_back(b, std::min(canvas, options.max_length), 0.0);
      attempts.back().rows = static_cast<int64_t>(attempts.back().said.ids.size());
    }
  }
  return attempts;
}

/// The number of positions up to the first end token, which is counted; all of them if there is none.
size_t until_end(const Attempt& one, TokenId end) {
  const auto& ids = one.said.ids;
  const auto found = std::find(ids.begin(), ids.end(), end);
  return static_cast<size_t>(found - ids.begin()) + (found != ids.end() ? 1 : 0);
}

/// What follows the first end token is known to be the end.
void end_at_first(Attempt& one, TokenId end) {
  for (size_t i = until_end(one, end); i < one.said.ids.size(); ++i) {
    one.said.ids[i] = end;
    one.log_probability[i] = 0;
  }
}

/// Fills the masked words of all attempts together.
class Filler {
 public:
  /// If `may_end`, a position may hold the end token.
  Filler(const Parallel& decoder, const Remembered& memory, const Place& place,
         std::span<const Attempt> attempts, bool may_end)
      : decoder_(decoder), memory_(memory), place_(place), may_end_(may_end) {
    std::vector<int32_t> rows;
    for (const Attempt& one : attempts) {
      rows.push_back(static_cast<int32_t>(one.rows));
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
    const Tensor open = log_p + closed(log_p, options);
    const std::vector<int32_t> best = argmax(open, -1).values<int32_t>();
    const std::vector<double> reached = max(open, -1).values();
    for (size_t c = 0; c < attempts.size(); ++c) {
      const auto first = static_cast<size_t>(layout_.starts()[c]);
      for (const size_t i : attempts[c].masked) {
        attempts[c].said.ids[i] = best[first + i];
        attempts[c].log_probability[i] = reached[first + i];
      }
      if (may_end_) {
        end_at_first(attempts[c], decoder_.specials().end());
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
      ids.resize(first + static_cast<size_t>(one.rows), decoder_.specials().end());
    }
    return Tensor::of(ids, {static_cast<int64_t>(ids.size())}, place_.with(DType::i32));
  }
  /// [V]: −∞ at special tokens, which fill no position, except perhaps unknown and end; 0 elsewhere.
  Tensor closed(const Tensor& log_p, const SearchOptions& options) const {
    std::vector<TokenId> ids = suppressed_words(decoder_.specials(), options);
    if (!may_end_) {
      ids.push_back(decoder_.specials().end());
    }
    return closing(log_p.size(1), ids, log_p.place());
  }
  void note_weights(std::vector<Attempt>& attempts, const Tensor& weights) const {
    if (!weights.defined()) {
      return;
    }
    const std::vector<float> all = weights.values<float>();
    const int64_t slots = weights.size(1);
    for (size_t c = 0; c < attempts.size(); ++c) {
      const int32_t length = memory_.lengths[static_cast<size_t>(attempts[c].sentence)];
      const auto words = static_cast<int32_t>(attempts[c].said.ids.size());
      for (int32_t row = 0; row < std::min(words + 1, layout_.lengths()[c]); ++row) {
        const auto first = all.begin() + (layout_.starts()[c] + row) * slots;
        attempts[c].said.weights.emplace_back(first, first + length);
      }
    }
  }

  const Parallel& decoder_;
  const Remembered& memory_;
  Place place_;
  bool may_end_;
  Layout layout_;
  std::vector<int32_t> memory_of_;
};

/// The words before the first end token, and the weights of these and of the end.
void cut_at_end(Attempt& one, TokenId end) {
  const size_t kept = until_end(one, end);
  Hypothesis& said = one.said;
  said.ended = kept > 0 && said.ids[kept - 1] == end;
  said.ids.resize(kept - (said.ended ? 1 : 0));
  said.weights.resize(std::min(said.weights.size(), kept));
  one.log_probability.resize(kept);
}

std::vector<std::vector<Hypothesis>> ranked(std::vector<Attempt> attempts, size_t sentences,
                                            int64_t n_best) {
  std::vector<std::vector<Hypothesis>> all(sentences);
  for (Attempt& one : attempts) {
    Hypothesis& said = one.said;
    said.log_probability = std::accumulate(one.log_probability.begin(), one.log_probability.end(),
                                           one.length_log_probability);
    said.score = said.log_probability / static_cast<double>(one.log_probability.size());
    all[static_cast<size_t>(one.sentence)].push_back(std::move(said));
  }
  for (std::vector<Hypothesis>& own : all) {
    std::stable_sort(own.begin(), own.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    own.resize(std::min(own.size(), static_cast<size_t>(n_best)));
  }
  return all;
}

void check_length(const Parallel& decoder, const SearchOptions& options) {
  const int64_t most = std::min(options.max_length, decoder.longest_target());
  if (options.parallel.length > most) {
    fail(Fault::usage, "search: `length` {} is longer than {}, the model's or `max_length`'s limit",
         options.parallel.length, most);
  }
}

/// Its steps: the source is remembered, and the rounds.
class MaskPredictSearch : public BatchSearch {
 public:
  MaskPredictSearch(const Model& model, const Batch& batch, const SearchOptions& options)
      : model_(model), decoder_(model.parallel()), source_(batch.source), options_(options) {
    check_length(decoder_, options);
    may_end_ = !decoder_.predicts_length() && options.parallel.length == 0;
  }

  bool is_done() const override { return fill_ && round_ >= options_.parallel.rounds; }
  void step() override {
    const NoGrad no_gradients;
    if (!fill_) {
      begin();
      return;
    }
    for (Attempt& one : attempts_) {
      one.masked = masked_next(one);
    }
    ++round_;
    (*fill_)(attempts_, options_, options_.weights && round_ == options_.parallel.rounds);
  }
  std::vector<std::vector<Hypothesis>> take() override {
    for (Attempt& one : attempts_) {
      one.said.ended = true;
      if (may_end_) {
        cut_at_end(one, decoder_.specials().end());
      }
    }
    return ranked(std::move(attempts_), memory_.lengths.size(), options_.n_best);
  }

 private:
  void begin() {
    Pass pass = Pass::serving();
    memory_ = model_.remember(source_, pass);
    const bool predicts = decoder_.predicts_length() && options_.parallel.length == 0;
    attempts_ = predicts ? attempts_of(decoder_.lengths(memory_, pass), options_)
                         : attempts_on_canvases(decoder_, memory_, options_);
    fill_.emplace(decoder_, memory_, model_.place(), attempts_, may_end_);
  }
  /// What an attempt fills in this round.
  std::vector<size_t> masked_next(const Attempt& one) const {
    const size_t words = may_end_ && round_ > 0 ? until_end(one, decoder_.specials().end())
                                                : one.log_probability.size();
    const int64_t count =
        masked_in_round(static_cast<int64_t>(words), round_, options_.parallel.rounds);
    return least_sure(std::span(one.log_probability).first(words), count);
  }

  const Model& model_;
  const Parallel& decoder_;
  FieldRows source_;
  SearchOptions options_;
  bool may_end_ = false;
  Remembered memory_;
  std::vector<Attempt> attempts_;
  std::optional<Filler> fill_;
  int64_t round_ = 0;
};

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

std::unique_ptr<BatchSearch> mask_predict_search(const SearchRequest& request) {
  return std::make_unique<MaskPredictSearch>(request.model(), request.batch, request.options);
}

}  // namespace heed
