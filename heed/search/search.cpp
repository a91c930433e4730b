#include "heed/search/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/ops/arithmetic.h"
#include "heed/ops/reduce.h"
#include "heed/ops/reshape.h"
#include "heed/ops/slice.h"
#include "heed/ops/softmax.h"
#include "heed/ops/topk.h"
#include "heed/search/length_norm.h"
#include "heed/tensor/tape.h"
#include "heed/text/vocabulary.h"

namespace heed {
namespace {

/// A hypothesis under way: what it said, and the row of the state it lives in.
struct Live {
  Hypothesis said;
  int32_t row = 0;
};

struct Candidate {
  double log_probability = 0;
  size_t parent = 0;  // among the sentence's live hypotheses
  int32_t id = 0;
};

/// One sentence's beam.
struct Beam {
  std::vector<Live> live;
  std::vector<Hypothesis> finished;
  int64_t limit = 0;  // words at most
  bool is_done() const { return live.empty(); }
};

/// The best continuations of every row: k of them, best first.
struct Continuations {
  int64_t k = 0;
  std::vector<double> log_probability;  // [Q, k]
  std::vector<int32_t> id;
};

Continuations best_words(const Tensor& logits, int64_t beam) {
  const int64_t k = std::min(beam + 2, logits.size(1));  // one may be the end, one the start
  const TopK best = topk(log_softmax(logits), k);
  return {k, best.values.values<double>(), best.indices.values<int32_t>()};
}

class Search {
 public:
  Search(const Model& model, const Batch& batch, const SearchOptions& options)
      : model_(model), options_(options), norm_(options.normalise, options.alpha) {
    Pass pass = Pass::serving();
    auto memory =
        std::make_shared<const Remembered>(model.remember(batch.source_ids, batch.source, pass));
    std::vector<int32_t> every(static_cast<size_t>(batch.sentences()));
    std::iota(every.begin(), every.end(), 0);
    state_ = model.decoder().begin(std::move(memory), every);
    for (const int32_t b : every) {
      Beam beam;
      beam.live.push_back({{}, b});
      beam.limit = static_cast<int64_t>(options.length_factor * (batch.source.lengths()[b] - 1)) +
                   options.length_margin;
      beams_.push_back(std::move(beam));
    }
  }

  std::vector<std::vector<Hypothesis>> run() {
    std::vector<int32_t> fed(beams_.size(), Vocabulary::start);
    while (!fed.empty()) {
      fed = step(fed);
    }
    std::vector<std::vector<Hypothesis>> out;
    for (Beam& beam : beams_) {
      std::stable_sort(beam.finished.begin(), beam.finished.end(),
                       [](const auto& a, const auto& b) { return a.score > b.score; });
      if (static_cast<int64_t>(beam.finished.size()) > options_.n_best) {
        beam.finished.resize(static_cast<size_t>(options_.n_best));
      }
      out.push_back(std::move(beam.finished));
    }
    return out;
  }

 private:
  /// Feeds one word to every live hypothesis; returns the words to feed next.
  std::vector<int32_t> step(const std::vector<int32_t>& fed) {
    Pass pass = Pass::serving();
    const Tensor ids =
        Tensor::of(fed, {static_cast<int64_t>(fed.size())}, model_.place().with(DType::i32));
    const Decoded decoded = model_.decoder().step(state_, ids, {.weights = options_.weights}, pass);
    const Continuations words = best_words(decoded.logits, options_.beam);
    std::vector<float> weights;
    int64_t slots = 0;
    if (options_.weights) {
      const Tensor chosen = chosen_weights(decoded.reports, options_.block, options_.head);
      if (chosen.defined()) {
        weights = chosen.values<float>();
        slots = chosen.size(1);
      }
    }
    std::vector<int32_t> parent;
    std::vector<int32_t> next;
    for (size_t b = 0; b < beams_.size(); ++b) {
      note_weights(beams_[b], weights, slots);
      extend(beams_[b], words, parent, next);
    }
    if (!next.empty()) {
      state_.reorder(parent);
    }
    return next;
  }

  /// Every live hypothesis of the beam keeps where it looked in this step.
  void note_weights(Beam& beam, const std::vector<float>& weights, int64_t slots) const {
    if (slots == 0) {
      return;
    }
    for (Live& live : beam.live) {
      const auto sentence = static_cast<size_t>(state_.memory_of[live.row]);
      const auto first = weights.begin() + live.row * slots;
      live.said.weights.emplace_back(first, first + state_.memory->lengths[sentence]);
    }
  }

  std::vector<Candidate> ranked(const Beam& beam, const Continuations& words) const {
    std::vector<Candidate> all;
    for (size_t h = 0; h < beam.live.size(); ++h) {
      for (int64_t j = 0; j < words.k; ++j) {
        const int64_t at = beam.live[h].row * words.k + j;
        if (words.id[at] == Vocabulary::start) {
          continue;  // no sentence says it
        }
        all.push_back(
            {beam.live[h].said.log_probability + words.log_probability[at], h, words.id[at]});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
      return a.log_probability > b.log_probability;
    });
    return all;
  }

  void extend(Beam& beam, const Continuations& words, std::vector<int32_t>& parent,
              std::vector<int32_t>& next) {
    const auto width = static_cast<size_t>(options_.beam);
    std::vector<Live> grown;
    size_t rank = 0;
    for (const Candidate& candidate : ranked(beam, words)) {
      if (grown.size() >= width || (rank >= width && beam.finished.size() >= width)) {
        break;
      }
      const Live& from = beam.live[candidate.parent];
      Hypothesis said = from.said;
      said.log_probability = candidate.log_probability;
      if (candidate.id == Vocabulary::end) {
        if (rank < width) {
          finish(beam, std::move(said), true);
        }
      } else {
        said.ids.push_back(candidate.id);
        grown.push_back({std::move(said), from.row});
      }
      ++rank;
    }
    settle(beam, std::move(grown), parent, next);
  }

  /// Decides whether the beam goes on; if so its rows are asked for.
  void settle(Beam& beam, std::vector<Live> grown, std::vector<int32_t>& parent,
              std::vector<int32_t>& next) {
    const bool has_enough = static_cast<int64_t>(beam.finished.size()) >= options_.beam;
    beam.live.clear();
    if (has_enough || grown.empty()) {
      return;
    }
    if (static_cast<int64_t>(grown.front().said.ids.size()) >= beam.limit) {
      for (Live& live : grown) {
        finish(beam, std::move(live.said), false);
      }
      return;
    }
    for (Live& live : grown) {
      parent.push_back(live.row);
      next.push_back(live.said.ids.back());
      live.row = static_cast<int32_t>(next.size()) - 1;
      beam.live.push_back(std::move(live));
    }
  }

  void finish(Beam& beam, Hypothesis said, bool ended) const {
    const auto length = static_cast<int64_t>(said.ids.size()) + (ended ? 1 : 0);
    said.ended = ended;
    said.score = said.log_probability / norm_(std::max<int64_t>(length, 1));
    beam.finished.push_back(std::move(said));
  }

  const Model& model_;
  const SearchOptions& options_;
  LengthNorm norm_;
  State state_;
  std::vector<Beam> beams_;
};

}  // namespace

Tensor chosen_weights(const std::vector<Attended>& reports, int64_t block, int64_t head) {
  if (reports.empty()) {
    return {};
  }
  const auto count = static_cast<int64_t>(reports.size());
  if (block < -1 || block >= count) {
    fail(Fault::usage, "weights: saw block {}, needs 0 to {}, or -1 for the mean of all", block,
         count - 1);
  }
  Tensor total;
  for (int64_t n = block < 0 ? 0 : block; n < (block < 0 ? count : block + 1); ++n) {
    const Tensor& weights = reports[n].weights;
    if (head < -1 || head >= weights.size(1)) {
      fail(Fault::usage, "weights: saw head {}, needs 0 to {}, or -1 for the mean of all", head,
           weights.size(1) - 1);
    }
    const Tensor one = head < 0 ? mean(weights, {1}) : squeeze(slice(weights, 1, head, 1), 1);
    total = total.defined() ? total + one : one;
  }
  return block < 0 ? affine(total, 1 / static_cast<double>(count)) : total;
}

std::vector<std::vector<Hypothesis>> search(const Model& model, const Batch& batch,
                                            const SearchOptions& options) {
  require(options.beam >= 1 && options.n_best >= 1 && options.n_best <= options.beam,
          "search: saw beam {} and {} best, needs 1 ≤ n-best ≤ beam", options.beam, options.n_best);
  const NoGrad no_grad;
  return Search(model, batch, options).run();
}

}  // namespace heed
